package import CommandKit
internal import DeviceCommandKit
internal import HCITransports

/// The command line of `ancs scan`.
package struct ScanCommandOptions: Sendable {
    package static let syntax = CommandSyntax(
        command: "scan",
        summary: """
            Lists nearby Bluetooth devices: on a terminal as a table that is updated, otherwise as a line
            for each new device. It connects to none of them. bluetoothd does not tell whether a device
            accepts connections.
            """,
        operands: "", operandCount: 0...0,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .hci, .bluez,
        .init(
            "--service", "UUID", .uuid, appendingTo: \.services,
            "only devices that have, or may hide, this service; may be repeated"),
        .init(
            "--solicits", "UUID", .uuid, appendingTo: \.solicitedServices,
            "only devices that want this service of a phone; may be repeated"),
        .init(
            // The range that a controller can report. Core Vol 4, Part E, 7.7.65.2.
            "--rssi", "DBM", .integer(in: -127...20), into: \.minimumStrength,
            "only devices with a signal of DBM or more: -50 is near, -90 is far"),
        .init(
            "--sort", "ORDER", .word, replacing: \.order,
            "the order of the table: kind (default; devices that want ANCS first) or rssi (the strongest first)"
        ),
        .flag("--duplicates", \.allowsDuplicates, "report a device every time it is heard"),
        .init("--timeout", "S", .someSeconds, into: \.timeout, "exit after S seconds"),
        .snoop(\.capturePlace), .snoopRedacted(), .json(\.isJSON), .help,
    ]

    var place: CentralPlace
    var services: [BluetoothUUID] = []
    var solicitedServices: [BluetoothUUID] = []
    /// The minimum signal strength in dBm; `nil` for any. A device of unknown strength does not match a
    /// minimum.
    var minimumStrength: Int?
    var order = ScanTable.Order.kind
    var allowsDuplicates = false
    var timeout: Duration?
    var capturePlace: CapturePlace?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        place = try arguments.centralPlace(environment: environment, onlyWithHCI: [])
        try arguments.read(Self.table, into: &self)
    }

    /// The Bluetooth configuration of the run. Opens the capture.
    func bluetooth() throws(IOError) -> Bluetooth {
        switch place {
        case .bluez(let adapter): return .bluez(adapter)
        case .hci(let moniker):
            var controller = HCIConfiguration(moniker, pairing: PairingOptions(policy: .never))
            controller.capture = try capturePlace.map(BtsnoopWriter.capture(at:))
            return .hci(controller)
        }
    }
}
