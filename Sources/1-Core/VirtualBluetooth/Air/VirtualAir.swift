/// Constants of this radio.
enum VirtualAir {
    /// The strength of all signals, in dBm.
    static let rssi: Int8 = -50
    /// The limit of the random delay before each advertising event. Core Vol 6, Part B, 4.4.2.2.1.
    static let advertisingDelay = Duration.milliseconds(10)
    /// How far a packet to the host may be behind with ``PacketOrder/usb``. The worst controller
    /// known is 10 ms behind.
    static let maximumDelay = Duration.milliseconds(30)
    /// The number of unanswered connection events after which a new link has failed. Core Vol 6, Part B, 4.5.
    static let eventsToEstablish = 6
    /// The duration of a PDU of 251 octets, its answer and the spaces between them on LE 1M.
    static let exchangeTime = Duration.microseconds(2500)
}
