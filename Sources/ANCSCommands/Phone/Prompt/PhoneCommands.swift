internal import ANCSKit

extension PromptCommands {
    static let serviceCommands: [any PromptCommand.Type] = [Service.self]

    struct Service: PromptCommand {
        var isPublished: Bool
        /// Whether Service Changed is indicated.
        var isAnnounced: Bool

        static let words = ["service"]
        static let operands: [PromptOperand] = [
            onOrOff, .optional("[silently]", .words(["silently"])),
        ]
        static let help = "publish or withdraw ANCS; silently: without Service Changed"

        init(isPublished: Bool, isAnnounced: Bool) {
            self.isPublished = isPublished
            self.isAnnounced = isAnnounced
        }

        init(reading operands: [String]) throws(PromptFault) {
            let isSilent = operands.dropFirst() == ["silently"]
            guard let isPublished = PromptCommands.isOn(operands[0]),
                operands.count == 1 || isSilent
            else { throw Self.usage }
            self.init(isPublished: isPublished, isAnnounced: !isSilent)
        }

        func carryOut(on phone: PromptPhone) async {
            await phone.provider.setANCSPublished(isPublished, announcing: isAnnounced)
        }
    }

    static let phoneCommands: [any PromptCommand.Type] = [Restart.self, Help.self, Quit.self]

    struct Restart: PlainPromptCommand {
        static let words = ["restart"]
        static let help = "switch the phone off and on"

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            await phone.provider.restart()
            do throws(BoundApps.Fault) { try await phone.apps.relaunch() } catch {
                throw PromptFault(message: error.message)
            }
        }
    }

    struct Help: PlainPromptCommand {
        static let words = ["help", "?"]
        static let help = "show this text"

        func carryOut(on phone: PromptPhone) async { await phone.show(PromptCommands.help) }
    }

    struct Quit: PlainPromptCommand {
        static let words = ["quit", "exit"]
        static let help = "exit"

        func carryOut(on phone: PromptPhone) async { await phone.provider.stop() }
    }
}
