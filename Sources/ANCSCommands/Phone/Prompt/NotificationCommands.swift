internal import ANCS
internal import ANCSKit

extension PromptCommands {
    static let notificationCommands: [any PromptCommand.Type] = [
        Post.self, Modify.self, Remove.self, ListNotifications.self,
    ]

    struct Post: PromptCommand {
        var app: String
        var change: NotificationChange

        static let words = ["post"]
        static let operands: [PromptOperand] = [
            .required("APP", .installedApps),
            // The title may be given as `title=` instead.
            .optional("TITLE"),
            .optional("[MESSAGE] [KEY=VALUE]… [silent] [important]", .settings).andMore,
        ]
        static let help =
            "post a notification; keys: \(NotificationChange.keys.joined(separator: ", "))"

        init(reading operands: [String]) throws(PromptFault) {
            var (change, rest) = try NotificationChange.taking(operands)
            guard (1...3).contains(rest.count) else { throw Self.usage }
            guard rest.count > 1 || change.title != nil else {
                let app = PromptWords.quoted(rest[0])
                throw PromptFault(
                    message: "the notification has no title: post \(app) TITLE, or title= for one "
                        + "without")
            }
            if rest.count > 1 { change.title = rest[1] }
            if rest.count > 2 { change.message = rest[2] }
            app = rest[0]
            self.change = change
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let app = try await phone.app(named: app)
            var notification = ProviderNotification(
                appIdentifier: app, date: .now, negativeActionLabel: "Clear")
            let known = PromptPhone.usualApps.first { $0.0 == app.description }
            if let category = known?.2 { notification.categoryID = category }
            change.apply(to: &notification)
            let complete = notification
            try await phone.change { provider throws(StoreError) in
                try await provider.post(complete)
            }
        }
    }

    struct Modify: PromptCommand {
        var number: UInt64
        var change: NotificationChange

        static let words = ["modify"]
        static let operands: [PromptOperand] = [
            .required("N", .notifications), .optional("[KEY=VALUE]…", .settings).andMore,
        ]
        static let help = "change notification N"

        init(reading operands: [String]) throws(PromptFault) {
            let (change, rest) = try NotificationChange.taking(operands)
            guard rest.count == 1 else { throw Self.usage }
            number = try PromptCommands.number(rest[0])
            self.change = change
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            let id = try await phone.notification(number)
            try await phone.change { provider throws(StoreError) in
                try await provider.modify(id) { change.apply(to: &$0) }
            }
        }
    }

    struct Remove: PromptCommand {
        /// `nil` for all of them.
        var numbers: [UInt64]?

        static let words = ["remove"]
        static let operands = [PromptOperand.required("N…|all", .notifications).andMore]
        static let help = "remove notifications"

        init(_ numbers: [UInt64]?) { self.numbers = numbers }

        init(reading operands: [String]) throws(PromptFault) {
            guard operands != ["all"] else { return }
            var numbers: [UInt64] = []
            for word in operands { numbers.append(try PromptCommands.number(word)) }
            self.numbers = numbers
        }

        func carryOut(on phone: PromptPhone) async throws(PromptFault) {
            guard let numbers else {
                for id in await phone.provider.notifications { try await remove(id, from: phone) }
                return
            }
            for number in numbers {
                let id: NotificationID
                do throws(PromptFault) { id = try await phone.notification(number) } catch {
                    // Continue with the others.
                    await phone.complain(error)
                    continue
                }
                try await remove(id, from: phone)
            }
        }

        private func remove(
            _ id: NotificationID, from phone: PromptPhone
        ) async throws(PromptFault) {
            try await phone.change { provider throws(StoreError) in try await provider.remove(id) }
        }
    }

    struct ListNotifications: PlainPromptCommand {
        static let words = ["notifications"]
        static let help = "list the notifications"

        func carryOut(on phone: PromptPhone) async {
            var list: [(id: NotificationID, notification: ProviderNotification)] = []
            for id in await phone.provider.notifications {
                if let notification = await phone.provider.notification(id) {
                    list.append((id, notification))
                }
            }
            await phone.show(phone.report.lines(of: list))
        }
    }
}

extension NotificationChange {
    /// The changes among the words, and the remaining words.
    fileprivate static func taking(
        _ words: [String]
    ) throws(PromptFault) -> (NotificationChange, rest: [String]) {
        var change = NotificationChange()
        var rest: [String] = []
        do throws(NotificationChange.Fault) {
            for word in words where try !change.take(word) { rest.append(word) }
        } catch { throw PromptFault(message: error.message) }
        return (change, rest)
    }
}
