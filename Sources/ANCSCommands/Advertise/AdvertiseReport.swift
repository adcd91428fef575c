internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// How `ancs advertise` tells what happens: JSON Lines, or lines for a person.
struct AdvertiseReport: Sendable {
    /// What is told, a line each.
    struct Lines: Hashable, Sendable {
        /// For standard output.
        var output: [String] = []
        /// For standard error.
        var diagnostics: [String] = []

        /// Writes them.
        func show() async {
            for line in diagnostics { StandardStreams.writeError(line) }
            for line in output { await StandardStreams.deliver(line) }
        }
    }

    private let isJSON: Bool
    private let isColored: Bool
    /// What people call what is published.
    private let labels: [PublishedValues.Key: String]

    init(isJSON: Bool, isColored: Bool, publication: Publication = Publication()) {
        self.isJSON = isJSON
        self.isColored = isColored
        labels = publication.labels
    }

    // MARK: On air

    /// What fits where, before anything is on air.
    func report(of plan: AdvertisementPlan) -> Lines {
        lines([.init("event", "plan")] + plan.jsonMembers) {
            PlanText(plan, isColored: isColored).lines
        }
    }

    /// It is on air; octet by octet for a person who has not seen that yet.
    func reportOnAir(_ plan: AdvertisementPlan, isNew: Bool) -> Lines {
        lines([.init("event", "advertising"), .init("on", true)] + plan.jsonMembers) {
            isNew
                ? [stage("on air:")] + PlanText(plan, isColored: isColored).lines
                : [stage("on air")]
        }
    }

    /// It is off air. The reason is one of `connected`, `timeLimit`, `stopped` and `interrupted`.
    func reportOffAir(_ reason: String, _ message: String?) -> Lines {
        let message = message.map { [JSONValue.Member("message", .string($0))] } ?? []
        return lines(
            [.init("event", "advertising"), .init("on", false), .init("reason", .string(reason))]
                + message
        ) {
            let why = message.first?.value.string.map { ": " + TerminalText.visible($0) } ?? ""
            return switch reason {
            case "connected": [stage("off air: a central has connected")]
            case "timeLimit": [stage("off air: the time is over")]
            case "interrupted": [stage("off air for now" + why)]
            default: [stage("off air")]
            }
        }
    }

    // MARK: Links

    /// What an event of the adapter says; its warnings are told by whoever runs it.
    func report(of event: AdapterEvent) -> Lines {
        if case .missed(let count) = event {
            return reportMissed(count)
        }
        guard isJSON else {
            return Lines(output: text(of: event).map { [stage(TerminalText.visible($0))] } ?? [])
        }
        return Lines(output: json(of: event).map { [JSONValue.object($0).text] } ?? [])
    }

    private func text(of event: AdapterEvent) -> String? {
        switch event {
        case .stateChanged(.resetting, let trouble): return trouble?.message
        case .connected(let central): return "central \(Self.short(central)) has connected"
        case .disconnected(let central, let reason):
            return "central \(Self.short(central)) is gone: \(reason.message)"
        case .secured(let central, let protection):
            guard protection.isEncrypted else { return nil }
            return "the link to central \(Self.short(central)) is encrypted"
                + (protection.isAuthenticated ? ", against a man in the middle too" : "")
        case .pairing(let central, let request):
            return request.message(peer: "central \(Self.short(central))")
        case .paired(let central):
            return "central \(Self.short(central)) has paired, and is trusted"
        case .bondRestored(let central):
            return "central \(Self.short(central)) is trusted: it is bonded"
        case .securityFailed(_, let failure): return failure.message
        case .identified(let central, let known):
            return "central \(Self.short(central)) is \(Self.short(known)), which is known"
        case .pairingWindow(let isOpen):
            return isOpen ? "centrals may pair" : "no central may pair"
        case .listening, .stateChanged, .advertising, .warning, .missed: return nil
        }
    }

