internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension PhonePrompt {
    /// The words that may follow what was typed so far.
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

    /// The phone lives on the same loop: it is asked on the spot.
    private func atPhone(_ body: (isolated NotificationProvider) -> [String]) -> [String] {
        provider.assumeIsolated(body)
    }

    private var boundApps: [BoundApp] {
        apps.assumeIsolated { apps in apps.entries.map(\.app) }
    }

    private static func name(of accessory: Accessory) -> String {
        let description = accessory.description
        // A name from the air may hold what a terminal would obey.
        let name = description.name.flatMap { TerminalText.visible($0) == $0 ? $0 : nil }
        return name ?? description.identity ?? description.address
    }
}
