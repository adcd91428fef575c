internal import BluetoothLE
package import CommandKit
internal import DeviceCommandKit
internal import HCITransports

/// The command line of `ancs advertise`.
package struct AdvertiseOptions: Sendable {
    package static let syntax = CommandSyntax(
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
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--hci", .moniker,
            "the controller; without one, only show what fits: \(TransportMoniker.allowedForms) "
                + "(default: $ANCS_HCI)"),
        .init(
            "--name", "NAME", .localName, into: \.wanted.localName,
            "the local name (default: none)"),
        .init(
            "--service", "UUID", .uuid, appendingTo: \.wanted.services,
            "a service, the most important one first; may be repeated "
                + "(default: those of --publish)"),
        .init(
            "--solicit", "UUID", .uuid, appendingTo: \.wanted.solicitedServices,
            "a service that a peer should have; may be repeated"),
        .init(
            "--appearance", "N", .appearance, into: \.wanted.appearance,
            "what the device looks like, such as 0x00C1 for a watch"),
        .flag(
            "--background", \.wanted.isInBackground,
            "advertise as an app in the background does"),
        .init(
            "--time-limit", "S", .someSeconds, into: \.timeLimit,
            "stop advertising after S seconds, and exit"),
        .flag(
            "--keep-advertising", \.stopsOnConnection, is: false,
            "keep advertising when a peer connects"),
        .init("--publish", .file(), "serve the services that a JSON file describes"),
        .io(\.ability, " (default: none)"), .require(\.requiredProtection),
        .init("--state", .directory, "the directory of bonds (default: $XDG_STATE_HOME/ancs)"),
        .snoop(\.capturePlace), .snoopRedacted(), .json(\.isJSON), .help,
    ]

    /// What is needed to go on air.
    struct Air: Sendable {
        var transport: TransportMoniker
        var stateDirectory: String
    }

    var wanted = AdvertisementPlan.Wanted()
    var publication: Publication
    /// `nil` to only show what fits.
    var air: Air?
    var ability = PairingAbility.noInputNoOutput
    var requiredProtection = RequiredProtection()
    var timeLimit: Duration?
    var stopsOnConnection = true
    var capturePlace: CapturePlace?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        publication = try arguments["--publish"].map(Publication.init(path:)) ?? Publication()
        try arguments.read(Self.table, into: &self)
        if wanted.services.isEmpty { wanted.services = publication.services.map(\.uuid) }
        if wanted.localName == "" { wanted.localName = nil }
        air = try Self.air(arguments, environment: environment)
        try requiredProtection.check(with: ability)
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
}

extension Kind<String> {
    fileprivate static let localName = Kind.described(
        "at most 248 octets without control characters"
    ) { $0.utf8.count <= 248 && TerminalText.visible($0) == $0 }
}

extension Kind<UInt16> {
    /// A decimal number, or a hexadecimal one after `0x`.
    fileprivate static let appearance = Kind.text(
        "a number from 0 to 65535, or 0x0000 to 0xFFFF"
    ) { $0.hasPrefix("0x") ? UInt16($0.dropFirst(2), radix: 16) : UInt16($0) }
}
