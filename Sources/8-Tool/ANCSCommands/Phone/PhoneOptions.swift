internal import AccessoryConformance
internal import DeviceCommandKit
internal import HCITransports

/// The command line of `ancs phone`.
struct PhoneOptions: ScenarioOptions, Sendable {
    static let syntax = CommandSyntax(
        command: "phone",
        summary: """
            Simulates an iPhone: looks for accessories that ask for ANCS, pairs with them and sends them
            notifications. A scenario, whose format Scenarios.md of the documentation describes, says what
            the phone does and what the accessory should do. Without one, the command reads commands
            from standard input: 'help' lists them.
            """,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .hci,
        .init(
            "--scenario", "SCENARIO", .scenario, into: \.scenarioPath,
            "run a scenario, and exit with status 1 if it fails: a name of 'ancs bench --list', or a file"
        ),
        .init(
            "--like", "CAPTURE", .file, into: \.likePath,
            "do what the phone in a capture did; see 'ancs decode --scenario'"),
        .init(
            "--grade", "WHAT", .word(of: [("link", Scenario.Grading.link)]), replacing: \.grading,
            "link: judge the advertising and the link of any accessory, which --accessory names; see LinkRequirements.md"
        ),
        .junit, .report, .noContent, .content, .title, .noDate, .limit,
        .init(
            "--name", "NAME", .deviceName, replacing: \.name,
            "the name of the phone (default: iPhone)"),
        .init(
            "--state", "DIR", .directory, into: \.stateDirectory,
            "keep bonds in DIR; without it they are forgotten at the end"),
        .init(
            "--accessory", "NAME", .text, appendingTo: \.accessories,
            "connect only to accessories with this name or address; may be repeated"),
        .init(
            "--links", "N", .integer(in: 1...1000), replacing: \.maximumAccessories,
            "serve up to N accessories at once, 1 to 1000 (default: 16)"),
        .io(\.ability), .require(\.requiredProtection),
        .init(
            "--pair", "WHEN", .word(of: pairings), into: \.givenPairing,
            "when to pair: needed (default), connection or never (default with --grade)"),
        .flag("--pair-again", \.pairsAgain, "pair again with an accessory that has lost its keys"),
        .flag(
            "--no-consent", \.hasConsent, is: false,
            "Share System Notifications is off until 'consent on'"),
        .init(
            "--mtu", "N", .integer(in: 23...517), replacing: \.maximumMTU,
            "the largest ATT_MTU, 23 to 517 (default: 517)"),
        .snoop(\.capturePlace), .snoopRedacted(), .json(\.isJSON),
        .flag("--verbose", \.isVerbose, "print every event on standard error"), .help,
    ]

    private static let pairings: [(String, ProviderConfiguration.Pairing)] = [
        ("needed", .whenNeeded), ("connection", .onConnection), ("never", .never),
    ]

    var transport: TransportMoniker
    var scenarioPath: String?
    var likePath: String?
    var reports = ReportFiles()
    var limit: Duration?
    var name = "iPhone"
    var stateDirectory: String?
    var accessories: [String] = []
    var maximumAccessories = 16
    var ability = PairingAbility.keyboardDisplay
    var requiredProtection = RequiredProtection()
    private var givenPairing: ProviderConfiguration.Pairing?
    /// When to pair: what is only graded is left alone.
    var pairing: ProviderConfiguration.Pairing {
        givenPairing ?? (grading == .nothing ? .whenNeeded : .never)
    }
    /// What to grade without a scenario.
    var grading = Scenario.Grading.nothing
    var pairsAgain = false
    var hasConsent = true
    var maximumMTU = 517
    var capturePlace: CapturePlace?
    var isJSON = false
    var isVerbose = false

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        transport = try arguments.transport(environment: environment)
        try arguments.read(Self.table, into: &self)
        guard scenarioPath == nil || likePath == nil else {
            throw .init(message: "--scenario and --like exclude each other")
        }
        let isRun = (scenarioPath ?? likePath) != nil || grading != .nothing
        for option in ["--junit", "--report", "--limit"] where arguments.has(option) && !isRun {
            throw .init(message: "\(option) needs --scenario SCENARIO or --grade link")
        }
        try reports.check(arguments)
        if grading != .nothing {
            guard scenarioPath == nil, likePath == nil else {
                throw .init("--grade and a scenario cannot be combined: a scenario has \"grade\"")
            }
            guard accessories.count == 1 else {
                throw .init(
                    "--grade link needs --accessory NAME, once: it connects to nothing else")
            }
        }
        try requiredProtection.check(with: ability)
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
            if let capturePlace { controller.capture = try .capture(at: capturePlace) }
        } catch { throw .transport(error) }
        return .hci(controller)
    }
}
