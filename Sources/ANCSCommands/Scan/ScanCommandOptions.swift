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
            .init("--duplicates", nil, "tell of a device each time it is heard"),
            .init("--timeout", .text("S"), "end after S seconds"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    var transport: TransportMoniker
    var services: [BluetoothUUID]
    var solicitedServices: [BluetoothUUID]
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
        allowsDuplicates = arguments.has("--duplicates")
        timeout = try arguments.seconds("--timeout")
        capturePath = arguments["--snoop"]
        isJSON = arguments.has("--json")
    }
}
