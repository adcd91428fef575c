internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// How a consumer reaches Notification Providers: the one seam between the protocol and a Bluetooth
/// stack. Used on the loop's thread only; what it tells, it tells there too, and never from within a call
/// of its owner's.
protocol ConsumerPort: AnyObject, Sendable {
    /// Begins: whatever happens from now on is told to `deliver`.
    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void)
    /// Ends at once; nothing is told any more.
    func close()
    /// Accepts no further providers.
    func stopAdvertising()
    /// Does what the session wants on its link.
    func request(_ request: ConsumerSession.LinkRequest, of provider: ProviderID)
    /// Ends the session, then the link (R49).
    func leave(_ provider: ProviderID)
    /// Lets phones pair: for this long, or until the end where no duration is given.
    func openPairingWindow(for duration: Duration?)
    /// Lets no phone pair any more.
    func closePairingWindow()
    /// Ends the link.
    func disconnect(_ provider: ProviderID)
    /// The phones that are bonded, connected or not.
    var bonded: [BondedProvider] { get }
    /// Removes the bond of a phone, by its digest, and ends its link; `done` is called later, with what hindered
    /// it. Does nothing where it is not bonded.
    func forget(_ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void)
}

/// What a ``ConsumerPort`` tells.
enum ConsumerPortEvent: Hashable, Sendable {
    /// The transport waits at this place for a controller.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again, for this reason.
    case resetting(ControllerTrouble)
    /// Whether providers can find us.
    case advertising(Bool)
    /// The stack is gone; the last event.
    case failed(DeviceError)
    /// A provider connected.
    case connected(ProviderID, ProviderDescription)
    /// It has told its name.
    case named(ProviderID, String)
    /// The machine was suspended; what became of the providers is not known.
    case resumed
    /// Its link is protected differently.
    case secured(ProviderID, LinkProtection)
    /// Whether phones may pair.
    case pairingWindow(isOpen: Bool)
    /// A phone that may not pair asked to, or cannot do without.
    case pairingRefused(ProviderID, isBonded: Bool)
    /// Pairing needs the user.
    case ask(ProviderID, PairingRequest)
    /// Pairing succeeded.
    case paired(ProviderID, ProviderDescription)
    /// Pairing or encryption failed.
    case securityFailed(ProviderID, SecurityFailure)
    /// ANCS is not there (yet).
    case waiting(ProviderID)
    /// ANCS is there.
    case available(ProviderID, hasControlPoint: Bool, hasDataSource: Bool)
    /// ANCS is gone.
    case unavailable(ProviderID)
    /// What is for its session.
    case link(ProviderID, ConsumerSession.LinkReport)
    /// The link ended, for this reason.
    case disconnected(ProviderID, DisconnectReason)
    /// Something that the user should know, but that stops nothing.
    case warning(DeviceWarning)
}
