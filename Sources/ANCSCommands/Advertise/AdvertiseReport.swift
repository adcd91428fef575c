internal import Terminal
internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// How `ancs advertise` reports events: as JSON Lines, or as text for users.
struct AdvertiseReport: Sendable {
    /// The lines of a report.
    struct Lines: Equatable, Sendable {
        /// For standard output.
        var output: [String] = []
        /// For standard error.
        var diagnostics: [String] = []

        /// Writes the lines.
        func show() async {
            for line in diagnostics { StandardStreams.writeError(line) }
            for line in output { await StandardStreams.deliver(line) }
        }
    }

    private let isJSON: Bool
    private let isColored: Bool
    /// The names shown for the published values.
    private let labels: [PublishedValues.Key: String]

    init(isJSON: Bool, isColored: Bool, publication: Publication = Publication()) {
        self.isJSON = isJSON
        self.isColored = isColored
        labels = publication.labels
    }

    // MARK: On air

    /// Reports what fits where, before anything is on air.
    func report(of plan: AdvertisementPlan) -> Lines {
        lines([.init("event", "plan")] + plan.jsonMembers) {
            PlanText(plan, isColored: isColored).lines
        }
    }

    /// Reports that advertising started. The PDUs are shown octet by octet unless they were shown before.
    func reportOnAir(_ plan: AdvertisementPlan, isNew: Bool) -> Lines {
        lines([.init("event", "advertising"), .init("on", true)] + plan.jsonMembers) {
            isNew
                ? [stage("on air:")] + PlanText(plan, isColored: isColored).lines
                : [stage("on air")]
        }
    }

    /// Reports that advertising ended. The reason is one of `connected`, `timeLimit`, `stopped` and
    /// `interrupted`.
    func reportOffAir(_ reason: String, _ message: String?) -> Lines {
        let message = message.map { [JSONValue.Member("message", .string($0))] } ?? []
        return lines(
            [.init("event", "advertising"), .init("on", false), .init("reason", .string(reason))]
                + message
        ) {
            let why = message.first?.value.string.map { ": " + TerminalText.visible($0) } ?? ""
            return switch reason {
            case "connected": [stage("off air: a central has connected")]
            case "timeLimit": [stage("off air: the time limit has passed")]
            case "interrupted": [stage("off air temporarily" + why)]
            default: [stage("off air")]
            }
        }
    }

    // MARK: Links

    /// The lines of an event of the adapter. Warnings are left out: the runner reports those.
    func report(of event: AdapterEvent) -> Lines {
        if case .device(.missed(let count)) = event {
            return reportMissed(count)
        }
        guard isJSON else {
            return Lines(output: text(of: event).map { [stage(TerminalText.visible($0))] } ?? [])
        }
        return Lines(output: json(of: event).map { [JSONValue.object($0).text] } ?? [])
    }

    private func text(of event: AdapterEvent) -> String? {
        switch event {
        case .device(.resetting(let failure)): failure.message
        case .device(.pairingWindow(let isOpen)): isOpen ? "pairing is open" : "pairing is closed"
        case .device: nil
        case .peer(let central, let event): text(of: event, "central \(Self.short(central))")
        }
    }

    private func text(of event: PeerEvent, _ central: String) -> String? {
        switch event {
        case .connected: "\(central) connected"
        case .disconnected(let reason): "\(central) disconnected: \(reason.message)"
        case .secured(let protection) where protection.isEncrypted:
            "the link to \(central) is encrypted"
                + (protection.isAuthenticated
                    ? ", with protection against a man in the middle" : "")
        case .pairing(let request): request.message(peer: central)
        case .paired: "\(central) has paired, and is trusted"
        case .bondRestored: "\(central) is trusted: it is bonded"
        case .securityFailed(let failure): failure.message
        case .identified(let former):
            "central \(Self.short(former)) is \(central), which is known"
        case .discovered, .connectingFailed, .named, .linkParameters, .mtuChanged, .secured,
            .pairingWithdrawn, .pairingRefused, .keyTrouble, .accessDenied:
            nil
        }
    }

    private func json(of event: AdapterEvent) -> [JSONValue.Member]? {
        switch event {
        // Advertising is reported with what is on air; warnings and missed events go to standard error.
        case .device(.advertising), .device(.warning), .device(.missed): nil
        case .device(let event): event.jsonMembers
        case .peer(let central, let event): event.jsonMembers(of: [Self.member(central)])
        }
    }

    private func members(_ event: String, _ central: PeerIdentifier) -> [JSONValue.Member] {
        [.init("event", .string(event)), Self.member(central)]
    }

    private static func member(_ central: PeerIdentifier) -> JSONValue.Member {
        .init("central", .string(central.text))
    }

    /// The beginning of an identifier, long enough to tell centrals apart.
    private static func short(_ central: PeerIdentifier) -> String {
        String(central.text.prefix(8))
    }

    // MARK: Values

    /// Reports that a central has `read` or `written` a value, or has `subscribed` or `unsubscribed`.
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

    /// Reports that a central's write was refused.
    func report(
        refusalOf key: PublishedValues.Key?, by central: PeerIdentifier, _ code: ATTErrorCode
    ) -> Lines {
        let error = JSONValue.Member("attError", .integer(Int(code.rawValue)))
        return lines(members("refused", central) + (key?.jsonMembers ?? []) + [error]) {
            let number = "0x" + Hexadecimal.text([code.rawValue]).uppercased()
            return [
                "  central \(Self.short(central)) may not write this value to \(key.map(label) ?? "anything"): "
                    + "ATT error \(number)"
            ]
        }
    }

    /// Reports that the user changed a value.
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
                case (0, _): "no subscribers"
                case (_, false): "queue full: it will be sent later"
                case (1, true): "sent to 1 subscriber"
                case (_, true): "sent to \(subscribers) subscribers"
                }
            return [
                "  \(label(key)) is now \(ValueText.text(of: value, key.characteristic)); \(rest)"
            ]
        }
    }

    /// Reports how many events were dropped.
    func reportMissed(_ count: Int) -> Lines {
        report(problem: droppedText(count) + ": too slow")
    }

    /// Reports a user's command that cannot be carried out.
    func report(problem text: String) -> Lines { Lines(diagnostics: [diagnostic(text)]) }

    private func label(_ key: PublishedValues.Key) -> String { labels[key] ?? key.text }

    /// The octets, and the text if the octets are valid text.
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
        TerminalPaint(isColored: isColored)("● \(text)", .link)
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
