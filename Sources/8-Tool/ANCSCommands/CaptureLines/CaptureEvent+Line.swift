internal import ANCSCapture
internal import AccessoryConformance
internal import BluetoothLE
internal import DeviceCommandKit
internal import EventLines

extension CaptureEvent {
    /// What is said of it; a person reads `!` before a problem. Values of the characteristics have no members: most
    /// lines of a long capture are of them, so ``describe(since:to:)`` writes them directly.
    func line(since start: CaptureTime) -> Line {
        switch event {
        // The capture and its controllers.
        case .adapter(let change): change.line
        case .lost(let count):
            .problem(
                "lost", ["records": .integer(count)], "\(counted(count, "record")) missing here")
        case .cut(let missing):
            .problem(
                "cut", ["octets": .integer(missing)],
                "packets of this connection were recorded incompletely: gaps follow")
        case .notShown(let counts):
            .item(
                "notShown", ["contents": .array(counts.map(CaptureEvent.NotShown.form.json))],
                "not shown: " + counts.map(\.text).joined(separator: ", "))
        case .controllerReset: .item("controllerReset", [:], "the controller is reset")
        case .hardwareError(let code):
            .problem(
                "hardwareError", ["code": .integer(Int(code))],
                "the controller reports hardware error \(code)")
        case .advertising(let advertising): advertising.line
        case .malformed(let layer, let offset):
            .problem(
                "malformed", ["what": .string(layer), "offset": .integer(Int(clamping: offset))],
                "the \(layer) at octet \(offset) of the file is malformed")
        // Links.
        case .connected(let facts):
            Line(
                "connected", CaptureEvent.ConnectionFacts.form.members(of: facts),
                facts.sentence(at: time))
        case .connectingFailed(let address, let status):
            .problem(
                "connectingFailed",
                [
                    "address": address.map { .string($0.text) },
                    "reason": .string(status.captureMessage), "code": status.json,
                ],
                "no connection\(address.map { " to \($0.text)" } ?? ""): \(status.captureMessage)")
        case .transport(let transport):
            .item(
                "transport", ["transport": .string(transport.rawValue)],
                "this is a connection over \(transport.text)")
        case .basicRate(let verdict): verdict.line
        case .parametersWanted(let side, let wanted): wanted.line(by: side)
        case .parametersAnswered(let isAccepted):
            Line(
                "parametersAnswered", ["accepted": .boolean(isAccepted)],
                "connection parameters: \(isAccepted ? "accepted" : "rejected")",
                isAccepted ? .item : .problem)
        case .parametersChanged(let link): .item("link", ["link": link.json], "now " + link.message)
        case .parametersRefused(let status):
            .problem(
                "parametersRefused",
                ["reason": .string(status.captureMessage), "code": status.json],
                "parameters not changed: \(status.captureMessage)")
        case .disconnecting: .item("disconnecting", [:], "this side ends the connection")
        case .disconnected(let reason, let duration):
            Line(
                "disconnected",
                [
                    "reason": reason.map { .string($0.captureMessage) }, "code": reason?.json,
                    "seconds": duration.map { .number($0.seconds) },
                ],
                "disconnected"
                    + (reason.map { ": \($0.captureMessage)" }
                        ?? "; the reason is not in the capture")
                    + (duration.map { " · after \($0.brief)" } ?? ""))
        case .encryption(let change): change.line
        case .keyMissing:
            .problem(
                "keyMissing", [:],
                "this side has no key for the other: it has forgotten the pairing")
        case .pairing(let event): event.line
        // Attributes.
        case .mtu(let mtu): .item("mtu", ["mtu": .integer(mtu)], "ATT_MTU \(mtu)")
        case .name(let side, let name):
            .item("named", ["side": side.json, "name": .string(name)], "\(side.text) is “\(name)”")
        case .services(let side, let uuids):
            .item(
                "services",
                [
                    "side": side.json, "services": .array(uuids.map { .string($0.text) }),
                    "ancs": .boolean(uuids.contains(BluetoothUUID(ANCSUUID.service))),
                ],
                "\(side.text) has "
                    + (uuids.isEmpty
                        ? "no services"
                        : uuids.map(AssignedNumbers.serviceText).joined(separator: ", ")))
        case .serviceMissing(let side, let uuid):
            .item(
                "services", ["side": side.json, "missing": .string(uuid.text)],
                "\(side.text) does not have \(AssignedNumbers.serviceText(uuid))")
        case .handles(let side, let handles, let origin):
            Line(
                "handles",
                [.init("side", side.json)]
                    + ANCSHandles.form.members(of: (handles: handles, origin: origin)),
                "\(side.text) is the phone: \(handles.text)\(origin.text)", .item)
        case .serviceChanged(let side, let range, let concernsANCS):
            .item(
                "serviceChanged",
                [
                    "side": side.json, "first": range.first.json, "last": range.last.json,
                    "ancs": .boolean(concernsANCS),
                ],
                "\(side.text) reports that attributes \(range.first.text) to \(range.last.text) "
                    + "changed" + (concernsANCS ? ", ANCS among them" : ""))
        case .requestRefused(let opcode, let handle, let code, let characteristic):
            Line(
                "refused",
                [JSONValue.Member](present: [
                    "request": .string(opcode.text), "handle": handle.json,
                    "characteristic": characteristic.map { .string($0.rawValue) },
                ]) + ATTErrorCode.form.members(of: code),
                "\(opcode.text) of \(handle.text)\(characteristic.map { " (\($0.title))" } ?? "") "
                    + "refused: \(code.message)", .problem)
        case .requestUnanswered(let opcode, let since, let ending):
            .problem(
                "unanswered",
                [
                    "request": .string(opcode.text), "since": .number((since - start).seconds),
                    "why": .string(ending.text),
                ],
                "\(opcode.text) of \((since - start).thousandths) has no response: \(ending.text)")
        case .strayResponse(let opcode):
            .problem(
                "stray", ["response": .string(opcode.text)],
                "a \(opcode.text) response without a request")
        case .unreadable(let channel, let octets):
            .problem(
                "unreadable", ["channel": .string(channel), "octets": .integer(octets)],
                "\(counted(octets, "octet")) of \(channel) that cannot be decoded")
        // Sessions.
        case .subscription(let characteristic, let isOn):
            .item(
                "subscription",
                ["characteristic": .string(characteristic.rawValue), "on": .boolean(isOn)],
                subscriptionText(isOn, characteristic.title))
        case .subscriptionRead(let characteristic, let isOn):
            .item(
                "subscriptionRead",
                ["characteristic": .string(characteristic.rawValue), "on": .boolean(isOn)],
                "the phone says that \(characteristic.title) is \(isOn ? "" : "not ")subscribed to")
        case .serviceChangedSubscription(let isOn):
            .item(
                "subscription", ["characteristic": "serviceChanged", "on": .boolean(isOn)],
                subscriptionText(isOn, "Service Changed"))
        case .sessionBegan:
            Line("session", ["state": "started"], "session \(place.session ?? 0) begins")
        case .sessionEnded(let counts):
            Line(
                "session",
                [.init("state", "ended")] + CaptureEvent.SessionCounts.form.members(of: counts),
                "session \(place.session ?? 0) ends: \(counts.text)")
        case .commandResult(let write, let error, let duration, let summary):
            Line(
                "commandResult",
                write.subjectMembers + [.init("result", error == nil ? "performed" : "refused")]
                    + (error.map(ATTErrorCode.form.members) ?? []) + [
                        .init("seconds", .number(duration.seconds))
                    ],
                error.map { "\(write.subject(summary)) refused: \($0.message)" }
                    ?? "✓ \(write.subject(summary)): accepted", error == nil ? .item : .problem
            ).after(duration)
        case .commandUnanswered(let write, let since, let ending, let summary):
            Line(
                "unanswered",
                write.subjectMembers
                    + [JSONValue.Member](present: [
                        "since": .number((since - start).seconds), "why": .string(ending.text),
                    ]),
                "\(write.subject(summary)), asked at \((since - start).thousandths), has no answer: "
                    + ending.text, .problem)
        case .source(let octets, let summary): .value(octets, summary)
        case .command(let write, let hasResponse): .command(write, hasResponse: hasResponse)
        case .answer(let answer, let summary): .answer(answer, summary)
        case .strayAnswer(let octets, let isFromBefore): .stray(octets, isFromBefore: isFromBefore)
        case .media(let event): event.line
        }
    }

