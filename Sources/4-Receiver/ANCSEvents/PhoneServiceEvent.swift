public import ANCS
public import BluetoothTypes

/// An event of the services of a phone that a consumer uses, as a Bluetooth stack reports it.
public enum PhoneServiceEvent: Equatable, Sendable {
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
    /// A reading of the phone's clock is over, with or without values.
    case clockRead
}
