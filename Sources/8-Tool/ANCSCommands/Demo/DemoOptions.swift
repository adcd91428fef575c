internal import DeviceCommandKit
internal import HCITransports
internal import AccessoryConformance

/// The command line of `ancs demo`.
struct DemoOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "demo",
        summary: """
            A virtual phone and a virtual accessory talk in this process, each on a Bluetooth controller in
            software. It needs no Bluetooth hardware, no files and no other programs. With --scenario, the phone
            follows your scenario, and the accessory is 'ancs receive'. With --desktop, the accessory is
            'ancs serve', which shows popups on your desktop, and you operate the phone at a prompt, as with
            'ancs phone'. It has its own state, in memory: your configuration, bonds and history are neither
            read nor written. Control-C ends it and closes its popups.
            """,
        operands: "", operandCount: 0...0,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--scenario", "SCENARIO", .scenario, into: \.scenarioPath,
            "follow this scenario instead, a name of 'ancs bench --list' or a file; its result is the exit status"
        ),
        .flag(
            "--desktop", \.isDesktop,
            "operate the phone at a prompt, and see its notifications as popups on your desktop"),
        .init(
            "--speed", "FACTOR", .number("a number from 0.1 to 1000000", in: 0.1...1_000_000),
            replacing: \.speed, "how fast time passes, from 0.1 to 1000000 (default: 1)"),
        .snoop(\.accessoryCapture, "write the accessory's HCI packets to a btsnoop capture"),
        .snoopRedacted(),
        .init(
            "--snoop-phone", "FILE", .file, into: \.phoneCapturePath,
            "the same for the phone's packets", isWritten: true),
        .json(
            \.isJSON, "JSON Lines on standard output; \"side\" says which side a line is from"),
        .help,
    ]

    var isDesktop = false
    var scenarioPath: String?
    var speed = 1.0
    var accessoryCapture: CapturePlace?
    private var phoneCapturePath: String?
    var phoneCapture: CapturePlace? { phoneCapturePath.map { CapturePlace(path: $0) } }
    var isJSON = false

    init(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        try arguments.read(Self.table, into: &self)
        let other = ["--scenario", "--speed", "--json"].first { arguments.has($0) }
        if isDesktop, let other {
            throw .init(
                message: "--desktop and \(other) exclude each other: with --desktop you operate "
                    + "the phone, in the time of the desktop")
        }
    }

    /// Whether the demo's own scenario is played.
    var isTour: Bool { scenarioPath == nil }

    /// The settings of the run. Creates the capture files.
    func settings(for scenario: Scenario? = nil) throws(IOError) -> DemoStage.Settings {
        var settings = DemoStage.Settings(clock: .virtual(speed: speed))
        if case .advertisedName(let name)? = scenario?.accessories.first?.identification {
            settings.accessoryName = name
        }
        settings.accessoryCapture = try accessoryCapture.map(BtsnoopWriter.capture(at:))
        settings.phoneCapture = try phoneCapture.map(BtsnoopWriter.capture(at:))
        return settings
    }

    /// How the run is shown on standard output.
    func view(_ settings: DemoStage.Settings) -> any DemoView {
        if isJSON { return DemoJSON() }
        return DemoPage(
            DemoPage.Place(
                width: StandardStreams.columns, isColored: StandardStreams.isColored,
                program: Environment.arguments.first ?? "ancs"),
            phone: settings.phoneName, accessory: settings.accessoryName, isTour: isTour)
    }

    /// The scenario of the file, or the demo's own.
    func scenario() throws(CommandSyntax.UsageError) -> Scenario {
        guard let scenarioPath else { return .demo }
        let scenario = try Scenario(meantBy: scenarioPath)
        guard scenario.accessories.count == 1 else {
            throw .init(
                message: "\(scenarioPath) needs \(scenario.accessories.count) accessories; "
                    + "the demo has one")
        }
        return scenario
    }
}

extension Scenario {
    /// The demo's own scenario, `Scenarios/demo.json`.
    static var demo: Scenario {
        guard let scenario = try? Scenario(named: "demo") else {
            preconditionFailure("Scenarios/demo.json is not a scenario")
        }
        return scenario
    }
}
