package import BluetoothTypes
internal import DeviceCommandKit

/// The contents of a `--publish` file: services, their characteristics and the initial values.
package struct Publication: Sendable {
    /// A service to publish.
    package struct Service: Sendable {
        package var uuid: BluetoothUUID
        var isPrimary = true
        package var characteristics: [Characteristic] = []
    }

    /// A characteristic to publish.
    package struct Characteristic: Sendable {
        package var uuid: BluetoothUUID
        var properties: ANCSKit.Characteristic.Properties
        var permissions: MutableCharacteristic.Permissions
        package var value: [UInt8] = []
        /// Whether the value never changes, so that the attribute table can answer reads.
        var isStatic = false
        var descriptors: [Descriptor] = []
    }

    /// A descriptor to publish. Its value never changes.
    struct Descriptor: Sendable {
        var uuid: BluetoothUUID
        var value: [UInt8]
    }

    package var services: [Service] = []
}

extension Publication {
    /// The labels of the characteristics: the shortest text that names each in a command on standard input,
    /// and the assigned name or that of its Characteristic User Description.
    package var labels: [PublishedValues.Key: String] {
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
