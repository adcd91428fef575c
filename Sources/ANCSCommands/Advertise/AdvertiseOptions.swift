internal import Terminal
internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

/// The command line of `ancs advertise`.
struct AdvertiseOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "advertise",
        summary: """
            Shows how a name and service UUIDs fit into an advertisement, octet by octet. With --hci, it
            advertises them, serves the services that --publish describes, and reports what happens.

            An advertisement has 31 octets. A name that does not fit is shortened; service UUIDs that do
            not fit go to the overflow area, where only a scanner that asks for them finds them.

            While it runs, lines on standard input are commands: 'update UUID VALUE' (text in quotes,
            or 0x and octets), 'background on|off', 'start', 'stop', and the answers to pairing:
            'yes', 'no' or six digits, or 'confirm yes|no' and 'passkey N'.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init(
                "--hci", .moniker,
                "the controller; without one, only show what fits: \(TransportMoniker.allowedForms) "
                    + "(default: $ANCS_HCI)"),
            .init("--name", .text("NAME"), "the local name (default: none)"),
            .init(
                "--service", .text("UUID"),
                "a service, the most important one first; may be repeated "
                    + "(default: those of --publish)", repeats: true),
            .init(
                "--solicit", .text("UUID"),
                "a service that a peer should have; may be repeated", repeats: true),
            .init(
                "--appearance", .text("N"), "what the device looks like, such as 0x00C1 for a watch"
            ),
            .init("--background", nil, "advertise as an app in the background does"),
            .init("--time-limit", .text("S"), "stop advertising after S seconds, and exit"),
            .init("--keep-advertising", nil, "keep advertising when a peer connects"),
            .init("--publish", .file(), "serve the services that a JSON file describes"),
            .init(
                "--io", .word("ABILITY", PairingAbility.words),
                "for pairing: \(PairingAbility.options) (default: none)"
            ),
            .init(
                "--require", .list(RequiredProtection.words),
                "protection that pairing and bonds must have: \(RequiredProtection.options)"),
            .init("--state", .directory, "the directory of bonds (default: $XDG_STATE_HOME/ancs)"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    /// What is needed to go on air.
    struct Air: Sendable {
        var transport: TransportMoniker
        var stateDirectory: String
    }

    var wanted: AdvertisementPlan.Wanted
    var publication: Publication
    /// `nil` to only show what fits.
    var air: Air?
    var ability: PairingAbility
    var requiredProtection: RequiredProtection
    var timeLimit: Duration?
    var stopsOnConnection: Bool
    var capturePath: String?
    var isJSON: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        publication = try arguments["--publish"].map(Publication.init(path:)) ?? Publication()
        var services = try arguments.uuids("--service")
        if services.isEmpty { services = publication.services.map(\.uuid) }
        wanted = AdvertisementPlan.Wanted(
            localName: try Self.name(arguments["--name"]), services: services,
            solicitedServices: try arguments.uuids("--solicit"),
            appearance: try Self.appearance(arguments["--appearance"]),
            isInBackground: arguments.has("--background"))
        air = try Self.air(arguments, environment: environment)
        ability = try PairingAbility(option: arguments["--io"] ?? "none")
        requiredProtection = try RequiredProtection(option: arguments["--require"], with: ability)
        timeLimit = try arguments.seconds("--time-limit")
        stopsOnConnection = !arguments.has("--keep-advertising")
        capturePath = arguments["--snoop"]
        isJSON = arguments.has("--json")
    }

    private static func air(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> Air? {
        // The controller of the daemon's configuration is not considered: it is not a request to go on air.
        guard let transport = try arguments.namedTransport(environment: environment) else {
            return nil
        }
        return Air(
            transport: transport,
            stateDirectory: try arguments.stateDirectory(environment: environment))
    }

    private static func name(_ text: String?) throws(CommandSyntax.UsageError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= 248, TerminalText.visible(text) == text else {
            throw .init(message: "--name takes at most 248 octets without control characters")
        }
        return text
    }

    /// Parses a decimal number, or a hexadecimal one after `0x`.
    private static func appearance(_ text: String?) throws(CommandSyntax.UsageError) -> UInt16? {
        guard let text else { return nil }
        let value =
            text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let value else {
            throw .init(
                message: "--appearance takes a number from 0 to 65535, or 0x0000 to 0xFFFF, "
                    + "not '\(text)'")
        }
        return value
    }
}