    private func json(of event: AdapterEvent) -> [JSONValue.Member]? {
        switch event {
        case .listening(let place):
            [.init("event", "listening"), .init("place", .string(place))]
        case .stateChanged(let state, let trouble):
            [
                .init("event", "state"), .init("state", .string(state.description)),
                .init("reason", .string(trouble?.message ?? "")),
            ]
        case .connected(let central): members("connected", central)
        case .disconnected(let central, let reason):
            members("disconnected", central) + [.init("reason", .string(reason.message))]
        case .secured(let central, let protection):
            members("secured", central) + [
                .init("encrypted", .boolean(protection.isEncrypted)),
                .init("authenticated", .boolean(protection.isAuthenticated)),
                .init("secureConnections", .boolean(protection.usesSecureConnections)),
            ]
        case .pairing(let central, let request):
            request.jsonMembers + [.init("central", .string(central.text))]
        case .paired(let central): members("paired", central)
        case .bondRestored(let central): members("bondRestored", central)
        case .securityFailed(let central, let failure):
            members("securityFailed", central) + [.init("reason", .string(failure.message))]
        case .identified(let central, let known):
            members("identified", central) + [.init("known", .string(known.text))]
        case .pairingWindow(let isOpen):
            [.init("event", "pairing"), .init("window", isOpen ? "open" : "closed")]
        case .advertising, .warning, .missed: nil
        }
    }

    private func members(_ event: String, _ central: PeerIdentifier) -> [JSONValue.Member] {
        [.init("event", .string(event)), .init("central", .string(central.text))]
    }

    /// Enough of an identifier to tell centrals apart.
    private static func short(_ central: PeerIdentifier) -> String {
        String(central.text.prefix(8))
    }

    // MARK: Values

    /// A central has `read` or `written` a value, has `subscribed` or `unsubscribed`.
    func report(
        _ event: String, by central: PeerIdentifier, _ key: PublishedValues.Key,
        _ value: [UInt8]? = nil
    ) -> Lines {
        lines(members(event, central) + key.jsonMembers + (value.map(Self.members) ?? [])) {
            let verb =
                switch event {
                case "subscribed": "subscribed to"
                case "unsubscribed": "unsubscribed from"
                default: event
                }
            let text = value.map { ": " + ValueText.text(of: $0, key.characteristic) } ?? ""
            return ["  central \(Self.short(central)) has \(verb) \(label(key))\(text)"]
        }
    }

    /// What a central wrote is refused.
    func report(
        refusalOf key: PublishedValues.Key?, by central: PeerIdentifier, _ code: ATTErrorCode
    ) -> Lines {
        let error = JSONValue.Member("attError", .integer(Int(code.rawValue)))
        return lines(members("refused", central) + (key?.jsonMembers ?? []) + [error]) {
            let number = "0x" + Hexadecimal.text([code.rawValue]).uppercased()
            return [
                "  central \(Self.short(central)) may not write that to \(key.map(label) ?? "anything"): "
                    + "ATT error \(number)"
            ]
        }
    }

    /// The user has changed a value.
    func report(
        update key: PublishedValues.Key, _ value: [UInt8], subscribers: Int, isSent: Bool
    ) -> Lines {
        lines(
            [.init("event", "updated")] + key.jsonMembers + Self.members(value) + [
                .init("subscribers", .integer(subscribers)), .init("sent", .boolean(isSent)),
            ]
        ) {
            let rest =
                switch (subscribers, isSent) {
                case (0, _): "nobody is subscribed"
                case (_, false): "a subscriber has no room, so it will be sent later"
                case (1, true): "sent to 1 subscriber"
                case (_, true): "sent to \(subscribers) subscribers"
                }
            return [
                "  \(label(key)) is now \(ValueText.text(of: value, key.characteristic)); \(rest)"
            ]
        }
    }

    /// So many events were dropped.
    func reportMissed(_ count: Int) -> Lines {
        report(problem: droppedText(count) + ": too slow")
    }

    /// What the user wants cannot be done.
    func report(problem text: String) -> Lines { Lines(diagnostics: [diagnostic(text)]) }

    private func label(_ key: PublishedValues.Key) -> String { labels[key] ?? key.text }

    /// The octets, and the text where they are one.
    private static func members(_ value: [UInt8]) -> [JSONValue.Member] {
        let text = String(validating: value, as: UTF8.self).map {
            JSONValue.Member("value", .string($0))
        }
        return [.init("octets", .string(Hexadecimal.text(value)))] + (text.map { [$0] } ?? [])
    }

    // MARK: Lines

    private func lines(_ members: [JSONValue.Member], _ text: () -> [String]) -> Lines {
        Lines(output: isJSON ? [JSONValue.object(members).text] : text())
    }

    private func stage(_ text: String) -> String {
        isColored ? "\u{1B}[36m● \(text)\u{1B}[0m" : "● \(text)"
    }

    private func diagnostic(_ text: String) -> String { "ancs: \(TerminalText.visible(text))" }
}

extension PublishedValues.Key {
    fileprivate var jsonMembers: [JSONValue.Member] {
        [
            .init("service", .string(service.text)),
            .init("characteristic", .string(characteristic.text)),
        ]
    }
}
