internal import ANCSService
internal import ANCSKit
internal import LinuxIO

/// What `ancs phone` was told on the command line.
struct PhoneOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "phone",
        summary: """
            Is an iPhone, as far as accessories can tell: looks for accessories that ask for ANCS,
            pairs with them and notifies them. A scenario says what it does and what the accessory
            should do; see Documentation/Scenarios.md. Without one, lines on standard input do:
            'help' lists them.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .hci,
            .init("--scenario", .file(), "run a scenario, and end with status 1 if it fails"),
            .init("--junit", .file(), "write the result of the scenario as JUnit's XML"),
            .init("--name", .text("NAME"), "the name of the phone (default: iPhone)"),
            .init(
                "--state", .directory, "keep bonds there; without it they are forgotten at the end"),
            .init(
                "--accessory", .text("NAME"),
                "connect only to accessories with this name or address; may be repeated",
                repeats: true),
            .init(
                "--links", .text("N"), "serve up to N accessories at once, 1 to 1000 (default: 16)"),
            .init(
                "--io", .word("ABILITY", PairingAbility.words),
                "for pairing: \(PairingAbility.options)"),
            .init(
                "--require", .list(RequiredProtection.words),
                "protection that pairing and bonds must have: \(RequiredProtection.options)"),
            .init(
                "--pair", .word("WHEN", ["needed", "connection", "never"]),
                "needed (default), connection or never"),
            .init("--pair-again", nil, "pair again with an accessory that has lost its keys"),
            .init("--no-consent", nil, "Share System Notifications is off until 'consent on'"),
            .init("--mtu", .text("N"), "the largest ATT_MTU, 23 to 517 (default: 517)"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .init("--verbose", nil, "tell every event on standard error"),
            .help,
        ])

    var transport: TransportMoniker
    var scenarioPath: String?
    var reportPath: String?
    var name: String
    var stateDirectory: String?
    var accessories: [String]
    var maximumAccessories: Int
    var ability: PairingAbility
    var requiredProtection: RequiredProtection
    var pairing: ProviderConfiguration.Pairing
    var pairsAgain: Bool
    var hasConsent: Bool
    var maximumMTU: Int
    var capturePath: String?
    var isJSON: Bool
    var isVerbose: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        transport = try arguments.transport(environment: environment)
        scenarioPath = arguments["--scenario"]
        reportPath = arguments["--junit"]
        guard reportPath == nil || scenarioPath != nil else {
            throw .init(message: "--junit reports on a scenario: --scenario FILE is missing")
        }
        name = arguments["--name"] ?? "iPhone"
        guard (1...248).contains(name.utf8.count), TerminalText.visible(name) == name else {
            throw .init(message: "--name takes 1 to 248 octets without control characters")
        }
        stateDirectory = arguments["--state"]
        guard stateDirectory != "" else {
            throw .init(message: "--state is empty: it says where bonds are kept")
        }
        accessories = arguments.all("--accessory")
        maximumAccessories = try arguments.integer("--links", in: 1...1000) ?? 16
        ability = try PairingAbility(option: arguments["--io"] ?? "keyboard-display")
        requiredProtection = try RequiredProtection(option: arguments["--require"], with: ability)
        pairing = try Self.pairing(arguments["--pair"] ?? "needed")
        pairsAgain = arguments.has("--pair-again")
        hasConsent = !arguments.has("--no-consent")
        maximumMTU = try arguments.integer("--mtu", in: 23...517) ?? 517
        capturePath = arguments["--snoop"]
        isJSON = arguments.has("--json")
        isVerbose = arguments.has("--verbose")
    }

    private static func pairing(
        _ text: String
    ) throws(CommandSyntax.UsageError) -> ProviderConfiguration.Pairing {
        switch text {
        case "needed": .whenNeeded
        case "connection": .onConnection
        case "never": .never
        default: throw .init(message: "--pair takes needed, connection or never, not '\(text)'")
        }
    }

    /// What the phone is told.
    var configuration: ProviderConfiguration {
        ProviderConfiguration(
            name: name, allowedAccessories: accessories, maximumAccessories: maximumAccessories,
            pairing: pairing, grantsConsent: hasConsent, maximumMTU: maximumMTU)
    }

    /// Where its Bluetooth is; opens the capture and names the bond store.
    func bluetooth() throws(DeviceError) -> Bluetooth {
        var controller = HCIConfiguration(
            transport, store: stateDirectory.map { BondStore(directory: $0, device: .phone) })
        controller.pairing.ability = ability
        controller.pairing.requiredProtection = requiredProtection
        controller.pairing.lostKeys = pairsAgain ? .pairAgain : .refuse
        do throws(IOError) {
            if let capturePath { controller.capture = try .capture(at: capturePath) }
        } catch { throw .transport(error) }
        return .hci(controller)
    }
}
