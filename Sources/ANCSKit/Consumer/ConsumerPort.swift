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
    /// are reported, and then ``ConsumerPortEvent/ServiceEvent/clockRead``, unless the service ends meanwhile.
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
    var bonded: [BondedPeer] { get }
    /// Removes the bond of a phone, by its digest, and ends its link; `done` is called later with the result.
    /// Does nothing without such a bond.
    func forget(_ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void)
}

/// An event of a ``ConsumerPort``. Those of the device and of a phone are reported as they are.
enum ConsumerPortEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// The stack has failed; the last event.
    case failed(DeviceError)
    /// An event of a phone and of the link to it.
    case peer(ProviderID, PeerEvent)
    /// An event of the services of a phone.
    case service(ProviderID, ServiceEvent)

    /// An event of the services of a phone that a consumer uses.
    enum ServiceEvent: Equatable, Sendable {
        /// The phone does not offer ANCS, or not yet.
        case waiting
        /// The phone offers ANCS.
        case available(hasControlPoint: Bool, hasDataSource: Bool)
        /// The phone no longer offers ANCS.
        case unavailable
        /// An event for its session.
        case link(ConsumerSession.LinkReport)
        /// The value of a characteristic of the phone's Current Time service, read or notified.
        case clockValue(BluetoothUUID, [UInt8])
        /// A reading of the phone's clock is over.
        case clockRead
    }
}
