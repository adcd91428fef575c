internal import ANCSReceiver
public import CommandKit
internal import DaemonCommands
internal import Glibc
internal import LaboratoryCommands

/// The command-line tool: finds a command and runs it.
public enum Tool: Sendable {
    /// One command of the tool.
    struct Command: Sendable {
        var syntax: CommandSyntax
        /// A description for the list of commands.
        var purpose: String
        /// Runs it with its arguments and the environment, on the loop of the program's first thread.
        var run:
            @Sendable (CommandSyntax.Arguments, [String: String], EventLoop)
                async throws(CommandSyntax.UsageError) -> ExitStatus
    }

    /// The commands by what they are for, as the help lists them.
    static let groups = [
        (title: "Receive", commands: receiving), (title: "The daemon", commands: daemon),
        (title: "Test an accessory", commands: testing), (title: "Tools", commands: tools),
    ]

    /// All commands, in the order in which they are listed.
    static let commands = groups.flatMap(\.commands)

    /// Used to build packages; not listed, because users do not need it.
    private static let generate = Command(
        syntax: GenerateCommand.syntax, purpose: "write completions and manual pages"
    ) { arguments, _, _ throws(CommandSyntax.UsageError) in try GenerateCommand.run(arguments) }

    /// Names of version 0.1 that have successors; not listed.
    static let former = [
        Command(
            ServiceCommands.apps, "list the apps that send notifications",
            asking: ServiceCommands.apps)
    ]

    /// From nothing to the first notification.
    private static let receiving = [
        Command(
            DemoOptions.syntax, "watch a virtual phone and a virtual accessory talk",
            reading: { arguments, _ throws(CommandSyntax.UsageError) in
                try DemoOptions(arguments)
            }, run: DemoCommand.run),
        Command(
            ReceiveOptions.syntax, "receive the notifications of an iPhone",
            reading: { arguments, environment throws(CommandSyntax.UsageError) in
                try ReceiveOptions(
                    arguments, environment: environment, hasTerminal: isatty(STDIN_FILENO) == 1)
            }, run: ReceiveCommand.run),
        Command(
            ServeOptions.syntax, "run the daemon: popups, rules, programs, history, MQTT",
            reading: { arguments, environment throws(CommandSyntax.UsageError) in
                try ServeOptions(
                    arguments, environment: environment, hasTerminal: isatty(STDIN_FILENO) == 1)
            },
            run: { options, loop in
                await ServeCommand.run(options, host: Bluetooth.ofDaemon, on: loop)
            }),
        Command(
            syntax: ServiceCommands.pair, purpose: "pair a phone with 'ancs serve'"
        ) { arguments, _, loop throws(CommandSyntax.UsageError) in
            try await PairCommand.run(arguments, on: loop)
        },
        Command(
            DoctorOptions.syntax, "find out why no notifications arrive",
            reading: DoctorOptions.init,
            run: { options, loop in
                guard let path = options.bundle else { return await DoctorCommand.run(options) }
                return await BundleCommand.run(options, path, on: loop)
            }),
    ]

    /// What 'ancs serve' does for its user.
    private static let daemon = [
        Command(
            ServiceCommands.status, "show the state of 'ancs serve' and its phones",
            asking: ServiceCommands.status),
        Command(
            ServiceCommands.list, "list the current notifications of the phones",
            asking: ServiceCommands.list),
        Command(
            ServiceCommands.watch, "show notifications as they arrive",
            asking: ServiceCommands.watch),
        Command(
            syntax: ServiceCommands.perform, purpose: "perform an action on a notification"
        ) { arguments, _, loop throws(CommandSyntax.UsageError) in
            try await ServiceCommands.perform(arguments, on: loop)
        },
        Command(syntax: ServiceCommands.mute, purpose: "mute an app, or list muted apps") {
            arguments, _, loop throws(CommandSyntax.UsageError) in
            try await ServiceCommands.mute(arguments, on: loop)
        },
        Command(
            ServiceCommands.forget, "forget a phone, its bond and its notifications",
            asking: ServiceCommands.forget),
        Command(
            HistoryOptions.syntax, "search past notifications, or remove them",
            reading: { arguments, environment throws(CommandSyntax.UsageError) in
                try HistoryOptions(arguments, environment: environment)
            }, run: { options, _ in HistoryCommand.run(options) }),
        Command(
            RulesOptions.syntax, "show which rule applies to a notification, and why",
            reading: RulesOptions.init, run: { options, _ in RulesCommand.run(options) }),
    ]

