internal import ANCS
internal import ANCSCapture
internal import ANCSEvents
internal import ANCSService
internal import AccessoryConformance
internal import BluetoothLE
internal import BluetoothTypes
internal import CommandKit
internal import DeviceCommandKit
internal import EventLines
internal import JSONText
internal import LinuxIO
internal import Printing

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
                "notShown", ["contents": .array(counts.map(\.json))],
                "not shown: " + counts.map(\.text).joined(separator: ", "))
        case .controllerReset: .item("controllerReset", [:], "the controller is reset")
        case .hardwareError(let code):
            .problem(
                "hardwareError", ["code": .integer(Int(code))],
                "the controller reports hardware error \(code)")
        case .advertising(let advertising): advertising.line
        case .malformed(let layer, let offset):
            .problem(
                "malformed",
                ["what": .string(layer), "offset": .integer(Int(clamping: offset))],
                "the \(layer) at octet \(offset) of the file is malformed")
        // Links.
        case .connected(let facts):
            Line("connected", facts.members, facts.sentence(at: time))
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
        case .parametersChanged(let link):
            .item("link", ["link": link.json], "now " + link.message)
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
                "handles", [.init("side", side.json)] + handles.members + origin.members,
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
                ]) + code.members,
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
        case .sessionBegan:
            Line("session", ["state": "started"], "session \(place.session ?? 0) begins")
        case .sessionEnded(let counts):
            Line(
                "session", [.init("state", "ended")] + counts.members,
                "session \(place.session ?? 0) ends: \(counts.text)")
        case .commandResult(let write, let error, let duration, let summary):
            Line(
                "commandResult",
                write.subjectMembers + [.init("result", error == nil ? "performed" : "refused")]
                    + (error?.members ?? []) + [.init("seconds", .number(duration.seconds))],
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
    fileprivate var json: JSONValue {
        ["what": .string(what), "packets": .integer(packets), "octets": .integer(octets)]
    }

    fileprivate var text: String {
        "\(counted(packets, "packet")) of \(what) (\(counted(octets, "octet")))"
    }
}

extension CaptureEvent.ConnectionFacts {
    fileprivate var members: [JSONValue.Member] {
        [JSONValue.Member](present: [
            "address": address.map { .string($0.text) },
            "addressType": address.map { .string($0.kindName) },
            "beforeCapture": address == nil ? true : nil,
            "identity": identity.map { .string($0.text) },
            "role": role.map { $0 == .central ? "central" : "peripheral" },
            "transport": transport.map { .string($0.rawValue) }, "by": asker?.json,
            "deviceClass": deviceClass.map { .integer(Int($0.rawValue)) },
            "sameAsConnection": earlier.map { .integer($0) }, "link": parameters?.json,
        ])
    }

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
        let interval =
            fraction == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(fraction)"
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

extension HCIStatus {
    var json: JSONValue { .integer(Int(rawValue)) }
}

// MARK: - Attributes and sessions

extension ANCSHandles {
    fileprivate var members: [JSONValue.Member] {
        [JSONValue.Member](present: [
            "notificationSource": notificationSource?.json,
            "notificationSourceConfiguration": notificationSourceConfiguration?.json,
            "controlPoint": controlPoint?.json, "dataSource": dataSource?.json,
            "dataSourceConfiguration": dataSourceConfiguration?.json,
        ])
    }

    fileprivate var text: String {
        let known: [(ANCSCharacteristic, AttributeHandle?)] = [
            (.notificationSource, notificationSource), (.controlPoint, controlPoint),
            (.dataSource, dataSource),
        ]
        return known.map { "\($0.title) \($1?.text ?? "missing")" }.joined(separator: ", ")
    }
}

extension CaptureEvent.HandleOrigin {
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .discovered: [.init("origin", "discovered")]
        case .remembered(let number):
            [.init("origin", "remembered"), .init("fromConnection", .integer(number))]
        case .inferred: [.init("origin", "inferred")]
        }
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
    private var all: [(name: String, words: String, count: Int)] {
        [
            ("added", "added", added), ("modified", "modified", modified),
            ("removed", "removed", removed), ("answered", "answers", answered),
            ("refused", "refused", refused), ("unanswered", "without answer", unanswered),
        ]
    }

    fileprivate var members: [JSONValue.Member] {
        all.map { JSONValue.Member($0.name, .integer($0.count)) }
    }

    fileprivate var text: String {
        let parts = all.filter { $0.count > 0 }.map { "\($0.count) \($0.words)" }
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
    fileprivate var members: [JSONValue.Member] {
        [JSONValue.Member](present: [
            "attError": .integer(Int(rawValue)), "name": .string(name),
            "meaning": .string(meaning),
        ])
    }
}

extension ConnectionParameters {
    /// What a side asked for, and the requirements that it breaks.
    fileprivate func line(by side: CaptureEvent.Side) -> Line {
        let breaches = LinkRequirements.breaches(of: self).map(\.message)
        let text = "\(side.text) asks for \(message)"
        return Line(
            "parametersWanted",
            [
                "side": side.json, "minimum": .milliseconds(intervalMinimum.duration),
                "maximum": .milliseconds(intervalMaximum.duration),
                "latency": .integer(Int(latency)),
                "timeout": .milliseconds(supervisionTimeout.duration),
                "breaks": .array(breaches.map { .string($0) }),
            ],
            breaches.isEmpty
                ? text : "\(text); \(breaches.joined(separator: "; ")); it may be rejected",
            breaches.isEmpty ? .item : .problem)
    }
}