    /// Describes what happened, member by member: what it is, then `time` in seconds since the first record, `at` in
    /// UTC, and where it happened. Values of the three characteristics look as they do when `ancs decode` reads lines.
    func describe(since start: CaptureTime, to object: inout JSONWriter) {
        var former: [JSONValue.Member] = []
        if !describeValue(to: &object) {
            let line = line(since: start)
            line.describe(to: &object)
            former = line.formerCaptureMembers
        }
        object.add("time", .number((time - start).seconds))
        object.add("at", .string(time.text))
        if let adapter = place.adapter { object.add("adapter", .integer(Int(adapter))) }
        if let number = place.connection { object.add("connection", .integer(number)) }
        if let number = place.session { object.add("session", .integer(number)) }
        object.add(former)
    }

    /// Describes a value of a characteristic. Returns whether it is one.
    private func describeValue(to object: inout JSONWriter) -> Bool {
        if case .source(let octets, _) = event {
            LineDecoder.describe(source: octets, to: &object)
        } else if case .command(let write, let hasResponse) = event {
            LineDecoder.describe(write, to: &object)
            if !hasResponse { object.add("withoutResponse", true) }
        } else if case .answer(let answer, _) = event {
            answer.content.describe(to: &object)
            object.add("seconds", .number(answer.duration.seconds))
            object.add("late", .boolean(answer.isLate))
        } else if case .strayAnswer(let octets, let isFromBefore) = event {
            DataSourceAnswer([octets], to: nil).describe(to: &object)
            object.add("stray", true)
            object.add("beforeCapture", .boolean(isFromBefore))
        } else {
            return false
        }
        return true
    }
}

