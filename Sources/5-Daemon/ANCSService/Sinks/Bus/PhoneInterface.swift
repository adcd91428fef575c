internal import AMS
package import ANCSEvents
package import DBus

/// A phone as an object on the bus.
struct BusPhone: Sendable {
    var status: PhoneStatus
    var control: any ServiceManagement
}

extension BusInterface<BusPhone> {
    static let phone = BusInterface(
        name: BusNames.phone,
        methods: [
            Method(
                name: "PairingQuestion", results: [Argument("kind", "s"), Argument("digits", "s")]
            ) { object, _ in
                let question = object.control.questions[object.status.phone.digest]
                return [
                    .string(question?.kind.rawValue ?? ""), .string(question?.digits ?? ""),
                ]
            },
            Method(name: "Battery", results: [Argument("percent", "y")]) { object, _, reply in
                object.control.battery(of: object.status.phone.digest) { level in
                    guard let level, let percent = UInt8(exactly: level) else {
                        return reply(
                            .failure(
                                ServiceError(
                                    .notConnected, "the charge of its battery is not known")))
                    }
                    reply(.success([.byte(percent)]))
                }
            },
            // Of an earlier version: it does not say which question was read.
            Method(name: "ConfirmPairing", arguments: [Argument("yes", "b")]) {
                object, values throws(ServiceError) in
                try object.answer(values.first?.bool == true ? .yes : .no, about: nil)
            },
            Method(
                name: "ConfirmDigits", arguments: [Argument("digits", "s"), Argument("yes", "b")]
            ) { object, values throws(ServiceError) in
                try object.answer(
                    values[1].bool == true ? .yes : .no, about: values[0].string ?? "")
            },
            Method(name: "EnterPasskey", arguments: [Argument("digits", "s")]) {
                object, values throws(ServiceError) in
                guard let digits = values.first?.string.flatMap({ SixDigits($0) }) else {
                    throw .invalid("a passkey must have six digits")
                }
                return try object.answer(.digits(digits), about: "")
            },
        ],
        properties: [
            Property(name: "Player", type: "a{sv}", isReported: false) {
                .options($0.status.player?.busValues ?? [:])
            },
            Property(name: "Digest", type: "s") { .string($0.status.phone.digest) },
            Property(name: "State", type: "s") { .string($0.status.state.rawValue) },
            Property(name: "Paired", type: "b") { .bool($0.status.isPaired) },
            Property(name: "Keys", type: "s") { .string($0.status.keys.rawValue) },
            Property(name: "Advice", type: "s") { .string(($0.status.advice ?? "").fitForBus) },
            Property(name: "Counts", type: "a{su}") { object in
                let counts = object.status.counts.map {
                    (BusValue.string($0.key), BusValue.uint32(UInt32(clamping: $0.value)))
                }
                return .dictionary(
                    Dictionary(uniqueKeysWithValues: counts), key: "s", value: "u")
            },
            Property(name: "Link", type: "(dudb)") { $0.status.link.busValue },
            Property(name: "Name", type: "s", isReported: false) {
                .string(($0.status.phone.name ?? "").fitForBus)
            },
        ],
        signals: [Signal(name: "PairingAsks", arguments: [.init("kind", "s")])])
}

extension BusPhone {
    fileprivate func answer(
        _ answer: PairingAnswer, about digits: String?
    ) throws(ServiceError) -> [BusValue] {
        try control.answerPairing(of: status.phone.digest, answer, about: digits)
        return []
    }
}

extension PhoneStatus {
    /// What the properties of its object say.
    package init(_ properties: [String: BusValue]) {
        func text(_ name: String) -> String? {
            properties[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        var counts: [String: Int] = [:]
        for (category, count) in properties["Counts"]?.dictionary ?? [:] {
            if let category = category.string { counts[category] = count.integer }
        }
        self.init(
            phone: PhoneName(digest: text("Digest") ?? "", name: text("Name")),
            state: text("State").flatMap { State(rawValue: $0) } ?? .away,
            // A daemon of an earlier version does not say it.
            keys: text("Keys").flatMap { Keys(rawValue: $0) } ?? .lost,
            isPaired: properties["Paired"]?.bool ?? true, advice: text("Advice"), counts: counts,
            link: LinkParameters(properties["Link"]),
            player: properties["Player"]?.properties.flatMap { MediaState($0) })
    }
}

extension MediaState {
    private static let texts: [(name: String, place: any WritableKeyPath<Self, Text?> & Sendable)] =
        [
            ("App", \.playerName), ("AppIdentifier", \.bundleIdentifier), ("Title", \.title),
            ("Artist", \.artist), ("Album", \.album),
        ]

    /// What is shown of a player. Its texts are read, as those of notifications, and in no signal.
    fileprivate var busValues: [String: BusValue] {
        var values: [String: BusValue] = ["State": .string(word)]
        for (name, place) in Self.texts {
            values[name] = self[keyPath: place].map { .string($0.string.fitForBus) }
        }
        return values
    }

    /// Parses the property; `nil` if there is no player.
    fileprivate init?(_ values: [String: BusValue]) {
        guard let word = values["State"]?.string else { return nil }
        self.init()
        for (name, place) in Self.texts {
            self[keyPath: place] = values[name]?.string.map { Text(Array($0.utf8)) }
        }
        guard word != "stopped" else { return }
        playback = PlaybackInfo(word == "playing" ? .playing : .paused, rate: nil, elapsed: nil)
    }
}

extension LinkParameters? {
    /// Interval in milliseconds, latency, supervision timeout in milliseconds, and whether the phone keeps them
    /// although it was asked for others; zeros if they are not known.
    fileprivate var busValue: BusValue {
        .structure([
            .double((self?.interval ?? .zero) / .milliseconds(1)),
            .uint32(UInt32(clamping: self?.latency ?? 0)),
            .double((self?.supervisionTimeout ?? .zero) / .milliseconds(1)),
            .bool(self?.isKept ?? false),
        ])
    }
}

extension LinkParameters {
    /// Parses the property; `nil` if it is not known, or invalid.
    package init?(_ value: BusValue?) {
        guard case .structure(let parts)? = value, parts.count == 4,
            case .double(let interval) = parts[0], (0.001...1_000_000).contains(interval),
            let latency = parts[1].integer,
            case .double(let timeout) = parts[2], (0.001...1_000_000).contains(timeout)
        else { return nil }
        self.init(
            interval: .milliseconds(1) * interval, latency: latency,
            supervisionTimeout: .milliseconds(1) * timeout, isKept: parts[3].bool ?? false)
    }
}

extension PairingQuestion {
    /// The kind of question.
    package var kind: Kind {
        switch self {
        case .display: .display
        case .compare: .compare
        case .enter: .enter
        case .consent: .consent
        case .accept: .accept
        }
    }

    /// The six digits to display; `nil` if there are none.
    var digits: String? {
        switch self {
        case .display(let digits), .compare(let digits): digits
        case .enter, .consent, .accept: nil
        }
    }

    /// Parses a question from the bus, about a phone with this name; `nil` if it is invalid.
    package init?(kind: String, digits: String, name: String) {
        switch Kind(rawValue: kind) {
        case .display: self = .display(digits)
        case .compare: self = .compare(digits)
        case .enter: self = .enter
        case .consent: self = .consent
        case .accept: self = .accept(name)
        case nil: return nil
        }
    }
}
