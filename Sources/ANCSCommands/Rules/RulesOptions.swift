internal import ANCSService

/// What `ancs rules` was told on the command line.
struct RulesOptions: Hashable, Sendable {
    static let syntax = CommandSyntax(
        command: "rules",
        summary: """
            'test' says which rule of the configuration takes a record and why the others do not, and
            what would be fetched of it. RECORD is an object as 'ancs receive --json' prints it; without
            one, or with '-', each line of standard input is. Lines about other things than
            notifications are passed over.
            """,
        operands: "test [RECORD|-]", operandCount: 1...2,
        operandValues: [.word("ACTION", ["test"]), .text("RECORD")],
        options: [
            .init(
                "--config", .file(),
                "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml)"),
            .init("--system", nil, "the configuration of the system: \(systemPath)"),
            .init(
                "--phone", .text("NAME"), "what the phone is called, for rules that look at that"),
            .init(
                "--at", .text("TIME"),
                "the local time at which it comes, such as \"fri 22:15\" (default: now)"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    private static let systemPath = ServiceConfiguration.systemPath

    /// The record, `nil` for standard input.
    var record: String?
    var configuration: ConfigurationFile
    var phoneName: String?
    /// `nil` for now.
    var time: LocalTime?
    var isJSON: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        guard arguments.operands.first == "test" else {
            throw .init(
                message: "'\(arguments.operands.first ?? "")' is not an action of 'ancs rules': "
                    + Self.syntax.usage)
        }
        let operand = arguments.operands.dropFirst().first
        record = operand == "-" ? nil : operand
        configuration = try ConfigurationFile(arguments, environment: environment)
        phoneName = arguments["--phone"]
        time = try arguments["--at"].map { text throws(CommandSyntax.UsageError) in
            guard let time = LocalTime(text) else {
                throw .init(
                    message: "--at takes a day and a time such as \"fri 22:15\", not '\(text)'")
            }
            return time
        }
        isJSON = arguments.has("--json")
    }
}

/// Which configuration file a command reads.
struct ConfigurationFile: Hashable, Sendable {
    var path: String
    /// Whether the user has named it, so that it has to be there.
    var isNamed: Bool

    /// Of `--config` and `--system`, or where it is if nothing was said.
    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        if let path = arguments["--config"] {
            guard !path.isEmpty else { throw .init(message: "--config takes a file") }
            self.path = path
            isNamed = true
            return
        }
        isNamed = false
        if arguments.has("--system") {
            path = ServiceConfiguration.systemPath
            return
        }
        guard let path = ServiceConfiguration.userPath(environment: environment) else {
            throw .init(
                message: "there is no home directory to read a configuration in: use --config")
        }
        self.path = path
    }

    /// The configuration.
    func parsed() throws(ConfigurationFaults) -> ServiceConfiguration {
        try ServiceConfiguration(file: path, mustExist: isNamed)
    }

    /// The configuration, or `nil` after its faults were written to standard error.
    func read() -> ServiceConfiguration? {
        do throws(ConfigurationFaults) { return try parsed() } catch {
            for line in error.lines { StandardStreams.writeError(line) }
            return nil
        }
    }
}

extension LocalTime {
    /// Reads `fri 22:15`.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2,
            let day = Weekday.allCases.first(where: { $0.description == words[0] }),
            let minute = TimeOfDay.minute(words[1]), minute < 1440
        else { return nil }
        self.init(weekday: day, minute: minute)
    }
}
