internal import ANCSService
package import CommandKit

/// The command line of `ancs doctor`.
package struct DoctorOptions: Equatable, Sendable {
    package static let syntax = CommandSyntax(
        command: "doctor",
        summary: """
            Finds out why no notifications arrive: checks the Bluetooth adapter, bluetoothd, the daemon, the
            iPhone's bond and link, the desktop, the configuration and the history, and reports the first
            fault with its remedy. It changes nothing, and works without the daemon.

            The exit status is 0 if there is no fault, 1 if there is one, and 3 if something could not be
            checked. With --bundle it is 0 once the archive is written.
            """,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .flag("--system", \.isSystem, "check the gateway's daemon, not yours"),
        .init(
            "--config", "FILE", .file, into: \.configuration,
            "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                + "\(ServiceConfiguration.systemPath))"),
        .init(
            "--state", "DIR", .anyDirectory, into: \.stateDirectory,
            "the directory of the history (default: $XDG_STATE_HOME/ancs; with --system "
                + "\(systemState))"),
        .init(
            "--bundle", "FILE", .file, into: \.bundle,
            "show what a report needs, and write it to FILE, a .tar.gz: numbers, and words from a list; no name, "
                + "address, path or text is in it, and nothing is sent", isWritten: true),
        .init(
            "--capture", "CAPTURE", .file, into: \.capture,
            "with --bundle: also what 'ancs decode --redact' makes of CAPTURE"),
        .json(\.isJSON, "one JSON object on standard output"), .help,
    ]

    /// The `StateDirectory` of the systemd unit.
    private static let systemState = "/var/lib/ancs"

    package var isSystem = false
    /// The path of the configuration; `nil` without a home directory.
    package var configuration: String?
    /// Whether the user named the configuration, so that it must exist.
    var isNamed = false
    var stateDirectory: String?
    /// The archive to write; `nil` for none.
    package var bundle: String?
    /// The capture that comes into it.
    package var capture: String?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        try arguments.read(Self.table, into: &self)
        guard bundle != nil || capture == nil else {
            throw .init(message: "--capture needs --bundle FILE")
        }
        guard bundle == nil || !isJSON else {
            throw .init("--bundle and --json exclude each other: the archive has JSON in it")
        }
        isNamed = configuration != nil
        if isSystem {
            configuration = configuration ?? ServiceConfiguration.systemPath
            stateDirectory = stateDirectory ?? Self.systemState
        } else {
            configuration = configuration ?? ServiceConfiguration.userPath(environment: environment)
            stateDirectory = stateDirectory ?? StateDirectory.standard(environment: environment)
        }
    }
}
