internal import AccessoryConformance
internal import Printing

// Descriptions of the bindings of apps, in words and in JSON.

extension AccessoryBinding.State {
    /// What an app does from now on; `nil` where another event says it better.
    fileprivate var change: String? {
        switch self {
        case .searching: "looks for an accessory"
        case .connecting: "waits for its accessory"
        case .connected: "is connected"
        case .unbound, .justUnbound, .bound: nil
        }
    }

    private var word: String {
        switch self {
        case .unbound: "unbound"
        case .justUnbound: "justUnbound"
        case .bound: "bound"
        case .searching: "searching"
        case .connecting: "connecting"
        case .connected: "connected"
        }
    }

    fileprivate var jsonMembers: [JSONValue.Member] {
        [JSONValue.Member](present: ["state": .string(word), "peripheral": accessory?.json])
    }
}

extension PeerIdentifier { fileprivate var json: JSONValue { .string(text) } }

extension BoundApps.Event {
    /// What is said about the event, without the app; nothing for people if another event describes it better.
    var line: Line {
        let app = JSONValue.Member("app", .string(app))
        func line(
            _ change: String, _ members: KeyValuePairs<String, JSONValue?>, _ sentence: String
        ) -> Line {
            Line(
                "binding",
                [app, .init("change", .string(change))] + [JSONValue.Member](present: members),
                sentence)
        }
        return switch event {
        case .stateChanged(let state): Line("binding", [app] + state.jsonMembers, state.change)
        case .bound(let identifier, let name):
            line(
                "bound", ["peripheral": identifier.json, "name": name.map { .string($0) }],
                "is bound to \(name ?? identifier.text)")
        case .unbound: line("unbound", [:], "is unbound")
        case .justUnbound: line("justUnbound", [:], "was unbound")
        case .accessoryUnknown(let identifier):
            line(
                "accessoryUnknown", ["peripheral": identifier.json],
                "is bound to an accessory that the phone no longer knows")
        case .warning(let warning):
            line("warning", ["text": .string(warning.message)], warning.message)
        case .missed(let count): line("missed", ["count": .integer(count)], droppedText(count))
        }
    }
}

extension BoundApps.Entry {
    /// The entry in one line, for users.
    var text: String {
        let accessory = accessoryName ?? state.accessory?.text
        return "\(app.name) · \(app.service.text) · \(state.text)"
            + (accessory.map { " · \($0)" } ?? "")
    }

    /// The members of the list of bindings.
    var json: JSONValue {
        .object(
            [JSONValue.Member](present: [
                "app": .string(app.name), "service": .string(app.service.text),
            ]) + state.jsonMembers
                + [JSONValue.Member](present: ["name": accessoryName.map { .string($0) }]))
    }
}
