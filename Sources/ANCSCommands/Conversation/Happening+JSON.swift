internal import Terminal
internal import ANCSCapture
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import HCITransports
internal import LinuxIO

extension Happening {
    /// Describes what happened, member by member: `kind` and its details, then `time` in seconds since the
    /// first record, `at` in UTC, and where it happened. Values of the three characteristics look as they do
    /// when `ancs decode` reads lines.
    func describe(since start: CaptureTime, to object: inout JSONWriter) {
        describeEvent(since: start, to: &object)
        object.add("time", .number((time - start).seconds))
        object.add("at", .string(time.text))
        if let adapter = place.adapter { object.add("adapter", .integer(Int(adapter))) }
        if let number = place.connection { object.add("connection", .integer(number)) }
        if let number = place.session { object.add("session", .integer(number)) }
    }

    private func describeEvent(since start: CaptureTime, to object: inout JSONWriter) {
        if let members = members(since: start) {
            object.add(members)
        } else {
            describeSession(since: start, to: &object)
        }
    }

    /// The members of all events but those of a session.
    private func members(since start: CaptureTime) -> [JSONValue.Member]? {
        switch event {
        // The capture and its controllers.
        case .adapter(.added(let address, let name)):
            [
                .init("kind", "adapter"), .init("state", "added"),
                .init("address", .string(address.text)), .init("name", .string(name)),
            ]
        case .adapter(.address(let address)):
            [
                .init("kind", "adapter"), .init("state", "known"),
                .init("address", .string(address.text)),
            ]
        case .adapter(.removed): [.init("kind", "adapter"), .init("state", "removed")]
        case .lost(let count): [.init("kind", "lost"), .init("records", .integer(count))]
        case .cut(let missing): [.init("kind", "cut"), .init("octets", .integer(missing))]
        case .notShown(let counts):
            [.init("kind", "notShown"), .init("contents", .array(counts.map(\.json)))]
        case .controllerReset: [.init("kind", "controllerReset")]
        case .hardwareError(let code):
            [.init("kind", "hardwareError"), .init("code", .integer(Int(code)))]
        case .malformed(let layer, let offset):
            [
                .init("kind", "malformed"), .init("what", .string(layer)),
                .init("offset", .integer(Int(clamping: offset))),
            ]
        // Links.
        case .connected(let facts): facts.members
        case .connectingFailed(let address, let status):
            [.init("kind", "connection"), .init("state", "failed")]
                + (address.map { [.init("address", .string($0.text))] } ?? []) + status.members
        case .transport(let transport):
            [
                .init("kind", "connection"), .init("state", "transport"),
                .init("transport", .string(transport.rawValue)),
            ]
        case .channel(let event): [.init("kind", "channel")] + event.members
        case .basicRate(let verdict): [.init("kind", "advice")] + verdict.members
        case .parametersWanted(let side, let wanted):
            [
                .init("kind", "connection"), .init("state", "parametersWanted"),
                .init("by", .string(side == .local ? "local" : "remote")),
                .init("minimum", .milliseconds(wanted.intervalMinimum.duration)),
                .init("maximum", .milliseconds(wanted.intervalMaximum.duration)),
                .init("latency", .integer(Int(wanted.latency))),
                .init("timeout", .milliseconds(wanted.supervisionTimeout.duration)),
                .init(
                    "breaks",
                    .array(LinkRules.breaches(of: wanted).map { .string($0.message) })),
            ]
        case .parametersAnswered(let isAccepted):
            [
                .init("kind", "connection"), .init("state", "parametersAnswered"),
                .init("accepted", .boolean(isAccepted)),
            ]
        case .parametersChanged(let parameters):
            [.init("kind", "connection"), .init("state", "parametersChanged")]
                + parameters.members
        case .parametersRefused(let status):
            [.init("kind", "connection"), .init("state", "parametersRefused")] + status.members
        case .disconnecting: [.init("kind", "connection"), .init("state", "disconnecting")]
        case .disconnected(let reason, let duration):
            [.init("kind", "connection"), .init("state", "disconnected")]
                + (reason?.members ?? [])
                + (duration.map { [.init("seconds", .number($0.seconds))] } ?? [])
        case .encryption(let change):
            [
                .init("kind", "encryption"), .init("enabled", .boolean(change.isEnabled)),
                .init("key", change.isFromPairing ? "new" : "stored"),
            ] + (change.status == .success ? [] : change.status.members)
        case .keyMissing: [.init("kind", "encryption"), .init("keyMissing", true)]
        case .pairing(let event): [.init("kind", "pairing")] + event.members
        // Attributes.
        case .mtu(let mtu): [.init("kind", "mtu"), .init("mtu", .integer(mtu))]
        case .name(let side, let name):
            [.init("kind", "name"), side.member, .init("name", .string(name))]
        case .services(let side, let uuids):
            [
                .init("kind", "services"), side.member,
                .init("services", .array(uuids.map { .string($0.text) })),
                .init("ancs", .boolean(uuids.contains(BluetoothUUID(ANCSUUID.service)))),
            ]
        case .serviceMissing(let side, let uuid):
            [.init("kind", "services"), side.member, .init("missing", .string(uuid.text))]
        case .handles(let side, let handles, let origin):
            [.init("kind", "handles"), side.member] + handles.members + origin.members
        case .serviceChanged(let side, let range, let concernsANCS):
            [
                .init("kind", "serviceChanged"), side.member,
                .init("first", .integer(Int(range.first.rawValue))),
                .init("last", .integer(Int(range.last.rawValue))),
                .init("ancs", .boolean(concernsANCS)),
            ]
        case .requestRefused(let opcode, let handle, let code, let characteristic):
            [
                .init("kind", "refused"), .init("request", .string(opcode.text)),
                .init("handle", .integer(Int(handle.rawValue))),
            ] + (characteristic.map { [.init("characteristic", .string($0.rawValue))] } ?? [])
                + code.members
        case .requestUnanswered(let opcode, let since, let ending):
            [
                .init("kind", "unanswered"), .init("request", .string(opcode.text)),
                .init("since", .number((since - start).seconds)),
                .init("why", .string(ending.text)),
            ]
        case .strayResponse(let opcode):
            [.init("kind", "stray"), .init("response", .string(opcode.text))]
        case .unreadable(let channel, let octets):
            [
                .init("kind", "unreadable"), .init("channel", .string(channel)),
                .init("octets", .integer(octets)),
            ]
        case .subscription, .sessionBegan, .sessionEnded, .source, .command, .commandResult,
            .commandUnanswered, .answer, .strayAnswer:
            nil
        }
    }

