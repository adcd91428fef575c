internal import LinuxIO

/// A name with a watched owner.
final class BusName {
    enum Owner: Equatable {
        /// The bus was asked for the owner.
        case unknown
        /// The unique name of the owner; `nil` if there is none.
        case known(String?)
    }

    var owner = Owner.unknown
    /// The number of subscriptions and watchers that need it.
    var users = 0
    /// The subscription to changes of the owner.
    let subscription: UInt64

    init(subscription: UInt64) { self.subscription = subscription }
}

/// A watcher of the owner of a name.
struct BusNameWatcher {
    let key: UInt64
    let name: String
    /// The last report.
    var reported = BusName.Owner.unknown
    let handler: @Sendable (String?) -> Void
}

/// The result of a request for a name.
public enum BusNameOutcome: Equatable, Sendable {
    /// The connection owns the name until it ends or releases it.
    case owned
    /// Another program has it.
    case taken
}

extension BusConnection {
    /// Calls `handler` with the owner of a name: first the current one, then each change. The owner is a
    /// unique name such as `:1.5`, or `nil` for none; it is never reported twice in a row. If one program
    /// takes the name right after another, both are reported, with `nil` in between only if there was a gap.
    /// On the loop only.
    @discardableResult public func watch(
        name: String, handler: @escaping @Sendable (_ owner: String?) -> Void
    ) -> BusSubscription {
        loop.checkIsolated()
        let key = makeKey()
        guard handle != nil else { return BusSubscription(key: key) }
        useOwner(of: name)
        watchers.append(BusNameWatcher(key: key, name: name, handler: handler))
        later { [weak self] in self?.report(key) }
        return BusSubscription(key: key)
    }

    /// Requests a well-known name, without waiting for it or taking it from another program. On the loop
    /// only.
    public func requestName(
        _ name: String, reply: @escaping @Sendable (Result<BusNameOutcome, BusError>) -> Void
    ) {
        loop.checkIsolated()
        // D-Bus specification, `RequestName`: the flag DO_NOT_QUEUE; the replies PRIMARY_OWNER and
        // ALREADY_OWNER.
        let request = BusCall.bus("RequestName", [.string(name), .uint32(4)])
        call(request, within: Self.limitOfBus) { result in
            reply(result.map { [1, 4].contains($0.first?.integer) ? .owned : .taken })
        }
    }

    /// Releases a name. Does nothing if this connection does not own it. On the loop only.
    public func releaseName(_ name: String) {
        loop.checkIsolated()
        // This fails only if the connection has ended, and the ownership with it.
        try? reportBus("ReleaseName", [.string(name)])
    }

    // MARK: Owners

    /// Watches the owner of a name.
    @discardableResult func useOwner(of name: String) -> BusName {
        if let known = names[name] {
            known.users += 1
            return known
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
        return entry
    }

    func letGoOfOwner(of name: String) {
        guard let entry = names[name] else { return }
        entry.users -= 1
        guard entry.users == 0 else { return }
        names[name] = nil
        cancel(BusSubscription(key: entry.subscription))
    }

    /// Changes are already being reported: one after the reply is newer than it, one before says the same.
    private func askForOwner(of name: String, subscription: UInt64) {
        let question = BusCall.bus("GetNameOwner", [.string(name)])
        call(question, within: Self.limitOfBus) { [weak self] result in
            // The watch may have ended, or another may have begun.
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

    /// The bus reports an empty name if there is no owner.
    private func owner(of name: String, is owner: String?) {
        names[name]?.owner = .known(owner.flatMap { $0.isEmpty ? nil : $0 })
        for watcher in watchers where watcher.name == name { report(watcher.key) }
    }

    private func report(_ key: UInt64) {
        guard let index = watchers.firstIndex(where: { $0.key == key }) else { return }
        let watcher = watchers[index]
        guard let entry = names[watcher.name], entry.owner != watcher.reported else { return }
        guard case .known(let owner) = entry.owner else { return }
        watchers[index].reported = entry.owner
        watcher.handler(owner)
    }
}
