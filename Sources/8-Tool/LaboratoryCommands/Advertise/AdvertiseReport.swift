internal import BluetoothLE
internal import DeviceCommandKit
internal import EventLines

/// How `ancs advertise` reports events: as JSON Lines, or as text for users.
package struct AdvertiseReport: Sendable {
    private let printer: LinePrinter
    /// The names shown for the published values.
    private let labels: [PublishedValues.Key: String]

    init(isJSON: Bool, isColored: Bool, publication: Publication = Publication()) {
        printer = LinePrinter(isJSON: isJSON, isColored: isColored)
        labels = publication.labels
    }

    // MARK: On air

    /// Reports what fits where, before anything is on air.
    func report(of plan: AdvertisementPlan) -> Printed {
        printed(Line("plan", AdvertisementPlan.form.members(of: plan)), with: plan)
    }

    /// Reports that advertising started. The PDUs are shown octet by octet unless they were shown before.
    func reportOnAir(_ plan: AdvertisementPlan, isNew: Bool) -> Printed {
        let line = Line(
            "advertising", [.init("on", true)] + AdvertisementPlan.form.members(of: plan),
            isNew ? "on air:" : "on air")
        return printed(line, with: isNew ? plan : nil)
    }

    private func printed(_ line: Line, with plan: AdvertisementPlan?) -> Printed {
        Printed(output: printer.output([line] + (plan?.lines ?? [])))
    }

    /// Reports that advertising ended. The reason is one of `connected`, `timeLimit`, `stopped` and
    /// `interrupted`.
    func reportOffAir(_ reason: OffAirReason, _ message: String?) -> Printed {
        let sentence =
            switch reason {
            case .connected: "off air: a central has connected"
            case .timeLimit: "off air: the time limit has passed"
            case .interrupted: "off air temporarily" + (message.map { ": " + $0 } ?? "")
            case .stopped: "off air"
            }
        return printer.printed(
            Line(
                "advertising",
                [
                    "on": false, "reason": .string(reason.rawValue),
                    "message": message.map { .string($0) },
                ], sentence))
    }

    // MARK: Links

    /// The lines of an event of the adapter. What the runner and the advertising report is left out.
    func report(of event: AdapterEvent) -> Printed {
        let reporter = Reporter(side: .adapter, name: "")
        switch event {
        case .device(.missed(let count)): return reportMissed(count)
        case .device(.advertising), .device(.warning): return Printed()
        case .device(.listening) where !printer.isJSON: return Printed()
        case .device(let event):
            let line = event.line(for: reporter)
            return Printed(output: printer.output(line.formerly(Self.former(event, line))))
        case .peer(let central, let event):
            let line = event.line(for: reporter).about(Self.member(central))
            return printer.printed(line.formerly(Self.former(event, central))) {
                "central \(Self.short(central)): "
            }
        }
    }

    /// What version 0.1 printed with `--json` for the device; `nil` if it was the same.
    private static func former(_ event: DeviceEvent, _ line: Line) -> Line? {
        func value(_ name: String) -> JSONValue? {
            line.jsonMembers.first { $0.name == name }?.value
        }
        switch event {
        case .ready: return Line("state", ["state": "poweredOn"])
        case .resetting: return Line("state", ["state": "resetting", "reason": value("reason")])
        case .listening: return Line("listening", ["place": value("at")])
        default: return nil
        }
    }

    /// What version 0.1 printed for a Central that turns out to be known: who it was, and who it is.
    private static func former(_ event: PeerEvent, _ central: PeerIdentifier) -> Line? {
        guard case .identified(let former) = event else { return nil }
        return Line("identified", [member(former), .init("known", .string(central.text))])
    }

    private static func member(_ central: PeerIdentifier) -> JSONValue.Member {
        .init("central", .string(central.text))
    }

    /// The beginning of an identifier, long enough to tell centrals apart.
    private static func short(_ central: PeerIdentifier) -> String {
        String(central.text.prefix(8))
    }

    // MARK: Values

    /// What a central has done with a value.
    enum Access: String {
        case read, written, subscribed, unsubscribed

        fileprivate var words: String {
            switch self {
            case .read, .written: rawValue
            case .subscribed: "subscribed to"
            case .unsubscribed: "unsubscribed from"
            }
        }
    }

    /// Reports what a central has done with a value.
    func report(
        _ access: Access, by central: PeerIdentifier, _ key: PublishedValues.Key,
        _ value: [UInt8]? = nil
    ) -> Printed {
        let text = value.map { ": " + ValueText.text(of: $0, key.characteristic) } ?? ""
        return printed(
            access.rawValue, by: central, key.jsonMembers + (value.map(Self.members) ?? []),
            "has \(access.words) \(label(key))\(text)")
    }

    /// Reports that a central's write was refused.
    func report(
        refusalOf key: PublishedValues.Key?, by central: PeerIdentifier, _ code: ATTErrorCode
    ) -> Printed {
        let number = "0x" + Hexadecimal.text([code.rawValue]).uppercased()
        return printed(
            "refused", by: central,
            (key?.jsonMembers ?? []) + [.init("attError", .integer(Int(code.rawValue)))],
            "may not write this value to \(key.map(label) ?? "anything"): ATT error \(number)")
    }

    private func printed(
        _ kind: String, by central: PeerIdentifier, _ members: [JSONValue.Member], _ words: String
    ) -> Printed {
        let line = Line(kind, members, "central \(Self.short(central)) \(words)", .item)
        return printer.printed(line.about(Self.member(central)))
    }

    /// Reports that the user changed a value.
    func report(
        update key: PublishedValues.Key, _ value: [UInt8], subscribers: Int, isSent: Bool
    ) -> Printed {
        let rest =
            switch (subscribers, isSent) {
            case (0, _): "no subscribers"
            case (_, false): "queue full: it will be sent later"
            case (1, true): "sent to 1 subscriber"
            case (_, true): "sent to \(subscribers) subscribers"
            }
        return printer.printed(
            Line(
                "updated",
                key.jsonMembers + Self.members(value) + [
                    .init("subscribers", .integer(subscribers)), .init("sent", .boolean(isSent)),
                ],
                "\(label(key)) is now \(ValueText.text(of: value, key.characteristic)); \(rest)",
                .item))
    }

    /// Reports how many events were dropped.
    func reportMissed(_ count: Int) -> Printed {
        report(problem: droppedText(count) + ": too slow")
    }

    /// Reports a user's command that cannot be carried out.
    func report(problem text: String) -> Printed { printer.printed(Line(told: text, .problem)) }

    private func label(_ key: PublishedValues.Key) -> String { labels[key] ?? key.text }

    /// The octets, and the text if the octets are valid text.
    private static func members(_ value: [UInt8]) -> [JSONValue.Member] {
        [JSONValue.Member](present: [
            "octets": .string(Hexadecimal.text(value)),
            "value": String(validating: value, as: UTF8.self).map { .string($0) },
        ])
    }
}

extension PublishedValues.Key {
    fileprivate var jsonMembers: [JSONValue.Member] {
        [
            .init("service", .string(service.text)),
            .init("characteristic", .string(characteristic.text)),
        ]
    }
}

extension AdvertiseReport {
    /// Why advertising ended.
    enum OffAirReason: String { case connected, timeLimit, stopped, interrupted }
}
