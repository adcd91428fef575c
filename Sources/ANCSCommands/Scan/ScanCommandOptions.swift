internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

/// The command line of `ancs scan`.
struct ScanCommandOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "scan",
        summary: """
            Lists nearby Bluetooth devices: on a terminal as a table that is updated, otherwise as a line
            for each new device. It connects to none of them.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .hci,
            .init(
                "--service", .text("UUID"),
                "only devices that have, or may hide, this service; may be repeated",
                repeats: true),
            .init(
                "--solicits", .text("UUID"),
                "only devices that want this service of a phone; may be repeated", repeats: true),
            .init(
                "--rssi", .text("DBM"),
                "only devices with a signal of DBM or more: -50 is near, -90 is far"),
            .init(
                "--sort", .word("ORDER", ["kind", "rssi"]),
                "the order of the table: kind (default; devices that want ANCS first) or rssi (the strongest first)"
            ),
            .init("--duplicates", nil, "report a device every time it is heard"),
            .init("--timeout", .text("S"), "exit after S seconds"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    var transport: TransportMoniker
    var services: [BluetoothUUID]
    var solicitedServices: [BluetoothUUID]
    /// The minimum signal strength in dBm; `nil` for any. A device of unknown strength does not match a
    /// minimum.
    var minimumStrength: Int?
    var order: ScanTable.Order
    var allowsDuplicates: Bool
    var timeout: Duration?
    var capturePath: String?
    var isJSON: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        transport = try arguments.transport(environment: environment)
        services = try arguments.uuids("--service")
        solicitedServices = try arguments.uuids("--solicits")
        // The range that a controller can report. Core Vol 4, Part E, 7.7.65.2.
        minimumStrength = try arguments.integer("--rssi", in: -127...20)
        let order = arguments["--sort"] ?? ScanTable.Order.kind.rawValue
        guard let order = ScanTable.Order(rawValue: order) else {
            throw .init(message: "--sort takes kind or rssi, not '\(order)'")
        }
        self.order = order
        allowsDuplicates = arguments.has("--duplicates")
        timeout = try arguments.seconds("--timeout")
        capturePath = arguments["--snoop"]
        isJSON = arguments.has("--json")
    }
}
