internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension PhonePrompt {
    /// The words that can follow the text typed so far.
    func completions(of line: String) -> [String] {
        guard let words = try? PromptWords.split(line) else { return [] }
        return candidates(PromptCommands.candidates(after: words)).map(PromptWords.quoted)
    }

    private func candidates(_ kind: PromptCandidates) -> [String] {
        switch kind {
        case .unknown: []
        case .words(let words): words
        case .settings: NotificationChange.keys.map { $0 + "=" } + NotificationChange.flags
        case .installedApps:
            atPhone { phone in phone.apps.compactMap { phone.displayName(of: $0) }.sorted() }
        case .notifications: atPhone { phone in phone.notifications.map(\.rawValue.description) }
        case .ringingCalls: atPhone { phone in phone.ringingCalls.map(\.rawValue.description) }
        case .activeCalls: atPhone { phone in phone.activeCalls.map(\.rawValue.description) }
        case .accessories: atPhone { phone in phone.accessories.map(Self.name) }
        case .boundApps: boundApps.map(\.name)
        case .services: Set(boundApps.map(\.service.text)).sorted()
        }
    }

    /// The phone runs on the same loop, so it can be read synchronously.
    private func atPhone(_ body: (isolated NotificationProvider) -> [String]) -> [String] {
        provider.assumeIsolated(body)
    }

    private var boundApps: [BoundApp] {
        apps.assumeIsolated { apps in apps.entries.map(\.app) }
    }

    private static func name(of accessory: Accessory) -> String {
        let description = accessory.description
        // A name received over the air may contain control characters.
        let name = description.name.flatMap { TerminalText.visible($0) == $0 ? $0 : nil }
        return name ?? description.identity ?? description.address
    }
}
