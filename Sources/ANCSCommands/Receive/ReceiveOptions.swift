internal import Terminal
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import LinuxIO

/// The command line of `ancs receive`.
struct ReceiveOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "receive",
        summary: """
            Receives the notifications of an iPhone: advertises as a Bluetooth accessory, pairs, and
            prints every notification. On the iPhone, open Settings > Bluetooth and choose the name.

            While it runs, lines on standard input are commands: 'perform UID positive',
            'perform UID negative', 'fetch UID', 'pair', and the answers to pairing: 'yes', 'no' or
            six digits. With several phones, the number of the session follows the UID.

            Without --hci and $ANCS_HCI it uses an adapter of bluetoothd, which it shares with keyboard, mouse
            and headset, and needs no privileges.

            Phones may pair until a phone with notifications is bonded. After that, to pair another
            phone, or one that has forgotten this device, type 'pair', or with --hci start with
            --pair. bluetoothd keeps the bond of a phone that has forgotten this device: first remove it
            with 'bluetoothctl remove ADDRESS'.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init(
                "--bluez", .adapter,
                "an adapter of bluetoothd: hci0, an address such as 00:1A:7D:DA:71:13, or any (default)"
            ),
            .init(
                "--hci", .moniker,
                "a controller for this program alone: \(TransportMoniker.allowedForms) "
                    + "(default: $ANCS_HCI, unless --bluez is given)"),
            .init("--name", .text("NAME"), "the name that the iPhone shows (default: ancs)"),
            .init(
                "--io", .word("ABILITY", PairingAbility.words),
                "for pairing with --hci: \(PairingAbility.options) (default: keyboard-display at a "
                    + "terminal, otherwise none)"
            ),
            .init(
                "--require", .list(RequiredProtection.words),
                "protection that pairing and bonds must have: \(RequiredProtection.options); with "
                    + "bluetoothd only none and authentication. Unless it is none, a new phone needs "
                    + "authentication where you can answer: at a terminal, or with --io"),
            .init(
                "--texts-on-bus", nil,
                "with bluetoothd: let texts come over the system bus, where every user of this machine can "
                    + "read them, if bluetoothd does not give them to this program alone"),
            .init("--pair", nil, "let phones pair while this command runs, with --hci"),
            .init(
                "--face", .word("FACE", ConsumerConfiguration.Face.words),
                "what to show while phones may pair: solicitation (default), or heart-rate, the UUID of a "
                    + "heart rate monitor, with --hci; it has not been tried with an iPhone"),
            .init(
                "--attributes", .list(attributes.map(\.0) + ["none"]),
                "what to fetch: \(attributeNames), or none; title:64 limits a text to 64 octets"),
            .init(
                "--pre-existing", .word("POLICY", ["deliver", "headers", "ignore"]),
                "notifications that were there before: deliver (default), headers or ignore"),
            .init(
                "--phones", .text("N"), "how many phones may be connected at once (default: 4)"),
            .init(
                "--probe", .text("S"),
                "check that a phone still answers after S seconds without traffic (default: 900); "
                    + "0 for never"),
            .init(
                "--remember", nil,
                "mark notifications that an earlier session has shown, by keyed digests"),
            .init("--strip-bidi", nil, "remove characters that change the direction of text"),
            .init("--count", .text("N"), "exit after N notifications were added"),
            .init(
                "--timeout", .text("S"),
                "exit after S seconds, with status 1 if --count was not reached"),
            .init(
                "--state", .directory,
                "the directory of bonds, of what ended bluetoothd, and of the digests of --remember "
                    + "(default: $XDG_STATE_HOME/ancs)"
            ),
            .snoop("write the HCI packets to a btsnoop capture, with --hci"),
            .init("--json", nil, "JSON Lines on standard output"),
            .init("--verbose", nil, "explain every stage on standard error"),
            .help,
        ])

    private static let attributes: [(String, NotificationAttributeRequest)] = [
        ("app", .appIdentifier), ("title", .title), ("subtitle", .subtitle), ("message", .message),
        ("messageSize", .messageSize), ("date", .date), ("positive", .positiveActionLabel),
        ("negative", .negativeActionLabel),
    ]

    private static var attributeNames: String { attributes.map(\.0).joined(separator: ",") }

    /// Which Bluetooth to use.
    enum Place: Equatable, Sendable {
        /// An adapter of bluetoothd, and how phones pair there.
        case bluez(
            adapter: String, ability: PairingAbility,
            authentication: RequiredProtection.Authentication?)
        /// A controller for the exclusive use of this program.
        case hci(Controller)
    }

    /// A controller, and how phones pair with it.
    struct Controller: Equatable, Sendable {
        var transport: TransportMoniker
        var ability: PairingAbility
        var requiredProtection: RequiredProtection
        var isPairingOpen: Bool
        var capturePath: String?
        var stateDirectory: String
    }

    var place: Place
    var name: String
    var face: ConsumerConfiguration.Face
    var attributes: [NotificationAttributeRequest]
    var preExisting: NotificationFeed.PreExistingPolicy
    /// How many phones may be connected at once; `nil` if that was not said.
    var phones: Int?
    var probing: ConsumerSession.Probing?
    /// The directory in which deliveries are remembered; `nil` remembers nothing.
    var memoryDirectory: String?
    /// The directory in which it is kept what ended bluetoothd; `nil` keeps that for this run only.
    var stateDirectory: String?
    var allowsTextsOnBus: Bool
    var removesDirections: Bool
    var count: Int?
    var timeout: Duration?
    var isJSON: Bool
    var isVerbose: Bool

    /// Parses a command line. `hasTerminal` says whether a person types on standard input.
    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String],
        hasTerminal: Bool = false
    ) throws(CommandSyntax.UsageError) {
        place = try Self.place(
            arguments, environment: environment,
            ability: hasTerminal ? .keyboardDisplay : .noInputNoOutput)
        name = arguments["--name"] ?? "ancs"
        guard (1...248).contains(name.utf8.count), TerminalText.visible(name) == name else {
            throw .init(message: "--name takes 1 to 248 octets without control characters")
        }
        face = try Self.face(arguments["--face"], at: place)
        attributes = try Self.attributes(arguments["--attributes"])
        preExisting = try Self.policy(arguments["--pre-existing"] ?? "deliver")
        phones = try arguments.integer("--phones", in: 1...16)
        probing = try Self.probing(arguments)
        memoryDirectory =
            arguments.has("--remember")
            ? try arguments.stateDirectory(environment: environment) : nil
        stateDirectory =
            arguments["--state"] ?? BondStore.defaultDirectory(environment: environment)
        allowsTextsOnBus = arguments.has("--texts-on-bus")
        if allowsTextsOnBus, case .hci = place {
            throw .init(
                message: "--texts-on-bus works with bluetoothd only: with --hci, texts cross no bus"
            )
        }
        removesDirections = arguments.has("--strip-bidi")
        count = try arguments.integer("--count", in: 1...Int(Int32.max))
        timeout = try arguments.seconds("--timeout")
        isJSON = arguments.has("--json")
        isVerbose = arguments.has("--verbose")
    }

    private static func place(
        _ arguments: CommandSyntax.Arguments, environment: [String: String],
        ability standard: PairingAbility
    ) throws(CommandSyntax.UsageError) -> Place {
        // An adapter of bluetoothd named for this command takes precedence over a controller from the
        // environment.
        let named = arguments["--bluez"] == nil ? environment : [:]
        guard let transport = try arguments.namedTransport(environment: named) else {
            return try bluez(arguments, ability: standard)
        }
        guard arguments["--bluez"] == nil else {
            throw .init(
                message:
                    "--bluez and --hci exclude each other: bluetoothd shares its adapters, and "
                    + "--hci takes a controller for itself")
        }
        let ability = try arguments["--io"].map(PairingAbility.init(option:)) ?? standard
        return .hci(
            Controller(
                transport: transport, ability: ability,
                requiredProtection: try RequiredProtection(
                    option: arguments["--require"], with: ability),
                isPairingOpen: arguments.has("--pair"), capturePath: arguments["--snoop"],
                stateDirectory: try arguments.stateDirectory(environment: environment)))
    }

    /// The options for an adapter of bluetoothd. Options about what bluetoothd itself decides are refused.
    private static func bluez(
        _ arguments: CommandSyntax.Arguments, ability: PairingAbility
    ) throws(CommandSyntax.UsageError) -> Place {
        let reasons = [
            ("--io", "with bluetoothd, pairing asks its questions in the terminal"),
            ("--pair", "to pair another phone with bluetoothd, type 'pair' while this runs"),
            (
                "--snoop",
                "'btmon -w FILE' captures what bluetoothd does, and 'ancs decode' reads it"
            ),
        ]
        for (option, reason) in reasons where arguments.has(option) {
            throw .init(message: "\(option) works with --hci only: \(reason)")
        }
        let required = try RequiredProtection(option: arguments["--require"], with: ability)
        guard required == RequiredProtection(authentication: required.authentication) else {
            throw .init(
                message:
                    "--require takes only none or authentication with bluetoothd, which decides "
                    + "about the rest, by /etc/bluetooth/main.conf")
        }
        if let directory = arguments["--state"], directory.isEmpty {
            throw .init(message: "--state takes a directory, not an empty path")
        }
        let adapter = arguments["--bluez"] ?? "any"
        guard Bluetooth.isAdapter(adapter) else {
            throw .init(
                message: "--bluez takes hci0, an address such as 00:1A:7D:DA:71:13, or any, not "
                    + "'\(adapter)'")
        }
        return .bluez(
            adapter: adapter, ability: ability, authentication: required.authentication)
    }

    private static func face(
        _ text: String?, at place: Place
    ) throws(CommandSyntax.UsageError) -> ConsumerConfiguration.Face {
        guard let text else { return .solicitation }
        guard let face = ConsumerConfiguration.Face(rawValue: text) else {
            let words = ConsumerConfiguration.Face.words.listed
            throw .init(message: "--face takes \(words), not '\(text)'")
        }
        if case .bluez = place, let fault = face.faultWithBluetoothd {
            throw .init(message: "--face works with --hci only: \(fault)")
        }
        return face
    }

    private static func policy(
        _ text: String
    ) throws(CommandSyntax.UsageError) -> NotificationFeed.PreExistingPolicy {
        switch text {
        case "deliver": .deliver
        case "headers": .headersOnly
        case "ignore": .ignore
        default:
            throw .init(message: "--pre-existing takes deliver, headers or ignore, not '\(text)'")
        }
    }

    private static func probing(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> ConsumerSession.Probing? {
        var probing = ConsumerSession.Probing()
        guard let seconds = try arguments.integer("--probe", in: 0...1_000_000) else {
            return probing
        }
        probing.interval = .seconds(seconds)
        return seconds == 0 ? nil : probing
    }

    /// Parses a list such as `app,title:64,message`. The name of an app requires its identifier.
    private static func attributes(
        _ list: String?
    ) throws(CommandSyntax.UsageError) -> [NotificationAttributeRequest] {
        guard let list else { return NotificationAttributeRequest.all }
        if list == "none" { return [] }
        var requests: [NotificationAttributeRequest] = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            let request = try attribute(word)
            if !requests.contains(where: { $0.id == request.id }) { requests.append(request) }
        }
        return requests
    }

    private static func attribute(
        _ word: Substring
    ) throws(CommandSyntax.UsageError) -> NotificationAttributeRequest {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let known = attributes.first(where: { $0.0 == parts[0] })?.1 else {
            throw .init(message: "'\(word)' is not an attribute: \(attributeNames)")
        }
        guard parts.count == 2 else { return known }
        guard let maximum = UInt16(parts[1]),
            let request = try? NotificationAttributeRequest(known.id, maxLength: maximum)
        else {
            throw .init(message: "'\(word)': title, subtitle and message take 1 to 65535 octets")
        }
        return request
    }

    /// Whether phones may pair for the whole run.
    var isPairingOpen: Bool {
        switch place {
        case .bluez: false
        case .hci(let controller): controller.isPairingOpen
        }
    }

    /// How many phones may be connected at once.
    var maximumProviders: Int { phones ?? ConsumerConfiguration.standardProviders }

    /// The Bluetooth configuration of the run. Opens the capture and names the bond store.
    func bluetooth() throws(IOError) -> Bluetooth {
        switch place {
        case .bluez(let adapter, let ability, let authentication):
            .bluez(
                adapter, ability: ability, authentication: authentication,
                textsOnBus: allowsTextsOnBus, state: stateDirectory)
        case .hci(let controller):
            .hci(
                HCIConfiguration(
                    controller.transport, store: BondStore(directory: controller.stateDirectory),
                    pairing: controller.pairing,
                    capture: try controller.capturePath.map(BtsnoopWriter.capture(at:))))
        }
    }

    /// The configuration of the consumer.
    var configuration: ConsumerConfiguration {
        var configuration = ConsumerConfiguration(name: name, attributes: attributes)
        configuration.face = face
        configuration.preExisting = preExisting
        configuration.maximumProviders = maximumProviders
        configuration.probing = probing
        configuration.memory = memoryDirectory.map { MemoryStore(directory: $0) }
        configuration.removesDirections = removesDirections
        return configuration
    }
}

extension ReceiveOptions.Controller {
    /// Whether and how phones pair.
    var pairing: PairingOptions {
        PairingOptions(
            ability: ability, window: isPairingOpen ? .open : .untilPhoneIsBonded,
            requiredProtection: requiredProtection)
    }
}