extension Line {
    /// What is neither a milestone nor a problem.
    static func item(
        _ kind: String, _ members: @autoclosure @escaping () -> KeyValuePairs<String, JSONValue?>,
        _ sentence: @autoclosure @escaping () -> String
    ) -> Line { Line(kind, members(), sentence(), .item) }

    /// What went wrong.
    static func problem(
        _ kind: String, _ members: @autoclosure @escaping () -> KeyValuePairs<String, JSONValue?>,
        _ sentence: @autoclosure @escaping () -> String
    ) -> Line { Line(kind, members(), sentence(), .problem) }

    fileprivate func after(_ duration: Duration) -> Line {
        var line = self
        line.sentence = sentence.map { "\($0) · \(duration.brief)" }
        return line
    }
}

// MARK: - The capture and its links

extension CaptureEvent.AdapterChange {
    fileprivate var line: Line {
        switch self {
        case .added(let address, let name):
            .item(
                "adapter",
                ["state": "added", "address": .string(address.text), "name": .string(name)],
                "adapter \(name) \(address.text)")
        case .address(let address):
            .item(
                "adapter", ["state": "known", "address": .string(address.text)],
                "the adapter's address is \(address.text)")
        case .removed: .item("adapter", ["state": "removed"], "the adapter was removed")
        }
    }
}

extension CaptureEvent.NotShown {
    static let form = ObjectForm<Self>(
        .text("what", \.what), .number("packets", .ordinal, \.packets),
        .number("octets", .count, \.octets))

    fileprivate var text: String {
        "\(counted(packets, "packet")) of \(what) (\(counted(octets, "octet")))"
    }
}

