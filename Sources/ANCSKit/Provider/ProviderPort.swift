internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// How a provider reaches accessories: the interface between the protocol and a Bluetooth stack. Used only on
/// the loop's thread; events are delivered there too, and never during a call of the owner.
protocol ProviderPort: AnyObject, Sendable {
    /// The adapter whose links it uses.
    var adapter: BluetoothAdapter { get }
    /// The accessory of a peer of the adapter; `nil` if it has none yet.
    func accessory(of peer: PeerIdentifier) -> AccessoryID?
    /// Starts; all later events go to `deliver`.
    func open(deliver: @escaping @Sendable (ProviderPortEvent) -> Void)
    /// Ends at once, without further events.
    func close()
    /// Connects to no more accessories.
    func stopScanning()
    /// Sets the stack up again; `.resetting` and `.ready` follow, and scanning starts again.
    func restart()
    /// Whether the link to an accessory has room for a value; if not, `.hasRoom` follows.
    func hasRoom(for accessory: AccessoryID) -> Bool
    /// Carries out a request of the session on its link.
    func request(_ request: ProviderSession.LinkRequest, of accessory: AccessoryID)
    /// Publishes ANCS from this handle on, or removes it for `nil`; with `announcing`, Service Changed
    /// reports it (R5).
    func setPublished(at handle: UInt16?, announcing: Bool)
    /// Shows ANCS to all accessories, or only to those whose link is encrypted.
    func setHiddenUntilEncrypted(_ isHidden: Bool)
    /// The values of the phone's other services.
    var values: PhoneValues { get set }
    /// Notifies the subscribed accessories of the current value.
    func notify(_ attribute: PhoneAttribute)
    /// Pairs, or encrypts with the bond.
    func pair(_ accessory: AccessoryID)
    /// How accessories that request connection parameters are answered from now on.
    func setParameterAnswer(_ answer: ParameterAnswer)
    /// Changes the parameters of a link, unless a change is in progress or the controller cannot.
    func changeParameters(_ parameters: LinkParameters, of accessory: AccessoryID)
    /// Ends the link.
    func disconnect(_ accessory: AccessoryID)
    /// Makes a virtual controller hear nothing for a time, from an accessory or, for `nil`, at all. Returns
    /// `false` if it is no virtual controller, or the accessory has no link.
    func fade(_ accessory: AccessoryID?, for length: Duration) -> Bool
    /// Ends this phone's use of the link; `.disconnected` follows, although other clients may keep the link.
    func leave(_ accessory: AccessoryID)
    /// Ends the link and removes the bond.
    func forget(_ accessory: AccessoryID)
}

/// An event of a ``ProviderPort``.
enum ProviderPortEvent: Equatable, Sendable {
    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again, for this reason.
    case resetting(ControllerFailure)
    /// Whether there is a scan for accessories has changed.
    case scanning(Bool)
    /// The stack has failed; the last event.
    case failed(DeviceError)
    /// An accessory is known: it is advertising, or bonded.
    indirect case known(AccessoryID, AccessoryDescription, isBonded: Bool)
    /// An accessory to connect to is advertising.
    case discovered(AccessoryID)
    /// Connecting to it failed, for this reason.
    indirect case connectingFailed(AccessoryID, BluetoothError)
    /// It is connected.
    case connected(AccessoryID)
    /// The protection of its link has changed.
    case secured(AccessoryID, LinkProtection)
    /// Pairing needs an answer from the user.
    indirect case ask(AccessoryID, PairingRequest)
    /// Pairing succeeded.
    case paired(AccessoryID, isBonded: Bool)
    /// The link was encrypted with the keys of the bond.
    case bondRestored(AccessoryID)
    /// Pairing or encryption failed.
    case securityFailed(AccessoryID, SecurityFailure)
    /// It was refused access to an attribute for lack of security.
    case accessDenied(AccessoryID, handle: UInt16, errorCode: UInt8)
    /// An event for its session. Subscriptions are reported whenever their descriptor is written, even if
    /// unchanged.
    case link(AccessoryID, ProviderSession.LinkReport)
    /// It read a value of the phone's other services.
    case attributeRead(AccessoryID, PhoneAttribute)
    /// It subscribed to such a value, or unsubscribed.
    case attributeSubscribed(AccessoryID, PhoneAttribute, Bool)
    /// It subscribed to Service Changed, or unsubscribed.
    case serviceChangedSubscribed(AccessoryID, Bool)
    /// It wrote to the Control Point with a Write Command, which has no response.
    case controlPointWrittenWithoutResponse(AccessoryID, [UInt8])
    /// There is room for values again.
    case hasRoom(AccessoryID)
    /// The link ended, for this reason.
    case disconnected(AccessoryID, DisconnectReason)
    /// An accessory is no longer remembered.
    case forgotten(AccessoryID)
    /// A problem that the user should know about; the port continues.
    case warning(DeviceWarning)
}
