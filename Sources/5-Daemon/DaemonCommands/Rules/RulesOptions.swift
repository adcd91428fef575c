internal import ANCSService
package import CommandKit

/// The command line of `ancs rules`.
package struct RulesOptions: Equatable, Sendable {
    package static let syntax = CommandSyntax(
        command: "rules",
        summary: """
            'test' shows which rule of the configuration matches a record, why the others do not, and what
            would be fetched. RECORD is an object as 'ancs receive --json' prints it; without one, or
            with '-', the command reads one from each line of standard input. Lines that are not about
            notifications are ignored.
            """,
        operands: "test [RECORD|-]", operandCount: 1...2,
        operandValues: [.word("ACTION", ["test"]), .text("RECORD")],
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--config", .file(),
            "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml)"),
        .init("--system", nil, "use the configuration of the gateway: \(systemPath)"),
        .init(
            "--phone", "NAME", .text, into: \.phoneName,
            "the name of the phone, for rules that match it"),
        .init(
            "--at", "TIME", .text("a day and a time such as \"fri 22:15\"") { LocalTime($0) },
            into: \.time,
            "the local time at which the notification arrives, such as \"fri 22:15\" (default: now)"
        ),
        .json(\.isJSON), .help,
    ]

    private static let systemPath = ServiceConfiguration.systemPath

    /// The record; `nil` to read it from standard input.
    var record: String?
    var configuration: ConfigurationFile
    var phoneName: String?
    /// The time at which the rules are tested; `nil` for now.
    var time: LocalTime?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        guard arguments.operands.first == "test" else {
            throw .init(
                message: "'\(arguments.operands.first ?? "")' is not an action of 'ancs rules'; "
                    + Self.syntax.usage)
        }
        let operand = arguments.operands.dropFirst().first
        record = operand == "-" ? nil : operand
        configuration = try ConfigurationFile(arguments, environment: environment)
        try arguments.read(Self.table, into: &self)
    }
}

/// The configuration file that a command reads.
struct ConfigurationFile: Equatable, Sendable {
    var path: String
    /// Whether the user named the file, so that it must exist.
    var isNamed: Bool

    /// The file of `--config` or `--system`, otherwise the default one.
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
            throw .init("there is no home directory to find a configuration in: use --config")
        }
        self.path = path
    }

    /// Parses the configuration.
    func parsed() throws(ConfigurationFaults) -> ServiceConfiguration {
        try ServiceConfiguration(file: path, mustExist: isNamed)
    }

    /// Reads the configuration. Returns `nil` after writing its errors to standard error.
    func read() -> ServiceConfiguration? {
        do throws(ConfigurationFaults) { return try parsed() } catch {
            for line in error.lines { StandardStreams.writeError(line) }
            return nil
        }
    }
}

extension LocalTime {
    /// Parses a time such as `fri 22:15`.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2,
            let day = Weekday.allCases.first(where: { $0.description == words[0] }),
            let minute = TimeOfDay.minute(words[1]), minute < 1440
        else { return nil }
        self.init(weekday: day, minute: minute)
    }
}