extension CaptureEvent.ConnectionFacts {
    static let form = ObjectForm<Self>(
        .text("address?", .address, \.address?.text),
        .text("addressType?", .addressType, \.address?.kindName),
        .init("beforeCapture?", .true_) { $0.address == nil ? true : nil },
        .text("identity?", .address, \.identity?.text),
        .text("role?", .words(["central", "peripheral"]).described("of the local side")) {
            $0.role.map { $0 == .central ? "central" : "peripheral" }
        }, .text("transport?", CaptureEvent.transport, \.transport?.rawValue),
        .init("by?", .side.described("of BR/EDR: who connected"), \.asker?.json),
        .number("deviceClass?", .integer(in: 0...0xFF_FFFF)) { facts in
            facts.deviceClass.map { Int($0.rawValue) }
        }, .number("sameAsConnection?", .count, \.earlier),
        .init("link?", .link, \.parameters?.json))

    fileprivate func sentence(at time: CaptureTime) -> String {
        guard let address else { return sentenceBefore }
        var words = ["\(address.text) (\(address.kindText))"]
        if let identity { words.append("identity \(identity.text)") }
        if let earlier { words.append("the device of connection \(earlier)") }
        if transport == .basicRate { words += basicRateWords }
        if let role {
            words.append("this side is the \(role == .central ? "Central" : "Peripheral")")
        }
        if let parameters { words.append(parameters.message) }
        words.append(time.text)
        return "connected: " + words.joined(separator: " · ")
    }

    /// A link from before the capture.
    private var sentenceBefore: String {
        let known = "was connected before the capture began"
        return switch transport {
        case .lowEnergy?: known
        case .basicRate?: known + " · " + CaptureEvent.Transport.basicRate.text
        case nil:
            known
                + ", like its channels, so that what is in them cannot be read: record from before the "
                + "phone connects"
        }
    }

    private var basicRateWords: [String] {
        let isSomethingElse = deviceClass?.isSomethingElse ?? false
        var words = [isSomethingElse ? "BR/EDR" : CaptureEvent.Transport.basicRate.text]
        if let kind = deviceClass?.text { words.append(kind) }
        if let asker { words.append("\(asker.text) connected") }
        return words
    }
}

extension CaptureEvent.LinkParameters {
    /// As in all other events: times in milliseconds.
    fileprivate var json: JSONValue {
        [
            "interval": .milliseconds(interval.duration), "latency": .integer(Int(latency)),
            "timeout": .milliseconds(supervisionTimeout.duration),
        ]
    }

    fileprivate var message: String {
        let hundredths = Int(interval.rawValue) * 125
        let fraction = hundredths % 100
        let interval = fraction == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(fraction)"
        return "interval \(interval) ms, latency \(latency), "
            + "timeout \(Int(supervisionTimeout.rawValue) * 10) ms"
    }
}

extension CaptureEvent.EncryptionChange {
    fileprivate var line: Line {
        let key: JSONValue = isFromPairing ? "new" : "stored"
        guard status == .success else {
            return .problem(
                "securityFailed",
                ["reason": .string(status.captureMessage), "code": status.json, "key": key],
                "encryption failed: \(status.captureMessage)")
        }
        guard isEnabled else {
            return .problem("secured", ["encrypted": false], "encryption was switched off")
        }
        return .item(
            "secured", ["encrypted": true, "key": key],
            isFromPairing
                ? "encrypted with the new key"
                : "encrypted with a stored key: the devices are paired")
    }
}

extension CaptureEvent.Side {
    var json: JSONValue { self == .local ? "local" : "remote" }

    /// The side in words, as seen from the host that made the capture.
    var text: String { self == .local ? "this side" : "the other side" }
}

extension HCIStatus { var json: JSONValue { .integer(Int(rawValue)) } }

// MARK: - Attributes and sessions

extension ANCSHandles {
    static let form = ObjectForm<(handles: ANCSHandles, origin: CaptureEvent.HandleOrigin)>(
        .init("notificationSource?", .handle, \.handles.notificationSource?.json),
        .init(
            "notificationSourceConfiguration?", .handle,
            \.handles.notificationSourceConfiguration?.json),
        .init("controlPoint?", .handle, \.handles.controlPoint?.json),
        .init("dataSource?", .handle, \.handles.dataSource?.json),
        .init("dataSourceConfiguration?", .handle, \.handles.dataSourceConfiguration?.json),
        .text("origin", .words(["discovered", "remembered", "inferred"]), \.origin.word),
        .number("fromConnection?", .count, \.origin.connection))

