internal import ANCSKit
internal import ANCSService

/// The command line of `ancs doctor`.
struct DoctorOptions: Equatable, Sendable {
    static let syntax = CommandSyntax(
        command: "doctor",
        summary: """
            Finds out why no notifications arrive: checks the Bluetooth adapter, bluetoothd, the daemon, the
            iPhone's bond and link, the desktop, the configuration and the history, and reports the first
            fault with its remedy. It changes nothing, and works without the daemon.

            The exit status is 0 if there is no fault, 1 if there is one, and 3 if something could not be
            checked.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init("--system", nil, "check the gateway's daemon, not yours"),
            .init(
                "--config", .file(),
                "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                    + "\(ServiceConfiguration.systemPath))"),
            .init(
                "--state", .directory,
                "the directory of the history (default: $XDG_STATE_HOME/ancs; with --system "
                    + "\(systemState))"),
            .init("--json", nil, "one JSON object on standard output"),
            .help,
        ])

    /// The `StateDirectory` of the systemd unit.
    private static let systemState = "/var/lib/ancs"

    var isSystem: Bool
    /// The path of the configuration; `nil` without a home directory.
    var configuration: String?
    /// Whether the user named the configuration, so that it must exist.
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
