internal import AccessoryConformance
internal import DeviceCommandKit

extension PhonePrompt {
    /// The words that can follow the text typed so far.
    func completions(of line: String) -> [String] {
        guard let words = try? PromptWords.split(line) else { return [] }
        return PromptCommands.candidates(after: words).flatMap(words(of:)).map(PromptWords.quoted)
    }

    private func words(of candidates: WordCandidates) -> [String] {
        switch candidates {
        case .words(let words): words
        case .known(let source): words(of: source)
        }
    }

    private func words(of source: WordSource) -> [String] {
        switch source {
        case .installedApps:
            atPhone { phone in
                phone.apps.compactMap { phone.displayName(of: $0) }.sorted(byText: \.self)
            }
        case .notifications: atPhone { phone in phone.notifications.map(\.rawValue.description) }
        case .ringingCalls: atPhone { phone in phone.ringingCalls.map(\.rawValue.description) }
        case .activeCalls: atPhone { phone in phone.activeCalls.map(\.rawValue.description) }
        case .accessories: atPhone { phone in phone.accessories.map(Self.name) }
        case .boundApps: boundApps.map(\.name)
        case .services: Set(boundApps.map(\.service.text)).sorted(byText: \.self)
        case .files, .directories, .scenarios, .monikers, .adapters: []
        }
    }

    /// The phone runs on the same loop, so it can be read synchronously.
    private func atPhone(_ body: (isolated NotificationProvider) -> [String]) -> [String] {
        provider.assumeOnLoop(body)
    }

    /// The identifier of an app, by its display name or identifier; an identifier need not be installed (S23).
    func identifier(ofApp name: String) throws(PromptFault) -> String {
        let known = atPhone { phone in
            phone.apps.filter { app in
                app.description == name
                    || phone.displayName(of: app)?.lowercased() == name.lowercased()
            }.map(\.description)
        }
        if let app = known.first(where: { $0 == name }) ?? known.min() { return app }
        guard name.contains(".") else {
            throw PromptFault(message: "unknown app '\(name)'; 'apps' lists the known ones")
        }
        return name
    }

    private var boundApps: [BoundApp] { apps.assumeOnLoop { apps in apps.entries.map(\.app) } }

    private static func name(of accessory: Accessory) -> String {
        let description = accessory.description
        // A name received over the air may contain control characters.
        let name = description.name.flatMap { TerminalText.visible($0) == $0 ? $0 : nil }
        return name ?? description.identity ?? description.address
    }
}
