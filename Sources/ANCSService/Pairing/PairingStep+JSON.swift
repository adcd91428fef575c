internal import ANCSReceiver
package import JSONText

// A step for programs: on the bus, and as a line of `ancs pair --json`.
extension PairingStep {
    /// The word of a step, and of the cause if it is the last one.
    package var word: String {
        switch kind {
        case .opened: "opened"
        case .alreadyReceiving: "alreadyReceiving"
        case .onAir: "onAir"
        case .offAir: "offAir"
        case .obstacle: "obstacle"
        case .connected: "connected"
        case .crowd: "crowd"
        case .asks: "asks"
        case .noDigits: "noDigits"
        case .declined: "declined"
        case .failed: "failed"
        case .paired: "paired"
        case .noService: "noService"
        case .consentMissing: "consentMissing"
        case .silent: "silent"
        case .keyTrouble: "keyTrouble"
        case .adapterFailed: "adapterFailed"
        case .otherApp: "otherApp"
        case .hesitation: "hesitation"
        case .otherCauses: "otherCauses"
        case .ended: "ended"
        }
    }

    /// The object: `number` counts the steps of this run of the daemon, from 1.
    package func json(number: Int, time: String) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("event", "pairing"), .init("step", .string(word)),
            .init("number", .integer(number)), .init("text", .string(text)),
            .init("time", .string(time)),
        ]
        if let phone {
            members.append(.init("phone", .string(phone.digest)))
            if let name = phone.name { members.append(.init("name", .string(name))) }
        }
        switch kind {
        case .opened(let seconds): members.append(.init("seconds", .integer(seconds)))
        case .crowd(let count), .hesitation(let count):
            members.append(.init("count", .integer(count)))
        case .asks(let kind): members.append(.init("question", .string(kind.rawValue)))
        case .paired(let replaced?):
            members.append(.init("replaced", .string(replaced.name ?? "")))
        case .ended(.receiving): members.append(.init("result", "receiving"))
        case .ended(.failed(let cause)):
            members += [.init("result", "failed"), .init("cause", .string(cause.word))]
            if case .neverPaired(let count) = cause {
                members.append(.init("count", .integer(count)))
            }
        case .alreadyReceiving, .onAir, .offAir, .obstacle, .connected, .noDigits, .declined,
            .failed, .paired(nil), .noService, .consentMissing, .silent, .keyTrouble,
            .adapterFailed, .otherApp, .otherCauses:
            break
        }
        return .object(members)
    }
}

extension PairingCause {
    /// The word of a cause.
    package var word: String {
        switch self {
        case .closed: "closed"
        case .adapterGone: "adapterGone"
        case .consentMissing: "consentMissing"
        case .noService: "noService"
        case .silent: "silent"
        case .left: "left"
        case .unfinished: "unfinished"
        case .keyTrouble: "keyTrouble"
        case .declined: "declined"
        case .unanswered: "unanswered"
        case .failed: "failed"
        case .noDigits: "noDigits"
        case .neverPaired: "neverPaired"
        case .notOnAir: "notOnAir"
        case .noDevice: "noDevice"
        }
    }
}
