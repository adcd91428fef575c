internal import DeviceCommandKit
internal import AccessoryConformance
internal import HCITransports
internal import LaboratoryCommands
internal import VirtualBluetooth

/// The command line of `ancs bench`.
struct BenchOptions: ScenarioOptions, Sendable {
    static let syntax = CommandSyntax(
        command: "bench",
        summary: """
            Tests an accessory that is a program, such as an emulated firmware: for each scenario, it provides
            two virtual controllers that hear each other, runs the program on one and a simulated iPhone on the
            other, and ends the program and all that it has started. It says which requirements the accessory breaks,
            and exits with status 1 if a run fails.

            In the words of the program, {tcp} is the place of its controller as HOST:PORT, {host} and {port}
            are its parts, {unix} is the path of a Unix socket and {pty} that of a serial port. All carry H4
            packets. {dir} is an empty directory for its files, such as its bonds. The program has no
            standard input; what it prints is shown if its run fails.

            SCENARIO is a name of --list, such as conformance, or a file.
            """,
        operands: "SCENARIO ... -- PROGRAM [ARGUMENT ...]", operandCount: 0...64,
        operandValues: [.scenario], options: table.map(\.syntax), runsProgram: true)

    private static let table: [CommandOption<Self>] = [
        .flag(
            "--list", \.isList,
            "list the scenarios by name, with how long each takes with 'ancs receive', and exit"),
        .init(
            "--like", "CAPTURE", .file, into: \.likePath,
            "let the phone do what the one in a capture did, after the scenarios"),
        .init(
            "--listen", .moniker,
            "the place of the controller, for a program that has it built in"),
        .flag(
            "--any-user", \.admitsAnyUser,
            "let every user of this machine connect to a TCP port of the controller (default: you and root)"
        ),
        .flag("--keep", \.isKept, "run the program once, for all scenarios, with one phone"),
        .init(
            "--repeat", "N", .integer(in: 1...10_000), replacing: \.repetitions,
            "run every scenario so often, each time with the next seed (default: 1)"),
        .seed(\.radio.seed), .loss(\.radio.path.loss), .order(\.abilities.packetOrder),
        .fade(\.radio.fades),
        .init(
            "--wait", "SECONDS", Kind.integer(in: 1...3600).map { .seconds($0) },
            replacing: \.patience,
            "how long the program may take to open its controller (default: 30)"),
        .limit, .junit, .report, .noContent, .content, .title, .noDate,
        .snoop(
            \.captureDirectory,
            "write the HCI packets of both controllers to captures in DIR, two for each run (with --keep one of the accessory)",
            .directory),
        .snoopRedacted(.directory),
        .json(\.isJSON),
        .flag("--verbose", \.isVerbose, "print every event, and all that the program prints"),
        .help,
    ]

    /// Whether the scenarios are listed, and nothing is run.
    var isList = false
    var scenarioPaths: [String]
    /// A capture whose phone is played, after the scenarios.
    var likePath: String?
    var program: [String]
    /// Where the program finds its controller.
    let place: BenchPlace
    /// Whether processes of any user, and from other machines, may connect to the controller.
    var admitsAnyUser = false
    var isKept = false
    var repetitions = 1
    var radio = RadioConfiguration(seed: .random(in: 0...0xFFFF_FFFF), timing: .connectionEvents)
    var abilities = VirtualControllerAbilities.bluetooth5_3
    var patience = Duration.seconds(30)
    var limit: Duration?
    var reports = ReportFiles()
    var captureDirectory: CapturePlace?
    var isJSON = false
    var isVerbose = false

    init(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        scenarioPaths = arguments.operands
        program = arguments.program
        if arguments.has("--list") {
            place = .tcp
            try arguments.read(Self.table, into: &self)
            if let word = scenarioPaths.first ?? program.first {
                throw .init(message: "--list runs nothing, so '\(word)' would have no effect")
            }
            return
        }
        likePath = arguments["--like"]
        guard !scenarioPaths.isEmpty || likePath != nil else {
            throw .init(
                "the scenario is missing, such as conformance; 'ancs bench --list' lists them")
        }
        guard !program.isEmpty else {
            throw .init(message: "the program is missing: name it, with its arguments, after '--'")
        }
        if let text = arguments["--listen"] {
            place = .fixed(try TransportMoniker(served: text))
        } else {
            place = try BenchPlace(of: program)
        }
        try arguments.read(Self.table, into: &self)
        try reports.check(arguments)
    }

    /// The files and names of what is played.
    var paths: [String] { scenarioPaths + [likePath].compactMap(\.self) }

    /// The scenarios, with the limit.
    func scenarios() throws(CommandSyntax.UsageError) -> [Scenario] {
        var scenarios: [Scenario] = []
        for (number, path) in paths.enumerated() {
            var scenario =
                try number < scenarioPaths.count ? Scenario(meantBy: path) : Scenario(like: path)
            guard scenario.accessories.count == 1 else {
                throw .init(
                    message: "\(path) needs \(scenario.accessories.count) accessories; a bench has "
                        + "one")
            }
            if let limit { scenario.timeout = min(scenario.timeout, limit) }
            scenarios.append(scenario)
        }
        return scenarios
    }
}
