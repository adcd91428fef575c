internal import ANCSKit
internal import BluetoothLE

/// What `--publish` describes: services, their characteristics, and what those hold at first.
struct Publication: Sendable {
    /// A service.
    struct Service: Sendable {
        var uuid: BluetoothUUID
        var isPrimary = true
        var characteristics: [Characteristic] = []
    }

    /// A characteristic.
    struct Characteristic: Sendable {
        var uuid: BluetoothUUID
        var properties: ANCSKit.Characteristic.Properties
        var permissions: MutableCharacteristic.Permissions
        var value: [UInt8] = []
        /// Whether the value never changes, and is answered from the attribute table.
        var isStatic = false
        var descriptors: [Descriptor] = []
    }

    /// A descriptor, whose value never changes.
    struct Descriptor: Sendable {
        var uuid: BluetoothUUID
        var value: [UInt8]
    }

    var services: [Service] = []

    /// The longest attribute value, in octets. Core Vol 3, Part F, 3.2.9.
    static let maximumValueCount = 512
}
