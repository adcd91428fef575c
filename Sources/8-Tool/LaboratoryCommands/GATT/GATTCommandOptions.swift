package import CommandKit
internal import DeviceCommandKit
internal import HCITransports

/// The command line of `ancs gatt`.
package struct GATTCommandOptions: Sendable {
    package static let syntax = CommandSyntax(
        command: "gatt",
        summary: """
            Connects to a device, discovers its services, and reads every readable value, or carries out a
            command. PEER is an address or a name, exactly as 'ancs scan' shows it, or the identifier of a
            peer that is known in --state DIR. Advertisements show whether an address is public or random.

            \(WrappedText.lines(of: commandLegend, width: 100).joined(separator: "\n"))
            \(GATTOperation.legend)
            """,
        operands: "PEER [COMMAND ...]", operandCount: 1...4,
        operandValues: [.text("PEER"), .word("COMMAND", GATTOperation.words + ["prompt"])],
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .hci, .bluez,
        .init(
            "--timeout", "S", .someSeconds, replacing: \.timeout,
            "how long to look for the device and connect (default: 30)"),
        .flag(
            "--pair", \.pairs,
            "pair if a value needs it, and continue; with --bluez, bluetoothd does so by itself"),
        .io(\.ability, " (default: yesno)"),
        .init(
            "--state", .directory,
            "act as the device of DIR, with its bonds (default: a new device); with --bluez, keep the identifiers "
                + "of devices in DIR"),
        .init(
            "--device", .init("DEVICE", Kind.device.schema.word),
            "which device of DIR: accessory (default) or phone"),
        .snoop(\.capturePlace), .snoopRedacted(), .json(\.isJSON), .help,
    ]

    /// The words that may follow PEER.
    private static let commands =
        GATTOperation.forms.map(\.form).filter { !["help", "quit"].contains($0) } + ["prompt"]
    private static let commandLegend =
        "Commands: \(commands.joined(separator: ", ")); 'prompt' reads commands from standard input, and "
        + "'subscribe' shows values until it is interrupted."

    /// What to do with the peer.
    enum Work: Equatable, Sendable {
        case operation(GATTOperation)
        /// Commands read from standard input.
        case prompt
    }

    var peer: String
    var work: Work
    var place: CentralPlace
    var timeout = Duration.seconds(30)
    var pairs = false
    var ability = PairingAbility.yesNo
    var store: BondStore?
    var stateDirectory: String?
    var capturePlace: CapturePlace?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        peer = arguments.operands.first ?? ""
        work = try Self.work(Array(arguments.operands.dropFirst()))
        place = try arguments.centralPlace(
            environment: environment,
            onlyWithHCI: [("--device", "bluetoothd is one device for all programs")])
        try arguments.read(Self.table, into: &self)
        guard pairs || arguments["--io"] == nil || !isAlone else {
            throw .init(message: "--io needs --pair")
        }
        let device = try arguments.value("--device", .device)
        stateDirectory = try arguments.value("--state", .directory)
        if let directory = stateDirectory {
            store = BondStore(directory: directory, device: device ?? .accessory)
        } else if device != nil {
            throw .init(message: "--device needs --state DIR")
        }
    }

    private static func work(_ words: [String]) throws(CommandSyntax.UsageError) -> Work {
        if words.isEmpty { return .operation(.list) }
        if words == ["prompt"] { return .prompt }
        do throws(PromptFault) {
            let operation = try GATTOperation(words)
            switch operation {
            case .help, .quit: throw PromptFault(message: "'\(words[0])' works at the prompt only")
            case .list, .read, .write, .subscribe, .unsubscribe, .rssi: return .operation(operation)
            }
        } catch { throw .init(message: error.message) }
    }

    /// Whether the command runs until it is interrupted.
    var isOpenEnded: Bool {
        switch work {
        case .operation(.subscribe), .prompt: true
        case .operation: false
        }
    }

    /// The console for the prompt, if there is one.
    func console(on loop: EventLoop) -> (any Console)? {
        guard work == .prompt else { return nil }
        return TerminalConsole.isPossible && !isJSON
            ? TerminalConsole(on: loop, prompt: "gatt> ") : PlainConsole(on: loop)
    }

    /// Whether and how to pair.
    var pairing: PairingOptions {
        PairingOptions(ability: ability, policy: pairs ? .whenNeeded : .never)
    }

    /// The Bluetooth configuration of the run. Opens the capture.
    func bluetooth() throws(IOError) -> Bluetooth {
        switch place {
        case .bluez(let adapter): .bluez(adapter, ability: ability, state: stateDirectory)
        case .hci(let moniker):
            .hci(
                HCIConfiguration(
                    moniker, store: store, pairing: pairing,
                    capture: try capturePlace.map(BtsnoopWriter.capture(at:))))
        }
    }

    /// Whether the command has a controller for itself.
    private var isAlone: Bool { if case .hci = place { true } else { false } }
}