    /// The phone, and what an accessory needs without a radio.
    private static let testing = [
        Command(
            BenchOptions.syntax, "test an accessory that is a program, with no radio",
            reading: { arguments, _ throws(CommandSyntax.UsageError) in
                try BenchOptions(arguments)
            }, run: BenchCommand.run),
        Command(
            PhoneOptions.syntax, "simulate an iPhone, to test an accessory",
            reading: PhoneOptions.init, run: PhoneCommand.run),
        Command(
            ControllersOptions.syntax, "provide virtual Bluetooth controllers",
            reading: { arguments, _ throws(CommandSyntax.UsageError) in
                try ControllersOptions(arguments)
            }, run: ControllersCommand.run),
    ]

    /// Other uses of a device or a file.
    private static let tools = [
        Command(
            syntax: DecodeCommand.syntax,
            purpose: "explain a capture, or values of the ANCS characteristics"
        ) { arguments, _, _ throws(CommandSyntax.UsageError) in
            if let scenario = try DecodeCommand.scenario(arguments) { return try scenario.run() }
            if let redaction = try DecodeCommand.redaction(arguments) { return redaction.run() }
            return await DecodeCommand.run(
                path: arguments.operands.first ?? "-", isJSON: arguments.has("--json"),
                judgesAllLinks: try DecodeCommand.judgesAllLinks(arguments))
        },
        Command(
            ScanCommandOptions.syntax, "list nearby devices",
            reading: ScanCommandOptions.init, run: ScanCommand.run),
        Command(
            GATTCommandOptions.syntax,
            "list the services of a device, and read or write its values",
            reading: GATTCommandOptions.init, run: GATTCommand.run),
        Command(
            AdvertiseOptions.syntax, "plan an advertisement, and be the peripheral that sends it",
            reading: AdvertiseOptions.init, run: AdvertiseCommand.run),
        Command(
            BondsOptions.syntax, "show, remove or export bonds",
            reading: BondsOptions.init, run: { options, _ in BondsCommand.run(options) }),
    ]

    /// Runs a command line, given without the name of the program, on the calling thread. Returns the exit
    /// status.
    public static func run(_ arguments: [String], environment: [String: String]) -> ExitStatus {
        let status = carryOut(arguments, environment)
        return status == .success && WriteFailures.haveHappened ? .failure : status
    }

    private static func carryOut(
        _ arguments: [String], _ environment: [String: String]
    ) -> ExitStatus {
        guard let name = arguments.first else {
            let end = onLoop { loop throws(CommandSyntax.UsageError) in
                await Situation.show(on: loop)
                return .success
            }
            return (try? end.get()) ?? .failure
        }
        if name == "--version" {
            StandardStreams.writeLine("ancs \(ToolVersion.current)")
            return .success
        }
        do throws(CommandSyntax.UsageError) {
            if isHelp(name) {
                if arguments.dropFirst().elementsEqual(["--json"]) {
                    StandardStreams.writeLine(HelpJSON.value.text)
                    return .success
                }
                StandardStreams.write(try help(about: arguments.dropFirst().filter { !isHelp($0) }))
                return .success
            }
            let command = try command(named: name)
            let given = try command.syntax.parse(arguments.dropFirst())
            if given.has("--help") {
                StandardStreams.write(command.syntax.help(width: width))
                return .success
            }
            return try run(command, given, environment)
        } catch {
            for line in error.lines { StandardStreams.writeError(line) }
            return .usage
        }
    }

