internal import LinuxIO

/// A name whose owner is of interest to somebody here.
final class BusName {
    enum Owner: Equatable {
        /// The bus was asked.
        case unknown
        /// The unique name of the program; `nil` where nobody has the name.
        case known(String?)
    }

    var owner = Owner.unknown
    /// How many subscriptions and watchers need it.
    var users = 0
    /// That of its changes.
    let subscription: UInt64

    init(subscription: UInt64) { self.subscription = subscription }
}

/// Somebody who wants to be told who owns a name.
struct BusNameWatcher {
    let key: UInt64
    let name: String
    /// What was told last.
    var told = BusName.Owner.unknown
    let handler: @Sendable (String?) -> Void
}

/// What became of the request of a name.
public enum BusNameOutcome: Hashable, Sendable {
    /// The name is this connection's until it ends or gives it back.
    case owned
    /// Another program has it.
    case taken
}

extension BusConnection {
    /// Tells `handler` who owns a name: at first who does at present, then each change. It is a unique name,
    /// such as `:1.5`, or `nil` for nobody; never the same twice in a row. Where one program takes the name
    /// right after another, both are told, and nobody in between only if that was so. On the loop only.
    @discardableResult
    public func watch(
        name: String, handler: @escaping @Sendable (_ owner: String?) -> Void
    ) -> BusSubscription {
        loop.checkIsolated()
        let key = makeKey()
        guard handle != nil else { return BusSubscription(key: key) }
        useOwner(of: name)
        watchers.append(BusNameWatcher(key: key, name: name, handler: handler))
        later { [weak self] in self?.tell(key) }
        return BusSubscription(key: key)
    }

    /// Asks for a well-known name; it is not waited for, and not taken from another program. On the loop only.
    public func requestName(
        _ name: String, reply: @escaping @Sendable (Result<BusNameOutcome, BusError>) -> Void
    ) {
        loop.checkIsolated()
        // D-Bus specification, `RequestName`: the flag DO_NOT_QUEUE; the answers PRIMARY_OWNER and
        // ALREADY_OWNER.
        let request = BusCall.bus("RequestName", [.string(name), .uint32(4)])
        call(request, within: Self.limitOfBus) { result in
            reply(result.map { [1, 4].contains($0.first?.integer) ? .owned : .taken })
        }
    }

    /// Gives a name back. On the loop only; what is not this connection's stays as it is.
    public func releaseName(_ name: String) {
        loop.checkIsolated()
        // It can only fail where the connection has ended, and the ownership with it.
        try? tellBus("ReleaseName", [.string(name)])
    }

    // MARK: Owners

    /// Sees to it that the owner of a name is known.
    func useOwner(of name: String) {
        if let known = names[name] {
            known.users += 1
            return
        }
        let key = makeKey()
        let entry = BusName(subscription: key)
        entry.users = 1
        names[name] = entry
        let match = BusMatch.owner(of: name)
        subscriptions.append(
            BusSignalSubscription(key: key, match: match) { [weak self] signal in
                guard signal.arguments.count == 3 else { return }
                self?.owner(of: name, is: signal.arguments[2].string)
            })
        addRule(of: match)
        askForOwner(of: name, subscription: key)
    }

    func letGoOfOwner(of name: String) {
        guard let entry = names[name] else { return }
        entry.users -= 1
        guard entry.users == 0 else { return }
        names[name] = nil
        cancel(BusSubscription(key: entry.subscription))
    }

    /// Changes are passed on already: what comes after the answer is newer than it, and what came before it
    /// says the same.
    private func askForOwner(of name: String, subscription: UInt64) {
        let question = BusCall.bus("GetNameOwner", [.string(name)])
        call(question, within: Self.limitOfBus) { [weak self] result in
            // Nobody may want to know it any more, or again.
            guard let self, let entry = names[name], entry.subscription == subscription else {
                return
            }
            switch result {
            case .success(let values):
                if entry.owner == .unknown { owner(of: name, is: values.first?.string) }
            case .failure(let error) where error.name == BusError.nameHasNoOwner:
                if entry.owner == .unknown { owner(of: name, is: nil) }
            case .failure(let error): busRefused("GetNameOwner", error)
            }
        }
    }

    /// The bus says nobody as an empty name.
    private func owner(of name: String, is owner: String?) {
        names[name]?.owner = .known(owner.flatMap { $0.isEmpty ? nil : $0 })
        for watcher in watchers where watcher.name == name { tell(watcher.key) }
    }

    private func tell(_ key: UInt64) {
        guard let index = watchers.firstIndex(where: { $0.key == key }) else { return }
        let watcher = watchers[index]
        guard let entry = names[watcher.name], entry.owner != watcher.told else { return }
        guard case .known(let owner) = entry.owner else { return }
        watchers[index].told = entry.owner
        watcher.handler(owner)
    }
}