    // MARK: Sessions

    /// Most events of a long capture are of this kind, so they are written without arrays of members.
    private func describeSession(since start: CaptureTime, to object: inout JSONWriter) {
        switch event {
        case .subscription(let characteristic, let isOn):
            object.add("kind", "subscription")
            object.add("characteristic", .string(characteristic.rawValue))
            object.add("subscribed", .boolean(isOn))
        case .sessionBegan:
            object.add("kind", "session")
            object.add("state", "began")
        case .sessionEnded(let counts):
            object.add("kind", "session")
            object.add("state", "ended")
            object.add(counts.members)
        case .source(let octets, _): LineDecoder.describe(source: octets, to: &object)
        case .command(let write, let hasResponse):
            LineDecoder.describe(write, to: &object)
            if !hasResponse { object.add("withoutResponse", true) }
        case .commandResult(let write, let error, let duration, _):
            object.add("kind", "controlPointResult")
            write.describeSubject(to: &object)
            object.add("result", error == nil ? "performed" : "refused")
            if let error { object.add(error.members) }
            object.add("seconds", .number(duration.seconds))
        case .commandUnanswered(let write, let since, let ending, _):
            object.add("kind", "unanswered")
            write.describeSubject(to: &object)
            object.add("since", .number((since - start).seconds))
            object.add("why", .string(ending.text))
        case .answer(let answer, _):
            answer.content.describe(to: &object)
            object.add("seconds", .number(answer.duration.seconds))
            object.add("late", .boolean(answer.isLate))
        case .strayAnswer(let octets, let isFromBefore):
            DataSourceAnswer([octets], to: nil).describe(to: &object)
            object.add("stray", true)
            object.add("beforeCapture", .boolean(isFromBefore))
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .malformed,
            .connected, .connectingFailed, .transport, .channel, .basicRate, .parametersWanted,
            .parametersAnswered, .parametersChanged,
            .parametersRefused, .disconnecting, .disconnected, .encryption, .keyMissing, .pairing,
            .mtu, .name, .services,
            .serviceMissing, .handles, .serviceChanged, .requestRefused, .requestUnanswered,
            .strayResponse, .unreadable:
            break
        }
    }
}

extension Happening.Write {
    /// The identity of the command, without the attributes that it asks for.
    fileprivate func describeSubject(to object: inout JSONWriter) {
        guard let command else {
            let error = LineDecoder.controlPoint(octets)["error"]
            if let error { object.add("error", error) }
            return
        }
        command.describeSubject(to: &object)
    }
}

extension Happening.Side {
    var member: JSONValue.Member {
        .init("side", self == .local ? "local" : "remote")
    }
}

extension Happening.ConnectionFacts {
    fileprivate var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("kind", "connection"), .init("state", "connected"),
        ]
        if let address {
            members.append(.init("address", .string(address.text)))
            members.append(.init("addressType", .string(address.kindText)))
        } else {
            members.append(.init("beforeCapture", true))
        }
        if let identity { members.append(.init("identity", .string(identity.text))) }
        if let role {
            members.append(.init("role", role == .central ? "central" : "peripheral"))
        }
        if let transport { members.append(.init("transport", .string(transport.rawValue))) }
        if let asker { members.append(.init("by", asker == .local ? "local" : "remote")) }
        if let deviceClass {
            members.append(.init("deviceClass", .integer(Int(deviceClass.rawValue))))
        }
        if let earlier { members.append(.init("sameAsConnection", .integer(earlier))) }
        return members + (parameters?.members ?? [])
    }
}

