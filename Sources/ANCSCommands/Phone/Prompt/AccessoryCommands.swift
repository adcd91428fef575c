internal import ANCSKit

extension PromptCommands {
    static let accessoryCommands: [any PromptCommand.Type] = [
        ListAccessories.self, Consent.self, Pair.self, Disconnect.self, Forget.self,
    ]

    struct ListAccessories: PlainPromptCommand {
        static let words = ["accessories"]
        static let help = "list the accessories"

        func carryOut(on phone: PromptPhone) async {
            await phone.show(phone.report.lines(of: await phone.provider.accessories))
        }
    }

    struct Consent: PromptCommand {
        var isGiven: Bool
        var accessory: String?

        static let words = ["consent"]
        static let operands: [PromptOperand] = [
            onOrOff, .optional("[ACCESSORY]", .accessories),
        ]
        static let help = "switch Share System Notifications on or off"

        init(isGiven: Bool, accessory: String?) {
            self.isGiven = isGiven
            self.accessory = accessory
        }

        init(reading operands: [String]) throws(PromptFault) {
            guard let isGiven = PromptCommands.isOn(operands[0]) else { throw Self.usage }
            self.init(isGiven: isGiven, accessory: operands.count > 1 ? operands[1] : nil)
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            for id in try await phone.accessories(accessory) {
                await phone.provider.setConsent(isGiven, for: id)
            }
        }
    }

    struct Pair: AccessoryPromptCommand {
        var accessory: String?

        static let words = ["pair"]
        static let help = "pair, or encrypt with the bond"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            for id in try await phone.accessories(accessory) { await phone.provider.pair(id) }
        }
    }

    struct Disconnect: AccessoryPromptCommand {
        var accessory: String?

        static let words = ["disconnect"]
        static let help = "end the link"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            for id in try await phone.accessories(accessory) { await phone.provider.disconnect(id) }
        }
    }

    struct Forget: AccessoryPromptCommand {
        var accessory: String?

        static let words = ["forget"]
        static let help = "remove the bond"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            for id in try await phone.accessories(accessory) { await phone.provider.forget(id) }
        }
    }
}
