internal import ANCSService
package import CommandKit

/// The command line of `ancs serve`.
package struct ServeOptions: Sendable {
    package static let syntax = CommandSyntax(
        command: "serve",
        summary: """
            Receives the notifications of iPhones, shows them on the desktop, keeps a history, runs programs,
            publishes them over MQTT, and answers other programs over D-Bus. It runs until it is
            interrupted. 'ancs pair' pairs a phone with it, 'ancs status' shows its state, and 'ancs doctor'
            finds out why no notifications arrive.

            It needs no configuration: everything has a default. SIGHUP reads the configuration again; if
            it is invalid, the previous one stays in use.
            """,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--config", .file(),
            "the configuration (default: $XDG_CONFIG_HOME/ancs/config.toml; with --system "
                + "\(ServiceConfiguration.systemPath))"),
        .flag(
            "--check", \.isCheck,
            "check the configuration and the programs that it names, and exit"),
        .flag(
            "--system", \.isSystem,
            "serve the whole machine, as a gateway without a desktop, on the system bus"),
        .init(
            "--state", .directory,
            "the directory of bonds, mutes and the history (default: $STATE_DIRECTORY, else "
                + "$XDG_STATE_HOME/ancs, with --system /var/lib/ancs)"),
        .help,
    ]

    var configuration: ConfigurationFile
    var isCheck = false
    var isSystem = false
    var stateDirectory = ""
    /// Which bonds of bluetoothd make a device a phone, unless the configuration says it.
    var standardBonds = BondPolicy.any

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String],
        hasTerminal: Bool = false
    ) throws(CommandSyntax.UsageError) {
        configuration = try ConfigurationFile(arguments, environment: environment)
        try arguments.read(Self.table, into: &self)
        if let word = environment["ANCS_BONDS"] {
            guard let bonds = BondPolicy(rawValue: word) else {
                let words = BondPolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw .init(message: "$ANCS_BONDS is '\(word)': use one of \(words)")
            }
            standardBonds = bonds
        } else if hasTerminal, !isSystem {
            standardBonds = .ask
        }
        // systemd passes the unit's directory, or several separated by colons.
        let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if arguments["--state"] == nil, let standard = given ?? (isSystem ? "/var/lib/ancs" : nil) {
            stateDirectory = standard
        } else {
            stateDirectory = try arguments.stateDirectory(environment: environment)
        }
    }
}
