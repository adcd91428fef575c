internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// How a consumer reaches Notification Providers: the interface between the protocol and a Bluetooth stack.
/// Used only on the loop's thread; events are delivered there too, and never during a call of the owner.
protocol ConsumerPort: AnyObject, Sendable {
    /// Starts; all later events go to `deliver`.
    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void)
    /// Ends at once, without further events.
    func close()
    /// Stops accepting providers.
    func stopAdvertising()
    /// Carries out a request of the session on its link.
    func request(_ request: ConsumerSession.LinkRequest, of provider: ProviderID)
    /// Reads the provider's time and zone, and asks to be notified of its time. The values that there are
    /// are reported, and then ``ConsumerPortEvent/clockRead(_:)``, unless the service ends meanwhile.
    func readClock(of provider: ProviderID)
    /// Ends the session, then the link (R49).
    func leave(_ provider: ProviderID)
    /// Allows phones to pair, for this duration or without limit.
    func openPairingWindow(for duration: Duration?)
    /// Forbids phones to pair.
    func closePairingWindow()
    /// Ends the link.
    func disconnect(_ provider: ProviderID)
    /// The bonded phones, connected or not.
    var bonded: [BondedProvider] { get }
    /// Removes the bond of a phone, by its digest, and ends its link; `done` is called later with the result.
    /// Does nothing without such a bond.
    func forget(_ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void)
}

/// An event of a ``ConsumerPort``.
enum ConsumerPortEvent: Equatable, Sendable {
    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed, for this reason, and is being set up again.
    case resetting(ControllerFailure)
    /// This device advertises, or no longer does.
    case advertising(Bool)
    /// The stack has failed; the last event.
    case failed(DeviceError)
    /// A provider connected.
    indirect case connected(ProviderID, ProviderDescription)
    /// The parameters of its link have changed, or the provider keeps its own.
    indirect case linkParameters(ProviderID, LinkParameters)
    /// The name of a provider was received.
    case named(ProviderID, String)
    /// The machine was suspended and has resumed; the state of the providers is unknown.
    case resumed
    /// The protection of its link has changed.
    case secured(ProviderID, LinkProtection)
    /// Whether phones may pair has changed.
    case pairingWindow(isOpen: Bool)
    /// An unknown phone that may not pair asked to, or needs to.
    case pairingRefused(ProviderID)
    /// The keys of a bonded phone do not work, or another device claims to be it.
    case keyTrouble(ProviderID, KeyTrouble)
    /// Pairing needs an answer from the user.
    indirect case ask(ProviderID, PairingRequest)
    /// The question needs no answer any more, and one has no effect.
    case withdrawn(ProviderID)
    /// Pairing succeeded, in place of this bond if it is not `nil`.
    indirect case paired(ProviderID, ProviderDescription, replacing: BondedProvider?)
    /// Pairing or encryption failed.
    case securityFailed(ProviderID, SecurityFailure)
    /// The provider does not offer ANCS, or not yet.
    case waiting(ProviderID)
    /// The provider offers ANCS.
    case available(ProviderID, hasControlPoint: Bool, hasDataSource: Bool)
    /// The provider no longer offers ANCS.
    case unavailable(ProviderID)
    /// An event for its session.
    case link(ProviderID, ConsumerSession.LinkReport)
    /// The value of a characteristic of the provider's Current Time service, read or notified.
    case clockValue(ProviderID, BluetoothUUID, [UInt8])
    /// A reading of the provider's clock is over.
    case clockRead(ProviderID)
    /// The link ended, for this reason.
    case disconnected(ProviderID, DisconnectReason)
    /// A problem that the user should know about; the port continues.
    case warning(DeviceWarning)
}
