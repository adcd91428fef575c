internal import AMS
internal import ANCSProvider

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
    /// What was heard of advertisers that it does not connect to, a sentence each.
    var passedOver: [String] { get }
    /// Connects to no more accessories.
    func stopScanning()
    /// Sets the stack up again; `.resetting` and `.ready` follow, and scanning starts again.
    func restart()
    /// Whether the link to an accessory has room for a value; if not, `.hasRoom` follows.
    func hasRoom(for accessory: AccessoryID) -> Bool
    /// Whether nothing waits for the controller to take it.
    func isIdle(for accessory: AccessoryID) -> Bool
    /// Carries out a request of the session on its link.
    func request(_ request: ProviderSession.LinkRequest, of accessory: AccessoryID)
    /// Carries out a request about the media on the link.
    func request(_ request: MediaSourceSession.LinkRequest, of accessory: AccessoryID)
    /// Publishes the Apple Media Service, or removes it for `nil`.
    func setMediaService(_ service: MediaService?, announcing: Bool)
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
    /// Which of Apple's numbers requests for connection parameters have to keep from now on.
    func setLinkNumbers(_ numbers: ProviderBehavior.LinkNumbers)
    /// The largest ATT_MTU of later links.
    func setMaximumMTU(_ maximum: Int)
    /// The next answers to requests for connection parameters have a fault: those to an accessory or, for
    /// `nil`, to all.
    func inject(_ fault: ParameterFault, count: Int, at accessory: AccessoryID?)
    /// Faults of such answers that have not taken effect do not.
    func clearParameterFaults(at accessory: AccessoryID?)
    /// Discovers the primary services of an accessory; `.servicesFound` follows if it is connected.
    func discoverServices(of accessory: AccessoryID)
    /// Changes the parameters of a link, unless a change is in progress or the controller cannot.
    func changeParameters(_ parameters: LinkParameters, of accessory: AccessoryID)
    /// Ends the link.
    func disconnect(_ accessory: AccessoryID)
    /// Makes a virtual controller hear nothing for a time, from an accessory or, for `nil`, at all. Returns
    /// `false` if it is no virtual controller, or the accessory has no link.
    func fade(_ accessory: AccessoryID?, for length: Duration?) -> Bool
    /// Ends this phone's use of the link; `.disconnected` follows, although other clients may keep the link.
    func leave(_ accessory: AccessoryID)
    /// Ends the link and removes the bond.
    func forget(_ accessory: AccessoryID)
}

/// An event of a ``ProviderPort``. Those of the device and of an accessory are reported as they are.
enum ProviderPortEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// The stack has failed; the last event.
    case failed(DeviceError)
    /// An accessory is known: it is advertising, or bonded.
    indirect case known(AccessoryID, PeerDescription, isBonded: Bool)
    /// An accessory is no longer remembered.
    case forgotten(AccessoryID)
    /// An event of an accessory and of the link to it.
    case peer(AccessoryID, PeerEvent)
    /// An event of its advertising and of the parameters of its link.
    case linkEvent(AccessoryID, ProviderEvent.LinkEvent)
    /// An event of an accessory that uses the services of the phone.
    case session(AccessoryID, ProviderEvent.SessionEvent)
    /// An event for its session. Subscriptions are reported whenever their descriptor is written, even if
    /// unchanged.
    case link(AccessoryID, ProviderSession.LinkReport)
    /// An event for the media on its link, likewise.
    case media(AccessoryID, MediaSourceSession.LinkReport)
    /// There is room for values again.
    case hasRoom(AccessoryID)
}