    /// Runs a command on a loop of the calling thread. Help and wrong usage need none.
    private static func run(
        _ command: Command, _ arguments: CommandSyntax.Arguments, _ environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> ExitStatus {
        try onLoop { loop throws(CommandSyntax.UsageError) in
            try await command.run(arguments, environment, loop)
        }.get()
    }

    private static func onLoop(
        _ body: @escaping @Sendable (EventLoop) async throws(CommandSyntax.UsageError) -> ExitStatus
    ) -> Result<ExitStatus, CommandSyntax.UsageError> {
        do throws(IOError) {
            return try EventLoop.run { loop in
                do throws(CommandSyntax.UsageError) {
                    let status = try await body(loop)
                    await StandardStreams.finish()
                    return .success(status)
                } catch { return .failure(error) }
            }
        } catch { return .success(ExitStatus.report(.transport(error))) }
    }

    private static func isHelp(_ word: String) -> Bool { ["help", "--help", "-h"].contains(word) }

    /// The command with a name. Throws an error with a suggestion if there is none.
    static func command(named name: String) throws(CommandSyntax.UsageError) -> Command {
        if let command = (commands + former + [generate]).first(where: { $0.name == name }) {
            return command
        }
        let isOption = name.hasPrefix("-")
        let known = isOption ? ["--help", "--version"] : commands.map(\.syntax.command) + ["help"]
        let advice =
            NearestWord.of(name, in: known).map { "did you mean '\($0)'?" } ?? "see 'ancs help'"
        let fault = isOption ? "an option without a command" : "a command"
        throw .init(message: "'\(name)' is not \(fault); \(advice)")
    }

    /// The help of a command, or of the tool if no command is named.
    static func help(about names: [String]) throws(CommandSyntax.UsageError) -> String {
        guard let name = names.first else { return help + "\n" }
        guard names.count == 1 else {
            throw .init(message: "unexpected '\(names[1])'; usage: ancs help [COMMAND]")
        }
        return try command(named: name).syntax.help(width: width)
    }

    /// The width of the help: that of the terminal, but at most 100 columns.
    private static var width: Int { min(StandardStreams.columns ?? 100, 100) }

    private static var help: String {
        let width = (commands.map(\.syntax.command.count).max() ?? 0) + 2
        let columns = Self.width
        let lines = groups.flatMap { title, commands in
            ["", title + ":"]
                + commands.flatMap { command in
                    let name = command.syntax.command
                    let gap = String(repeating: " ", count: width - name.count)
                    return FoldedLine.lines(of: "  \(name)\(gap)\(command.purpose)", width: columns)
                }
        }
        let closing = WrappedText.lines(
            of: "'ancs help COMMAND' explains a command; 'ancs help --json' has all of it, for "
                + "programs.",
            width: columns)
        return """
            usage: ancs COMMAND [options]
            \(lines.joined(separator: "\n"))

            \(closing.joined(separator: "\n"))
            """
    }
}

extension Tool.Command {
    /// A command with options of its own, which are read from its arguments.
    fileprivate init<Options: Sendable>(
        _ syntax: CommandSyntax, _ purpose: String,
        reading read:
            @escaping @Sendable (CommandSyntax.Arguments, [String: String])
            throws(CommandSyntax.UsageError) -> Options,
        run:
            @escaping @Sendable (Options, EventLoop) async throws(CommandSyntax.UsageError) ->
            ExitStatus
    ) {
        self.init(syntax: syntax, purpose: purpose) {
            arguments, environment, loop throws(CommandSyntax.UsageError) in
            try await run(try read(arguments, environment), loop)
        }
    }

    /// A command that asks the daemon.
    fileprivate init(
        _ syntax: CommandSyntax, _ purpose: String,
        asking ask:
            @escaping @Sendable (ServiceClient, CommandSyntax.Arguments)
            async
            throws(ServiceClient.Failure) -> Void
    ) {
        self.init(syntax: syntax, purpose: purpose) {
            arguments, _, loop throws(CommandSyntax.UsageError) in
            try await ServiceCommands.run(arguments, on: loop) {
                client throws(ServiceClient.Failure) in try await ask(client, arguments)
            }
        }
    }
}
