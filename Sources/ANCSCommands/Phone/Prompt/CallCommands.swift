internal import ANCS
internal import ANCSKit

extension PromptCommands {
    static let callCommands: [any PromptCommand.Type] = [
        Call.self, Answer.self, Decline.self, StopRinging.self, HangUp.self,
    ]

    struct Call: PromptCommand {
        var caller: String
        var line: String

        static let words = ["call"]
        static let operands: [PromptOperand] = [.required("CALLER"), .optional("[LINE]")]
        static let help = "make the phone ring"

        init(caller: String, line: String) {
            self.caller = caller
            self.line = line
        }

        init(reading operands: [String]) {
            self.init(caller: operands[0], line: operands.count > 1 ? operands[1] : "")
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            try await phone.change { provider throws(StoreError) in
                try await provider.ring(IncomingCall(caller: caller, line: line))
            }
        }
    }

    struct Answer: CallPromptCommand {
        var number: UInt64?

        static let words = ["answer"]
        static let help = "answer the call"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let id = try await phone.ringingCall(number)
            try await phone.change { provider throws(StoreError) in try await provider.answer(id) }
        }
    }

    struct Decline: CallPromptCommand {
        var number: UInt64?

        static let words = ["decline"]
        static let help = "decline the call, which becomes a missed call"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let id = try await phone.ringingCall(number)
            try await phone.change { provider throws(StoreError) in try await provider.decline(id) }
        }
    }

    struct StopRinging: CallPromptCommand {
        var number: UInt64?

        static let words = ["stop"]
        static let help = "make the caller hang up, which leaves a missed call"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let id = try await phone.ringingCall(number)
            try await phone.change { provider throws(StoreError) in
                try await provider.stopRinging(id)
            }
        }
    }

    struct HangUp: CallPromptCommand {
        var number: UInt64?

        static let words = ["hangup"]
        static let candidates = PromptCandidates.activeCalls
        static let help = "end the call that was answered"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let id = try phone.call(number, among: await phone.provider.activeCalls)
            try await phone.change { provider throws(StoreError) in try await provider.hangUp(id) }
        }
    }
}
