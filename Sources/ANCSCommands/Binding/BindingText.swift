internal import Terminal
internal import AccessoryConformance
internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText

// Descriptions of the bindings of apps, in words and in JSON.

extension AccessoryBinding.State {
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
    /// The event in one line for users; `nil` if another event describes it better.
    var text: String? {
        switch event {
        case .stateChanged(.searching): "looks for an accessory"
        case .stateChanged(.connecting): "waits for its accessory"
        case .stateChanged(.connected): "is connected"
        case .stateChanged(.unbound), .stateChanged(.justUnbound), .stateChanged(.bound): nil
        case .bound(let identifier, let name): "is bound to \(name ?? identifier.text)"
        case .unbound: "is unbound"
        case .justUnbound: "was unbound"
        case .accessoryUnknown: "is bound to an accessory that the phone no longer knows"
        case .warning(let warning): warning.message
        case .missed(let count): droppedText(count)
        }
    }

    /// `{"event":"binding","app":NAME,…}`.
    var json: JSONValue {
        .object(
            [.init("event", "binding"), .init("app", .string(app))] + members)
    }

    private var members: [JSONValue.Member] {
        switch event {
        case .stateChanged(let state): state.jsonMembers
        case .bound(let identifier, let name):
            [.init("change", "bound"), .init("peripheral", .string(identifier.text))]
                + (name.map { [.init("name", .string($0))] } ?? [])
        case .unbound: [.init("change", "unbound")]
        case .justUnbound: [.init("change", "justUnbound")]
        case .accessoryUnknown(let identifier):
            [.init("change", "accessoryUnknown"), .init("peripheral", .string(identifier.text))]
        case .warning(let warning):
            [.init("change", "warning"), .init("text", .string(warning.message))]
        case .missed(let count): [.init("change", "missed"), .init("count", .integer(count))]
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
        var members: [JSONValue.Member] = [
            .init("app", .string(app.name)), .init("service", .string(app.service.text)),
        ]
        members += state.jsonMembers
        if let accessoryName { members.append(.init("name", .string(accessoryName))) }
        return .object(members)
    }
}
