internal import ANCSKit
internal import LinuxIO

/// What `ancs gatt` was told on the command line.
struct GATTCommandOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "gatt",
        summary: """
            Connects to a device, discovers what it has and reads what can be read. PEER is an address
            or a name, exactly as 'ancs scan' shows it, or the identifier of a peer that is known in
            --state DIR. Whether an address is public or random is heard on air.
            """,
        operands: "PEER", operandCount: 1...1, operandValues: [.text("PEER")],
        options: [
            .hci,
            .init(
                "--timeout", .text("S"), "how long to look for the device and connect (default: 30)"
            ),
            .init("--pair", nil, "pair where a value needs it, and read on"),
            .init(
                "--io", .word("ABILITY", PairingAbility.words),
                "for pairing: \(PairingAbility.options) (default: yesno)"),
            .init(
                "--state", .directory, "be the device of DIR, with its bonds; else one without any"),
            .init(
                "--device", .word("DEVICE", ["accessory", "phone"]),
                "which device of DIR: accessory (default) or phone"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    var peer: String
    var transport: TransportMoniker
    var timeout: Duration
    var pairs: Bool
    var ability: PairingAbility
    var store: BondStore?
    var capturePath: String?
    var isJSON: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        peer = arguments.operands.first ?? ""
        transport = try arguments.transport(environment: environment)
        timeout = try arguments.seconds("--timeout") ?? .seconds(30)
        pairs = arguments.has("--pair")
        guard pairs || arguments["--io"] == nil else {
            throw .init(message: "--io says how to pair: --pair is missing")
        }
        ability = try PairingAbility(option: arguments["--io"] ?? "yesno")
        let device = try arguments.device() ?? .accessory
        guard let directory = arguments["--state"] else {
            guard arguments["--device"] == nil else {
                throw .init(message: "--device is one of a directory: --state DIR is missing")
            }
            store = nil
            capturePath = arguments["--snoop"]
            isJSON = arguments.has("--json")
            return
        }
        guard !directory.isEmpty else {
            throw .init(message: "--state is empty: it says where bonds are kept")
        }
        store = BondStore(directory: directory, device: device)
        capturePath = arguments["--snoop"]
        isJSON = arguments.has("--json")
    }

    /// Whether it pairs, and how.
    var pairing: PairingOptions {
        PairingOptions(ability: ability, policy: pairs ? .whenNeeded : .never)
    }

    /// Where the Bluetooth is; opens the capture.
    func bluetooth() throws(IOError) -> Bluetooth {
        .hci(
            HCIConfiguration(
                transport, store: store, pairing: pairing,
                capture: try capturePath.map(BtsnoopWriter.capture(at:))))
    }
}
