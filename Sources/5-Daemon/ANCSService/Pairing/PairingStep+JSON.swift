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
        let subject = [JSONValue.Member](present: [
            "event": "pairing", "step": .string(word), "number": .integer(number),
            "text": .string(text), "time": .string(time),
            "phone": phone.map { .string($0.digest) }, "name": phone?.name.map { .string($0) },
        ])
        return .object(subject + details)
    }

    private var details: [JSONValue.Member] {
        switch kind {
        case .opened(let seconds): [.init("seconds", .integer(seconds))]
        case .crowd(let count), .hesitation(let count): [.init("count", .integer(count))]
        case .asks(let kind): [.init("question", .string(kind.rawValue))]
        case .paired(let replaced?): [.init("replaced", .string(replaced.name ?? ""))]
        case .ended(.receiving): [.init("result", "receiving")]
        case .ended(.failed(let cause)):
            [JSONValue.Member](present: [
                "result": "failed", "cause": .string(cause.word),
                "count": cause.count.map { .integer($0) },
            ])
        case .alreadyReceiving, .onAir, .offAir, .obstacle, .connected, .noDigits, .declined,
            .failed, .paired(nil), .noService, .consentMissing, .silent, .keyTrouble,
            .adapterFailed, .otherApp, .otherCauses:
            []
        }
    }
}

extension PairingCause {
    /// How many devices connected and did not pair, where that is the cause.
    fileprivate var count: Int? { if case .neverPaired(let count) = self { count } else { nil } }

    /// The word of a cause.
    package var word: String {
        switch self {
        case .closed: "closed"
        case .adapterGone: "adapterGone"
        case .consentMissing: "consentMissing"
        case .noService: "noService"
        case .silent: "silent"
        case .left: "left"
        case .unaccepted: "unaccepted"
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
