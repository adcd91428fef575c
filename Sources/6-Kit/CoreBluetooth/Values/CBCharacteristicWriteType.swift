/// How a value is written.
@frozen public enum CBCharacteristicWriteType: Int, Sendable {
    /// The peripheral confirms it.
    case withResponse = 0
    /// Nobody confirms it.
    case withoutResponse = 1
}
