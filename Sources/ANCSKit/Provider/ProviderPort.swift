internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// How a provider reaches accessories: the one seam between the protocol and a Bluetooth stack. Used on
/// the loop's thread only; what it tells, it tells there too, and never from within a call of its owner's.
protocol ProviderPort: AnyObject, Sendable {
    /// The adapter whose links it uses.
    var adapter: BluetoothAdapter { get }
    /// Which accessory a peer of the adapter is; `nil` where it has not been heard of.
    func accessory(of peer: PeerIdentifier) -> AccessoryID?
    /// Begins: whatever happens from now on is told to `deliver`.
    func open(deliver: @escaping @Sendable (ProviderPortEvent) -> Void)
    /// Ends at once; nothing is told any more.
    func close()
    /// Connects to nobody further.
    func stopScanning()
    /// Sets the stack up anew; `.resetting` and `.ready` tell, and accessories are looked for again.
    func restart()
    /// Whether the way to an accessory has room for a value; `.hasRoom` tells when it has again.
    func hasRoom(for accessory: AccessoryID) -> Bool
    /// Does what the session wants on its link.
    func request(_ request: ProviderSession.LinkRequest, of accessory: AccessoryID)
    /// Has ANCS from this handle on, or with `nil` has it no longer; `announcing` tells it by Service
    /// Changed (R5).
    func setPublished(at handle: UInt16?, announcing: Bool)
    /// Shows ANCS to all accessories, or to those whose link is encrypted.
    func setHiddenUntilEncrypted(_ isHidden: Bool)
    /// What the phone's other services tell.
    var values: PhoneValues { get set }
    /// Notifies a value as it is now, of those that subscribed to it.
    func notify(_ attribute: PhoneAttribute)
    /// Pairs, or encrypts with the bond.
    func pair(_ accessory: AccessoryID)
    /// Ends the link.
    func disconnect(_ accessory: AccessoryID)
    /// Ends this phone's part of the link; `.disconnected` follows, though others may go on using it.
    func leave(_ accessory: AccessoryID)
    /// Ends the link and removes the bond.
    func forget(_ accessory: AccessoryID)
}

/// What a ``ProviderPort`` tells.
enum ProviderPortEvent: Hashable, Sendable {
    /// The transport waits at this place for a controller.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again, for this reason.
    case resetting(ControllerTrouble)
    /// Whether accessories are looked for.
    case scanning(Bool)
    /// The stack is gone; the last event.
    case failed(DeviceError)
    /// An accessory is known: it is on air, or bonded.
    case known(AccessoryID, AccessoryDescription, isBonded: Bool)
    /// An accessory is on air and wanted.
    case discovered(AccessoryID)
    /// It could not be connected to, for this reason.
    case connectingFailed(AccessoryID, BluetoothError)
    /// It connected.
    case connected(AccessoryID)
    /// Its link is protected differently.
    case secured(AccessoryID, LinkProtection)
    /// Pairing needs the user.
    case ask(AccessoryID, PairingRequest)
    /// Pairing succeeded.
    case paired(AccessoryID, isBonded: Bool)
    /// The link was encrypted with the bond.
    case bondRestored(AccessoryID)
    /// Pairing or encryption failed.
    case securityFailed(AccessoryID, SecurityFailure)
    /// It was refused an attribute for lack of security.
    case accessDenied(AccessoryID, handle: UInt16, errorCode: UInt8)
    /// What is for its session. Subscriptions are told whenever their descriptor is written, be it with
    /// what was there before.
    case link(AccessoryID, ProviderSession.LinkReport)
    /// It read a value of the phone's other services.
    case attributeRead(AccessoryID, PhoneAttribute)
    /// It subscribed to such a value, or no longer is.
    case attributeSubscribed(AccessoryID, PhoneAttribute, Bool)
    /// It subscribed to Service Changed, or no longer is.
    case serviceChangedSubscribed(AccessoryID, Bool)
    /// It wrote to the Control Point by a Write Command: no answer is possible.
    case controlPointWrittenWithoutResponse(AccessoryID, [UInt8])
    /// There is room again.
    case hasRoom(AccessoryID)
    /// The link ended, for this reason.
    case disconnected(AccessoryID, DisconnectReason)
    /// An accessory is not remembered any more.
    case forgotten(AccessoryID)
    /// Something that the user should know, but that stops nothing.
    case warning(DeviceWarning)
}
