internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

/// What `ancs advertise` was told on the command line.
struct AdvertiseOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "advertise",
        summary: """
            Shows what of a name and service UUIDs fits into an advertisement, octet by octet; with
            --hci, advertises that, serves what --publish describes, and tells what happens.

            An advertisement has 31 octets: what does not fit is shortened (the name) or goes to the
            overflow area (service UUIDs), where only a scanner finds them that asks for them.

            While it runs, lines on standard input are commands: 'update UUID VALUE' (text in quotes,
            or 0x and octets), 'background on|off', 'start', 'stop', and the answers to pairing:
            'yes', 'no' or six digits, or 'confirm yes|no' and 'passkey N'.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init(
                "--hci", .moniker,
                "the controller, or none to see what fits: \(TransportMoniker.allowedForms) "
                    + "(default: $ANCS_HCI)"),
            .init("--name", .text("NAME"), "the local name; none unless given"),
            .init(
                "--service", .text("UUID"),
                "a service, the most important one first; as often as you like "
                    + "(default: those of --publish)", repeats: true),
            .init(
                "--solicit", .text("UUID"),
                "a service that a peer should have; as often as you like", repeats: true),
            .init(
                "--appearance", .text("N"), "what the device looks like, such as 0x00C1 for a watch"
            ),
            .init("--background", nil, "advertise as a program that nobody looks at"),
            .init("--time-limit", .text("S"), "stop advertising after S seconds, and end"),
            .init("--keep-advertising", nil, "go on when a peer connects"),
            .init("--publish", .file(), "serve the services that a JSON file describes"),
            .init(
                "--io", .word("ABILITY", PairingAbility.words),
                "for pairing: \(PairingAbility.options) (default: none)"
            ),
            .init(
                "--require", .list(RequiredProtection.words),
                "protection that pairing and bonds must have: \(RequiredProtection.options)"),
            .init("--state", .directory, "where bonds are kept (default: $XDG_STATE_HOME/ancs)"),
            .snoop("write the HCI packets to a btsnoop capture"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    /// What is needed to be on air.
    struct Air: Sendable {
        var transport: TransportMoniker
        var stateDirectory: String
    }

    var wanted: AdvertisementPlan.Wanted
    var publication: Publication
    /// `nil`: only show what fits.
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
        // What the daemon uses is no reason to go on air.
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

    /// Decimal, or hexadecimal after `0x`.
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
