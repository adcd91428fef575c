import ANCSKit

/// A Heart Rate Measurement, the value of the characteristic 2A37: Heart Rate Service 1.0, 3.1.
public struct HeartRate: Hashable, Sendable {
    /// The service of heart-rate sensors.
    public static let service: BluetoothUUID = "180D"
    /// The characteristic that notifies the measurements.
    public static let measurement: BluetoothUUID = "2A37"

    /// How fast the heart beats.
    public var beatsPerMinute: Int

    /// A measurement.
    public init(beatsPerMinute: Int) { self.beatsPerMinute = beatsPerMinute }

    /// Decodes the value sent by a sensor; `nil` if it is not a measurement.
    public init?(_ value: [UInt8]) {
        guard let flags = value.first else { return nil }
        // If bit 0 is set, the rate takes two octets instead of one.
        let octets = value.dropFirst().prefix(flags & 1 == 0 ? 1 : 2)
        guard octets.count == (flags & 1 == 0 ? 1 : 2) else { return nil }
        beatsPerMinute = octets.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The value as sent over the air.
    public var value: [UInt8] {
        beatsPerMinute < 256
            ? [0, UInt8(beatsPerMinute)]
            : [1, UInt8(beatsPerMinute & 0xFF), UInt8(beatsPerMinute >> 8 & 0xFF)]
    }
}
