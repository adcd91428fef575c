internal import ANCSMedia
internal import DeviceCommandKit
internal import HCITransports

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
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--bluez", .init("ADAPTER", Kind.adapterOfBluetoothd.schema.word),
            "an adapter of bluetoothd: hci0, an address such as 00:1A:7D:DA:71:13, or any (default)"
        ),
        .init(
            "--hci", .moniker,
            "a controller for this program alone: \(TransportMoniker.allowedForms) "
                + "(default: $ANCS_HCI, unless --bluez is given)"),
        .init(
            "--name", "NAME", .deviceName, replacing: \.name,
            "the name that the iPhone shows (default: that of this machine, on air only while phones may pair)"
        ),
        .init(
            "--io", .init("ABILITY", Kind.ability.schema.word),
            "for pairing with --hci: \(Kind.ability.expected) (default: keyboard-display at a "
                + "terminal, otherwise none)"),
        .init(
            "--require", .init("LIST", Kind.protection.schema.word),
            "protection that pairing and bonds must have: \(Kind.protection.expected); with "
                + "bluetoothd only none and authentication. Unless it is none, a new phone needs "
                + "authentication where you can answer: at a terminal, or with --io"),
        .flag(
            "--texts-on-bus", \.allowsTextsOnBus,
            "with bluetoothd: let texts come over the system bus, where every user of this machine can "
                + "read them, if bluetoothd does not give them to this program alone"),
        .init(
            "--bonds", "POLICY", .word, into: \.bonds,
            "with bluetoothd: which devices that are paired are phones: those that this program has paired, "
                + "and ask about the others (default at a terminal), any (default elsewhere), or accepted, "
                + "which asks nothing"),
        .init("--pair", nil, "let phones pair while this command runs, with --hci"),
        .init(
            "--face", "FACE", .word, replacing: \.face,
            "what to show while phones may pair: solicitation (default), or heart-rate, the UUID of a "
                + "heart rate monitor, with --hci; it has not been tried with an iPhone"),
        .init(
            "--attributes", "LIST", .attributes, replacing: \.attributes,
            "what to fetch: \(attributeNames), or none; title:64 limits a text to 64 octets"),
        .init(
            "--pre-existing", "POLICY", .policy, replacing: \.preExisting,
            "of the notifications that were there before: all (default), headers or none"),
        .flag(
            "--media", \.hasMedia,
            "also print what is playing on the phone, and take play, pause, next, previous, + and - on "
                + "standard input"),
        .init(
            "--phones", "N", .integer(in: 1...16), into: \.phones,
            "how many phones may be connected at once (default: 4)"),
        .init(
            "--probe", "S", Kind.integer(in: 0...1_000_000).map(probing), replacing: \.probing,
            "check that a phone still answers after S seconds without traffic (default: 900); "
                + "0 for never"),
        .init(
            "--remember", nil,
            "mark notifications that an earlier session has shown, by keyed digests"),
        .init(
            "--strip-bidi", nil,
            "of version 0.1; changes nothing, as text for people has no marks of direction"),
        .init(
            "--count", "N", .integer(in: 1...Int(Int32.max)), into: \.count,
            "exit after N notifications were added"),
        .init(
            "--timeout", "S", .someSeconds, into: \.timeout,
            "exit after S seconds, with status 1 if --count was not reached"),
        .init(
            "--state", "DIR", .directory, into: \.stateDirectory,
            "the directory of bonds and which are accepted, of what ended bluetoothd, and of the digests of --remember "
                + "(default: $XDG_STATE_HOME/ancs)"),
        .init(
            "--snoop", .file(),
            "write the HCI packets to a btsnoop capture, with --hci; it contains texts and keys",
            isWritten: true),
        .snoopRedacted(), .json(\.isJSON),
        .flag("--verbose", \.isVerbose, "explain every stage on standard error"), .help,
    ]

    private static func probing(every seconds: Int) -> ConsumerSession.Probing? {
        guard seconds > 0 else { return nil }
        var probing = ConsumerSession.Probing()
        probing.interval = .seconds(seconds)
        return probing
    }

    fileprivate static let attributes: [(String, NotificationAttributeRequest)] = [
        ("app", .appIdentifier), ("title", .title), ("subtitle", .subtitle), ("message", .message),
        ("messageSize", .messageSize), ("date", .date), ("positive", .positiveActionLabel),
        ("negative", .negativeActionLabel),
    ]

    fileprivate static var attributeNames: String { attributes.map(\.0).joined(separator: ",") }

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
        var capturePlace: CapturePlace?
        var stateDirectory: String
    }

    var place: Place
    var name = HostName.forPhones
    /// Whether the user has chosen the name.
    private var isNameGiven = false
    var face = ConsumerConfiguration.Face.solicitation
    var attributes = NotificationAttributeRequest.all
    var preExisting = NotificationFeed.PreExistingPolicy.all
    /// How many phones may be connected at once; `nil` if that was not said.
    var phones: Int?
    var probing: ConsumerSession.Probing? = ConsumerSession.Probing()
    /// The directory in which deliveries are remembered; `nil` remembers nothing.
    var memoryDirectory: String?
    /// The directory in which it is kept what ended bluetoothd; `nil` keeps that for this run only.
    var stateDirectory: String?
    var allowsTextsOnBus = false
    /// Which bonds of bluetoothd make a device a phone; `nil` if that was not said.
    var bonds: BondPolicy?
    /// The same, where it was not said.
    private let standardBonds: BondPolicy
    /// Whether to use the phones' media.
    var hasMedia = false
    var count: Int?
    var timeout: Duration?
    var isJSON = false
    var isVerbose = false

    /// Parses a command line. `hasTerminal` says whether a person types on standard input.
    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String],
        hasTerminal: Bool = false
    ) throws(CommandSyntax.UsageError) {
        standardBonds = hasTerminal ? .ask : .any
        place = try Self.place(
            arguments, environment: environment,
            ability: hasTerminal ? .keyboardDisplay : .noInputNoOutput)
        try arguments.read(Self.table, into: &self)
        isNameGiven = arguments.has("--name")
        if arguments.has("--strip-bidi") {
            FormerWord.used("--strip-bidi", "leave it out, it changes nothing")
        }
        memoryDirectory =
            arguments.has("--remember")
            ? try arguments.stateDirectory(environment: environment) : nil
        stateDirectory = stateDirectory ?? StateDirectory.standard(environment: environment)
        switch place {
        case .bluez:
            if let fault = face.faultWithBluetoothd {
                throw .init(message: "--face works with --hci only: \(fault)")
            }
        case .hci where allowsTextsOnBus:
            throw .init("--texts-on-bus works with bluetoothd only: with --hci, texts cross no bus")
        case .hci where bonds != nil:
            throw .init(
                "--bonds works with bluetoothd only: with --hci, all bonds are this program's")
        case .hci: break
        }
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
                "--bluez and --hci exclude each other: bluetoothd shares its adapters, and "
                    + "--hci takes a controller for itself")
        }
        let ability = try arguments.value("--io", .ability) ?? standard
        return .hci(
            Controller(
                transport: transport, ability: ability,
                requiredProtection: try required(arguments, with: ability),
                isPairingOpen: arguments.has("--pair"), capturePlace: try arguments.capturePlace(),
                stateDirectory: try arguments.stateDirectory(environment: environment)))
    }

    /// The protection of `--require`, which the abilities can meet.
    private static func required(
        _ arguments: CommandSyntax.Arguments, with ability: PairingAbility
    ) throws(CommandSyntax.UsageError) -> RequiredProtection {
        let protection = try arguments.value("--require", .protection) ?? RequiredProtection()
        try protection.check(with: ability)
        return protection
    }

    /// The options for an adapter of bluetoothd. Options about what bluetoothd itself decides are refused.
    private static func bluez(
        _ arguments: CommandSyntax.Arguments, ability: PairingAbility
    ) throws(CommandSyntax.UsageError) -> Place {
        let capture = "'btmon -w FILE' captures what bluetoothd does, and 'ancs decode' reads it"
        let reasons = [
            ("--io", "with bluetoothd, pairing asks its questions in the terminal"),
            ("--pair", "to pair another phone with bluetoothd, type 'pair' while this runs"),
            ("--snoop", capture), ("--snoop-redacted", capture),
        ]
        for (option, reason) in reasons where arguments.has(option) {
            throw .init(message: "\(option) works with --hci only: \(reason)")
        }
        let required = try required(arguments, with: ability)
        guard required == RequiredProtection(authentication: required.authentication) else {
            throw .init(
                "--require takes only none or authentication with bluetoothd, which decides "
                    + "about the rest, by /etc/bluetooth/main.conf")
        }
        let adapter = try arguments.value("--bluez", .adapterOfBluetoothd) ?? "any"
        return .bluez(adapter: adapter, ability: ability, authentication: required.authentication)
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
                textsOnBus: allowsTextsOnBus, bonds: bonds ?? standardBonds, state: stateDirectory)
        case .hci(let controller):
            .hci(
                HCIConfiguration(
                    controller.transport, store: BondStore(directory: controller.stateDirectory),
                    pairing: controller.pairing,
                    capture: try controller.capturePlace.map(BtsnoopWriter.capture(at:))))
        }
    }

    /// The configuration of the consumer.
    var configuration: ConsumerConfiguration {
        var configuration = ConsumerConfiguration(name: name, attributes: attributes)
        configuration.face = face
        configuration.showsNameAlways = isNameGiven
        configuration.preExisting = preExisting
        configuration.maximumProviders = maximumProviders
        configuration.probing = probing
        if hasMedia { configuration.media = .init() }
        configuration.memory = memoryDirectory.map { MemoryStore(directory: $0) }
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

extension Kind<[NotificationAttributeRequest]> {
    /// A list such as `app,title:64,message`. The name of an app requires its identifier.
    fileprivate static let attributes: Kind = {
        let words = ReceiveOptions.attributes.map(\.0)
        return Kind(
            "attributes: " + words.listed, .list(of: .words(words + ["none"]))
        ) { value, mistakes in
            if value == ["none"] { return [] }
            var requests: [NotificationAttributeRequest] = []
            for word in value.array?.compactMap(\.string) ?? [] {
                guard let request = attribute(word, &mistakes) else { return nil }
                if !requests.contains(where: { $0.id == request.id }) { requests.append(request) }
            }
            return requests
        }
    }()

    private static func attribute(
        _ word: String, _ mistakes: inout [Mismatch]
    ) -> NotificationAttributeRequest? {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let known = ReceiveOptions.attributes.first(where: { $0.0 == parts[0] })?.1 else {
            let names = ReceiveOptions.attributeNames
            mistakes.append(Mismatch(.message("'\(word)' is not an attribute: \(names)")))
            return nil
        }
        guard parts.count == 2 else { return known }
        guard let maximum = UInt16(parts[1]),
            let request = try? NotificationAttributeRequest(known.id, maxLength: maximum)
        else {
            mistakes.append(
                Mismatch(
                    .message("'\(word)': title, subtitle and message take 1 to 65535 octets")))
            return nil
        }
        return request
    }
}

extension Kind<NotificationFeed.PreExistingPolicy> {
    fileprivate static let policy = Kind.word(
        of: [("all", .all), ("headers", .headers), ("none", .none)],
        renamed: ["deliver": "all", "ignore": "none"])
}
