package import BluetoothTypes
internal import JSONText

extension Kind<BluetoothUUID> {
    package static let uuid: Kind<BluetoothUUID> = {
        let schema: SchemaFragment = [
            "type": "string",
            "pattern": .string(
                "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}"
                    + "-[0-9A-Fa-f]{12})$"),
        ]
        return Kind(
            "a UUID such as 180F, 0000180F or 7905F431-B5CE-4E99-A40F-4B1E122D00D0", schema
        ) { $0.string.flatMap { BluetoothUUID(text: $0) } }
    }()
}