extension Happening.LinkParameters {
    fileprivate var members: [JSONValue.Member] {
        [
            .init("intervalMilliseconds", .number(Double(interval.rawValue) * 1.25)),
            .init("latency", .integer(Int(latency))),
            .init("timeoutMilliseconds", .integer(Int(supervisionTimeout.rawValue) * 10)),
        ]
    }
}

extension Happening.PairingEvent {
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .wanted(let side): [.init("state", "wanted"), side.member]
        case .began(let side): [.init("state", "began"), side.member]
        case .agreed(let terms): [.init("state", "agreed")] + terms.members
        case .succeeded(let terms): [.init("state", "succeeded")] + terms.members
        case .failed(let reason, let side):
            [
                .init("state", "failed"), side.member, .init("reason", .string(reason.message)),
                .init("code", .integer(Int(reason.rawValue))),
            ]
        case .stopped(let status, let transport):
            [
                .init("state", "failed"),
                .init("reason", .string(status.pairingMessage(over: transport))),
                .init("code", .integer(Int(status.rawValue))),
            ]
        case .unfinished: [.init("state", "unfinished")]
        case .identity(let side, let address):
            [
                .init("state", "identity"), side.member, .init("address", .string(address.text)),
                .init("addressType", .string(address.kindText)),
            ]
        case .confirming: [.init("state", "confirming")]
        case .confirmed(let side): [.init("state", "confirmed"), side.member]
        case .refused(let side): [.init("state", "refused"), side.member]
        case .deriving(let side): [.init("state", "deriving"), side.member]
        case .derived(let hasKeys): [.init("state", hasKeys ? "derived" : "notDerived")]
        case .notDerived(let reason, let side):
            [
                .init("state", "notDerived"), side.member,
                .init("reason", .string(reason.message)),
                .init("code", .integer(Int(reason.rawValue))),
            ]
        }
    }
}

extension Happening.PairingTerms {
    fileprivate var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let method { members.append(.init("method", .string(method.name))) }
        switch scheme {
        case .lowEnergy(let usesSecureConnections, let keySize, let derivesLinkKey):
            members += [
                .init("secureConnections", .boolean(usesSecureConnections)),
                .init("authenticated", .boolean(method?.isAuthenticated ?? false)),
                .init("bonding", .boolean(isBonding)), .init("keySize", .integer(keySize)),
            ]
            if derivesLinkKey { members.append(.init("derivesLinkKey", true)) }
        case .basicRate(let kind):
            members.append(.init("transport", .string(Happening.Transport.basicRate.rawValue)))
            if let usesSecureConnections = kind?.usesSecureConnections {
                members.append(.init("secureConnections", .boolean(usesSecureConnections)))
            }
            let isAuthenticated = kind?.isAuthenticated ?? method?.isAuthenticated
            if let isAuthenticated {
                members.append(.init("authenticated", .boolean(isAuthenticated)))
            }
            members.append(.init("bonding", .boolean(isBonding)))
        }
        return members
    }
}

extension Happening.PairingMethod {
    /// A PIN is known to the other side alone, but it is short.
    fileprivate var isAuthenticated: Bool {
        switch self {
        case .model(let model): model.isAuthenticated
        case .pin: false
        }
    }

    fileprivate var name: String {
        switch self {
        case .model(.justWorks): "justWorks"
        case .model(.numericComparison): "numericComparison"
        case .model(.passkeyEntry): "passkeyEntry"
        case .model(.outOfBand): "outOfBand"
        case .pin: "pin"
        }
    }
}

extension ANCSHandles {
    fileprivate var members: [JSONValue.Member] {
        let handles = [
            ("notificationSource", notificationSource),
            ("notificationSourceConfiguration", notificationSourceConfiguration),
            ("controlPoint", controlPoint), ("dataSource", dataSource),
            ("dataSourceConfiguration", dataSourceConfiguration),
        ]
        return handles.compactMap { name, handle in
            handle.map { JSONValue.Member(name, .integer(Int($0.rawValue))) }
        }
    }
}

extension Happening.HandleOrigin {
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .discovered: [.init("origin", "discovered")]
        case .remembered(let number):
            [.init("origin", "remembered"), .init("fromConnection", .integer(number))]
        case .inferred: [.init("origin", "inferred")]
        }
    }
}

extension Happening.SessionCounts {
    fileprivate var members: [JSONValue.Member] {
        [
            .init("added", .integer(added)), .init("modified", .integer(modified)),
            .init("removed", .integer(removed)), .init("answered", .integer(answered)),
            .init("refused", .integer(refused)), .init("unanswered", .integer(unanswered)),
        ]
    }
}

extension HCIStatus {
    fileprivate var members: [JSONValue.Member] {
        [.init("reason", .string(captureMessage)), .init("code", .integer(Int(rawValue)))]
    }
}

extension ATTErrorCode {
    fileprivate var members: [JSONValue.Member] {
        [
            .init("attError", .integer(Int(rawValue))), .init("name", .string(name)),
            .init("meaning", .string(meaning)),
        ]
    }
}
