internal import ANCSKit
internal import ANCSService

/// What `ancs serve` was told on the command line.
struct ServeOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "serve",
        summary: """
            Receives the notifications of iPhones and does something with them: shows them on the desktop,
            keeps them, runs programs, and lets other programs ask. It runs until it is interrupted; 'ancs
            pair' pairs a phone with it, 'ancs status' says how it is, and 'ancs doctor' why nothing comes.

            Everything has a default, so that it needs no configuration. SIGHUP reads the configuration
            again; one with a fault is refused, and the one before goes on.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init(
                "--config", "FILE",
                "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                    + "\(ServiceConfiguration.systemPath))"),
            .init("--check", nil, "only say what is wrong with the configuration"),
            .init(
                "--system", nil,
                "serve the whole machine, as a gateway without a desktop: the system's bus"),
            .init(
                "--state", "DIR",
                "where bonds, mutes and the history are (default: $STATE_DIRECTORY or "
                    + "$XDG_STATE_HOME/ancs)"),
            .init("--help", nil, "this text"),
        ])

    var configurationPath: String
    /// Whether the file was named, so that it has to be there.
    var isPathGiven: Bool
    var isCheck: Bool
    var isSystem: Bool
    var stateDirectory: String

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        isCheck = arguments.has("--check")
        isSystem = arguments.has("--system")
        isPathGiven = arguments["--config"] != nil
        let usual =
            isSystem
            ? ServiceConfiguration.systemPath
            : ServiceConfiguration.userPath(environment: environment)
        guard let path = arguments["--config"] ?? usual else {
            throw .init(
                message: "there is no home directory to find a configuration in: use --config FILE")
        }
        configurationPath = path
        // systemd gives a unit its directory, or several.
        let given = environment["STATE_DIRECTORY"].flatMap { $0.split(separator: ":").first }
        if let given, arguments["--state"] == nil {
            stateDirectory = String(given)
        } else {
            stateDirectory = try arguments.stateDirectory(environment: environment)
        }
    }
}
