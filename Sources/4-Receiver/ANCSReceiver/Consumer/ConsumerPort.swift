package import ANCS

/// How a consumer reaches Notification Providers: the interface between the protocol and a Bluetooth stack.
/// Used only on the loop's thread; events are delivered there too, and never during a call of the owner.
package protocol ConsumerPort: AnyObject, Sendable {
    /// Starts; all later events go to `deliver`.
    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void)
    /// Ends at once, without further events.
    func close()
    /// Stops accepting providers.
    func stopAdvertising()
    /// Carries out a request of the session on its link.
    func request(_ request: ConsumerSession.LinkRequest, of provider: PhoneID)
    /// Reads the provider's time and zone, and asks to be notified of its time. The values that there are
    /// are reported, and then `PhoneServiceEvent.clockRead`, unless the service ends meanwhile.
    func readClock(of provider: PhoneID)
    /// Carries out a request of the service that is used beside ANCS, one after the other on each link.
    func request(_ request: CompanionRequest, of provider: PhoneID)
    /// Ends the session, then the link (R49).
    func leave(_ provider: PhoneID)
    /// Allows phones to pair, for this duration or without limit.
    func openPairingWindow(for duration: Duration?)
    /// Forbids phones to pair.
    func closePairingWindow()
    /// Ends the link.
    func disconnect(_ provider: PhoneID)
    /// The bonded phones, connected or not.
    var bonded: [BondedPeer] { get }
    /// Removes the bond of a phone, by its digest, and ends its link; `done` is called later with the result.
    /// Does nothing without such a bond.
    func forget(_ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void)
}

/// An event of a ``ConsumerPort``. Those of the device and of a phone are reported as they are.
package enum ConsumerPortEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// The stack has failed; the last event.
    case failed(DeviceError)
    /// An event of a phone and of the link to it.
    case peer(PhoneID, PeerEvent)
    /// An event of the services of a phone.
    case service(PhoneID, PhoneServiceEvent)
    /// An event of the service that is used beside ANCS.
    case companion(PhoneID, CompanionEvent)
}
