internal import ANCSKit
internal import LinuxIO

/// What `ancs gatt` was told on the command line.
struct GATTCommandOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "gatt",
        summary: """
            Connects to a device, discovers what it has, and reads what can be read or does what the
            command says. PEER is an address or a name, exactly as 'ancs scan' shows it, or the identifier
            of a peer that is known in --state DIR. Whether an address is public or random is heard on air.

            Commands: \(commands.joined(separator: ", ")); 'prompt' reads such
            commands from standard input, and 'subscribe' shows values until it is interrupted.
            \(GATTOperation.legend)
            """,
        operands: "PEER [COMMAND ...]", operandCount: 1...4,
        operandValues: [.text("PEER"), .word("COMMAND", GATTOperation.words + ["prompt"])],
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

    /// What may stand behind PEER.
    private static let commands =
        GATTOperation.forms.map(\.form).filter { !["help", "quit"].contains($0) } + ["prompt"]

    /// What is done at the peer.
    enum Work: Hashable, Sendable {
        case operation(GATTOperation)
        /// What is read from standard input.
        case prompt
    }

    var peer: String
    var work: Work
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
        work = try Self.work(Array(arguments.operands.dropFirst()))
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

    private static func work(_ words: [String]) throws(CommandSyntax.UsageError) -> Work {
        if words.isEmpty { return .operation(.list) }
        if words == ["prompt"] { return .prompt }
        do throws(PromptFault) {
            let operation = try GATTOperation(words)
            switch operation {
            case .help, .quit:
                throw PromptFault(message: "'\(words[0])' is a command of the prompt")
            case .list, .read, .write, .subscribe, .unsubscribe, .rssi: return .operation(operation)
            }
        } catch { throw .init(message: error.message) }
    }

    /// Whether it goes on until it is interrupted.
    var isOpenEnded: Bool {
        switch work {
        case .operation(.subscribe), .prompt: true
        case .operation: false
        }
    }

    /// Where commands are typed, for a prompt.
    func console(on loop: EventLoop) -> (any Console)? {
        guard work == .prompt else { return nil }
        return TerminalConsole.isPossible && !isJSON
            ? TerminalConsole(on: loop, prompt: "gatt> ") : PlainConsole(on: loop)
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