    fileprivate var text: String {
        let known: [(ANCSCharacteristic, AttributeHandle?)] = [
            (.notificationSource, notificationSource), (.controlPoint, controlPoint),
            (.dataSource, dataSource),
        ]
        return known.map { "\($0.title) \($1?.text ?? "missing")" }.joined(separator: ", ")
    }
}

extension CaptureEvent.HandleOrigin {
    fileprivate var word: String {
        switch self {
        case .discovered: "discovered"
        case .remembered: "remembered"
        case .inferred: "inferred"
        }
    }

    fileprivate var connection: Int? {
        if case .remembered(let connection) = self { connection } else { nil }
    }

    fileprivate var text: String {
        switch self {
        case .discovered: ""
        case .remembered(let number): " (known from connection \(number))"
        case .inferred: " (inferred from the traffic: the discovery is not in the capture)"
        }
    }
}

extension CaptureEvent.SessionCounts {
    private static let all: [(name: String, words: String, count: @Sendable (Self) -> Int)] = [
        ("added", "added", \.added), ("modified", "modified", \.modified),
        ("removed", "removed", \.removed), ("answered", "answers", \.answered),
        ("refused", "refused", \.refused), ("unanswered", "without answer", \.unanswered),
    ]

    static let form = ObjectForm(all.map { .number($0.name, .count, $0.count) })

    fileprivate var text: String {
        let parts = Self.all.filter { $0.count(self) > 0 }.map { "\($0.count(self)) \($0.words)" }
        return parts.isEmpty ? "nothing happened" : parts.joined(separator: ", ")
    }
}

extension CaptureEvent.Write {
    /// The identity of the command, without the attributes that it asks for.
    fileprivate var subjectMembers: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let command {
            command.describeSubject(to: &members)
        } else if let error = LineDecoder.controlPoint(octets)["error"] {
            members.add("error", error)
        }
        return members
    }

    /// The notification or app that the command refers to.
    func subject(_ summary: CaptureEvent.NotificationSummary) -> String {
        let names = summary.names.joined(separator: " · ")
        let known = names.isEmpty ? "" : " (\(names))"
        return switch command {
        case .getNotificationAttributes(let command):
            "attributes of uid \(command.notificationUID)" + known
        case .getAppAttributes(let command): "the name of \(command.appIdentifier)"
        case .performNotificationAction(let command):
            "\(command.actionID) action on uid \(command.notificationUID)" + known
        case nil: "a write that is not a command"
        }
    }
}

extension ATTErrorCode {
    static let form = ObjectForm<Self>(
        .number("attError", .octet) { Int($0.rawValue) }, .text("name", \.name),
        .text("meaning", \.meaning))
}

extension ConnectionParameters {
    static let wanted = ObjectForm<(side: CaptureEvent.Side, wanted: Self)>(
        .init("side", .side, \.side.json),
        .init("minimum", .milliseconds) { .milliseconds($0.wanted.intervalMinimum.duration) },
        .init("maximum", .milliseconds) { .milliseconds($0.wanted.intervalMaximum.duration) },
        .number("latency", .count) { Int($0.wanted.latency) },
        .init("timeout", .milliseconds) { .milliseconds($0.wanted.supervisionTimeout.duration) },
        .texts("breaks", .texts.described("which of Apple's requirements the request breaks")) {
            LinkRequirements.breaches(of: $0.wanted).map(\.message)
        })

    /// What a side asked for, and the requirements that it breaks.
    fileprivate func line(by side: CaptureEvent.Side) -> Line {
        let breaches = LinkRequirements.breaches(of: self).map(\.message)
        let text = "\(side.text) asks for \(message)"
        return Line(
            "parametersWanted", Self.wanted.members(of: (side, self)),
            breaches.isEmpty
                ? text : "\(text); \(breaches.joined(separator: "; ")); it may be rejected",
            breaches.isEmpty ? .item : .problem)
    }
}
