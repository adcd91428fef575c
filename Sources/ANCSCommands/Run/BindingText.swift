internal import Terminal
internal import AccessoryConformance
internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText

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
        var members = [JSONValue.Member("state", .string(word))]
        if let accessory { members.append(.init("peripheral", .string(accessory.text))) }
        return members
    }
}

extension BoundApps.Event {
    /// What is said about the event, without the app; nothing for people if another event describes it better.
    var line: Line {
        switch event {
        case .stateChanged(let state): line(state.jsonMembers, state.change)
        case .bound(let identifier, let name):
            line(
                [.init("change", "bound"), .init("peripheral", .string(identifier.text))]
                    + (name.map { [.init("name", .string($0))] } ?? []),
                "is bound to \(name ?? identifier.text)")
        case .unbound: line([.init("change", "unbound")], "is unbound")
        case .justUnbound: line([.init("change", "justUnbound")], "was unbound")
        case .accessoryUnknown(let identifier):
            line(
                [
                    .init("change", "accessoryUnknown"),
                    .init("peripheral", .string(identifier.text)),
                ],
                "is bound to an accessory that the phone no longer knows")
        case .warning(let warning):
            line(
                [.init("change", "warning"), .init("text", .string(warning.message))],
                warning.message)
        case .missed(let count):
            line(
                [.init("change", "missed"), .init("count", .integer(count))], droppedText(count))
        }
    }

    private func line(_ members: [JSONValue.Member], _ sentence: String?) -> Line {
        Line("binding", [.init("app", .string(app))] + members, sentence)
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
        var members: [JSONValue.Member] = [
            .init("app", .string(app.name)), .init("service", .string(app.service.text)),
        ]
        members += state.jsonMembers
        if let accessoryName { members.append(.init("name", .string(accessoryName))) }
        return .object(members)
    }
}
