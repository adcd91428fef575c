internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension PhonePrompt {
    /// The words that may follow what was typed so far.
    func completions(of line: String) -> [String] {
        guard let words = try? PromptWords.split(line) else { return [] }
        guard let command = words.first else { return PromptCommand.syntaxes.map(\.name) }
        switch (command, words.count) {
        case ("bind", 2), ("unbind", 1):
            return apps.assumeIsolated { apps in apps.entries.map(\.app.name) }
        case ("bind", 1):
            let services = apps.assumeIsolated { apps in apps.entries.map(\.app.service.text) }
            return Set(services).sorted()
        default:
            return provider.assumeIsolated { phone in
                Self.operands(of: command, at: words.count, of: phone).map(PromptWords.quoted)
            }
        }
    }

    private static func operands(
        of command: String, at position: Int, of phone: isolated NotificationProvider
    ) -> [String] {
        let settings = NotificationChange.keys.map { $0 + "=" } + NotificationChange.flags
        return switch (command, position) {
        case ("post", 1), ("uninstall", 1):
            phone.apps.compactMap { phone.displayName(of: $0) }.sorted()
        case ("post", 3...): settings
        case ("modify", 1), ("remove", _): phone.notifications.map { String($0.rawValue) }
        case ("modify", 2...): settings
        case ("answer", 1), ("decline", 1), ("stop", 1):
            phone.ringingCalls.map { String($0.rawValue) }
        case ("hangup", 1): phone.activeCalls.map { String($0.rawValue) }
        case ("consent", 1), ("service", 1): ["on", "off"]
        case ("service", 2): ["silently"]
        case ("consent", 2), ("pair", 1), ("disconnect", 1), ("forget", 1):
            phone.accessories.map { accessory in
                let description = accessory.description
                // A name from the air may hold what a terminal would obey.
                let name = description.name.flatMap { TerminalText.visible($0) == $0 ? $0 : nil }
                return name ?? description.identity ?? description.address
            }
        default: []
        }
    }
}
