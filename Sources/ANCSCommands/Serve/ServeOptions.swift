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
                "--config", .file(),
                "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                    + "\(ServiceConfiguration.systemPath))"),
            .init("--check", nil, "only say what is wrong with the configuration"),
            .init(
                "--system", nil,
                "serve the whole machine, as a gateway without a desktop: the system's bus"),
            .init(
                "--state", .directory,
                "where bonds, mutes and the history are (default: $STATE_DIRECTORY, else "
                    + "$XDG_STATE_HOME/ancs, with --system /var/lib/ancs)"),
            .help,
        ])

    var configuration: ConfigurationFile
    var isCheck: Bool
    var isSystem: Bool
    var stateDirectory: String

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        isCheck = arguments.has("--check")
        isSystem = arguments.has("--system")
        configuration = try ConfigurationFile(arguments, environment: environment)
        // systemd gives a unit its directory, or several.
        let given = environment["STATE_DIRECTORY"].flatMap { $0.split(separator: ":").first }
        if let given, arguments["--state"] == nil {
            stateDirectory = String(given)
        } else if isSystem, arguments["--state"] == nil {
            stateDirectory = "/var/lib/ancs"
        } else {
            stateDirectory = try arguments.stateDirectory(environment: environment)
        }
    }
}
