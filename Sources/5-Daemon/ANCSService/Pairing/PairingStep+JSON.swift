internal import ANCSReceiver
package import Kinds

// A step for programs: on the bus, and as a line of `ancs pair --json`.
extension PairingStep {
    /// The words of the steps.
    package enum Word: String, CaseIterable, Sendable {
        case opened, alreadyReceiving, onAir, offAir, obstacle, connected, crowd, asks, noDigits
        case declined, failed, paired, noService, consentMissing, silent, keyTrouble, adapterFailed
        case otherApp, hesitation, otherCauses, ended
    }

    private var step: Word {
        switch kind {
        case .opened: .opened
        case .alreadyReceiving: .alreadyReceiving
        case .onAir: .onAir
        case .offAir: .offAir
        case .obstacle: .obstacle
        case .connected: .connected
        case .crowd: .crowd
        case .asks: .asks
        case .noDigits: .noDigits
        case .declined: .declined
        case .failed: .failed
        case .paired: .paired
        case .noService: .noService
        case .consentMissing: .consentMissing
        case .silent: .silent
        case .keyTrouble: .keyTrouble
        case .adapterFailed: .adapterFailed
        case .otherApp: .otherApp
        case .hesitation: .hesitation
        case .otherCauses: .otherCauses
        case .ended: .ended
        }
    }

    /// The word of the step.
    package var word: String { step.rawValue }

    /// The object: the step, its number among those of this run of the daemon, from 1, and its time.
    package static let form = ObjectForm<(step: PairingStep, number: Int, time: String)>(
        .word("step", \.step.step),
        .number(
            "number", SchemaFragment.ordinal.described("counts the steps since the daemon started"),
            \.number),
        .text(
            "text",
            .nonemptyText.described(
                "what happened and what to do, in one sentence. It may contain the name of a phone, "
                    + "which is untrusted"), \.step.text), .text("time", .time, \.time),
        .text("phone?", .phone, \.step.phone?.digest),
        .text("name?", .text.described("the name of the phone, untrusted"), \.step.phone?.name),
        .number("seconds?", .ordinal.described("of `opened`: how long phones may pair")) {
            if case .opened(let seconds) = $0.step.kind { seconds } else { nil }
        },
        .word("question?") { if case .asks(let question) = $0.step.kind { question } else { nil } },
        .text(
            "replaced?",
            .text.described(
                "of `paired`: the name of the phone whose keys were replaced; empty if it has none")
        ) {
            if case .paired(let replaced?) = $0.step.kind { replaced.name ?? "" } else { nil }
        },
        .text(
            "result?",
            .words(["receiving", "failed"]).described("of `ended`: whether notifications arrive")
        ) {
            if case .ended(let outcome) = $0.step.kind {
                outcome == .receiving ? "receiving" : "failed"
            } else {
                nil
            }
        }, .word("cause?", \.step.cause?.name),
        .number(
            "count?",
            .ordinal.described(
                "of `crowd`, `hesitation` and the cause `neverPaired`: how often devices that are not paired "
                    + "have connected"), \.step.count))

    /// The object as a line.
    package func json(number: Int, time: String) -> JSONValue {
        .object([.init("event", "pairing")] + Self.form.members(of: (self, number, time)))
    }

    private var cause: PairingCause? {
        if case .ended(.failed(let cause)) = kind { cause } else { nil }
    }

    private var count: Int? {
        if case .crowd(let count) = kind { return count }
        if case .hesitation(let count) = kind { return count }
        return if case .neverPaired(let count) = cause { count } else { nil }
    }
}

extension PairingCause {
    /// The words of the causes.
    package enum Word: String, CaseIterable, Sendable {
        case closed, adapterGone, consentMissing, noService, silent, left, unaccepted, unfinished
        case keyTrouble, declined, unanswered, failed, noDigits, neverPaired, notOnAir, noDevice
    }

    /// The word of the cause.
    package var word: String { name.rawValue }

    fileprivate var name: Word {
        switch self {
        case .closed: .closed
        case .adapterGone: .adapterGone
        case .consentMissing: .consentMissing
        case .noService: .noService
        case .silent: .silent
        case .left: .left
        case .unaccepted: .unaccepted
        case .unfinished: .unfinished
        case .keyTrouble: .keyTrouble
        case .declined: .declined
        case .unanswered: .unanswered
        case .failed: .failed
        case .noDigits: .noDigits
        case .neverPaired: .neverPaired
        case .notOnAir: .notOnAir
        case .noDevice: .noDevice
        }
    }
}
