internal import Terminal
internal import ANCSService
internal import ANCSKit
internal import LinuxIO

/// The command line of `ancs phone`.
struct PhoneOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "phone",
        summary: """
            Simulates an iPhone: looks for accessories that ask for ANCS, pairs with them and sends them
            notifications. A scenario, whose format Scenarios.md of the documentation describes, says what
            the phone does and what the accessory should do. Without one, the command reads commands
            from standard input: 'help' lists them.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .hci,
            .init("--scenario", .file(), "run a scenario, and exit with status 1 if it fails"),
            .init("--junit", .file(), "write the result of the scenario as JUnit XML"),
            .init("--limit", .text("SECONDS"), "end the scenario after so long, 1 to 1000000"),
            .init("--name", .text("NAME"), "the name of the phone (default: iPhone)"),
            .init(
                "--state", .directory, "keep bonds in DIR; without it they are forgotten at the end"
            ),
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
                "when to pair: needed (default), connection or never"),
            .init("--pair-again", nil, "pair again with an accessory that has lost its keys"),
            .init("--no-consent", nil, "Share System Notifications is off until 'consent on'"),
            .init("--mtu", .text("N"), "the largest ATT_MTU, 23 to 517 (default: 517)"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .init("--verbose", nil, "print every event on standard error"),
            .help,
        ])

    var transport: TransportMoniker
    var scenarioPath: String?
    var reportPath: String?
    /// The longest time that the scenario may take; `nil` leaves it to the file.
    var limit: Duration?
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
            throw .init(message: "--junit needs --scenario FILE")
        }
        limit = try arguments.integer("--limit", in: 1...1_000_000).map { .seconds($0) }
        guard limit == nil || scenarioPath != nil else {
            throw .init(message: "--limit needs --scenario FILE")
        }
        name = arguments["--name"] ?? "iPhone"
        guard (1...248).contains(name.utf8.count), TerminalText.visible(name) == name else {
            throw .init(message: "--name takes 1 to 248 octets without control characters")
        }
        stateDirectory = arguments["--state"]
        guard stateDirectory != "" else {
            throw .init(message: "--state takes a directory, not an empty path")
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

    /// The configuration of the phone.
    var configuration: ProviderConfiguration {
        ProviderConfiguration(
            name: name, allowedAccessories: accessories, maximumAccessories: maximumAccessories,
            pairing: pairing, grantsConsent: hasConsent, maximumMTU: maximumMTU)
    }

    /// The Bluetooth configuration of the phone. Opens the capture and names the bond store.
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
