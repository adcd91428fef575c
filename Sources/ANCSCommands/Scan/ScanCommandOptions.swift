internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

/// What `ancs scan` was told on the command line.
struct ScanCommandOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "scan",
        summary: """
            Shows which Bluetooth devices are on air: a table that follows what happens on a terminal,
            else a line for each new device. Nothing is connected.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .hci,
            .init(
                "--service", .text("UUID"), "only who has, or hides, this service; may be repeated",
                repeats: true),
            .init(
                "--solicits", .text("UUID"),
                "only who wants this service of a phone; may be repeated", repeats: true),
            .init(
                "--rssi", .text("DBM"),
                "only devices that are heard at DBM or more: -50 is near, -90 is far"),
            .init(
                "--sort", .word("ORDER", ["kind", "rssi"]),
                "the table: kind (default; those that want ANCS first) or rssi (the strongest first)"
            ),
            .init("--duplicates", nil, "tell of a device each time it is heard"),
            .init("--timeout", .text("S"), "end after S seconds"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    var transport: TransportMoniker
    var services: [BluetoothUUID]
    var solicitedServices: [BluetoothUUID]
    /// In dBm; `nil` for any strength. A device whose strength the controller does not know is not that near.
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
        // What a controller can report. Core Vol 4, Part E, 7.7.65.2.
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
