internal import ANCSService
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

extension Publication {
    /// What people call its characteristics: what is enough for a command on standard input, and the
    /// name that is assigned or that a Characteristic User Description gives.
    var labels: [PublishedValues.Key: String] {
        let all = services.flatMap(\.characteristics)
        var labels: [PublishedValues.Key: String] = [:]
        for service in services {
            for characteristic in service.characteristics {
                let key = PublishedValues.Key(
                    service: service.uuid, characteristic: characteristic.uuid)
                let isOnly = all.count { $0.uuid == characteristic.uuid } == 1
                let place = isOnly ? characteristic.uuid.text : key.text
                labels[key] = characteristic.name.map { "\(place) (\($0))" } ?? place
            }
        }
        return labels
    }
}

extension Publication.Characteristic {
    fileprivate var name: String? {
        let description = descriptors.first { $0.uuid.shortValue == 0x2901 }
            .flatMap { String(validating: $0.value, as: UTF8.self) }
        return description.map(TerminalText.visible) ?? AssignedNumbers.characteristic(uuid)
    }
}
