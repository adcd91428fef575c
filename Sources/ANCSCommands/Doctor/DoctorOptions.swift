internal import ANCSKit
internal import ANCSService

/// What `ancs doctor` was told on the command line.
struct DoctorOptions: Hashable, Sendable {
    static let syntax = CommandSyntax(
        command: "doctor",
        summary: """
            Says why no notifications come: looks at the Bluetooth adapter, bluetoothd, the daemon,
            the iPhone's bond and link, the desktop, the configuration and the history, and names
            the first fault with its remedy. It changes nothing, and works without the daemon.

            It ends with status 0 where nothing is wrong, 1 where something is, and 3 where it
            could not look.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init("--system", nil, "look at the gateway's daemon, and not at yours"),
            .init(
                "--config", .file(),
                "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                    + "\(ServiceConfiguration.systemPath))"),
            .init(
                "--state", .directory,
                "where the history is kept (default: $XDG_STATE_HOME/ancs; with --system "
                    + "\(systemState))"),
            .init("--json", nil, "one JSON object on standard output"),
            .help,
        ])

    /// The unit's `StateDirectory`.
    private static let systemState = "/var/lib/ancs"

    var isSystem: Bool
    /// `nil` without a home directory.
    var configuration: String?
    /// Whether the configuration was named, so that it has to be there.
    var isNamed: Bool
    var stateDirectory: String?
    var isJSON: Bool

    init(_ arguments: CommandSyntax.Arguments, environment: [String: String]) {
        isSystem = arguments.has("--system")
        isJSON = arguments.has("--json")
        isNamed = arguments["--config"] != nil
        configuration =
            arguments["--config"]
            ?? (isSystem
                ? ServiceConfiguration.systemPath
                : ServiceConfiguration.userPath(environment: environment))
        stateDirectory =
            arguments["--state"]
            ?? (isSystem ? Self.systemState : BondStore.defaultDirectory(environment: environment))
    }
}
