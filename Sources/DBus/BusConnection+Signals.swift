internal import LinuxIO

/// Signals that are told to a handler, or the owner of a name, until the connection is told to cancel it.
public struct BusSubscription: Hashable, Sendable {
    let key: UInt64
}

/// The connection's side of a subscription to signals.
struct BusSignalSubscription {
    let key: UInt64
    let match: BusMatch
    let handler: @Sendable (BusSignal) -> Void
}

extension BusConnection {
    /// Has signals told to `handler`, those that the bus passes on from now on, in their order. A signal that
    /// cannot be read is not told. On the loop only.
    ///
    /// Anybody who is on the bus may send this program a signal that looks like any other but for its sender.
    /// Where `match` says a well-known name, only signals of the owner of that name are told.
    @discardableResult
    public func signals(
        _ match: BusMatch, handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription {
        loop.checkIsolated()
        let key = makeKey()
        guard handle != nil else { return BusSubscription(key: key) }
        // First of all: the bus answers in order, so that the owner is known when the first signal comes.
        if let sender = match.wellKnownSender { useOwner(of: sender) }
        subscriptions.append(BusSignalSubscription(key: key, match: match, handler: handler))
        addRule(of: match)
        return BusSubscription(key: key)
    }

    /// Ends a subscription to signals or to the owner of a name; its handler is not called again, not even for
    /// what has come before. On the loop only; again does nothing.
    public func cancel(_ subscription: BusSubscription) {
        loop.checkIsolated()
        if let index = subscriptions.firstIndex(where: { $0.key == subscription.key }) {
            let match = subscriptions.remove(at: index).match
            removeRule(of: match)
            if let sender = match.wellKnownSender { letGoOfOwner(of: sender) }
        } else if let index = watchers.firstIndex(where: { $0.key == subscription.key }) {
            letGoOfOwner(of: watchers.remove(at: index).name)
        }
    }

    /// Sends a signal to everybody who has subscribed to it, or to one program. On the loop only.
    public func emit(_ signal: BusSignal, to destination: String? = nil) throws(BusError) {
        loop.checkIsolated()
        guard let handle else { throw hasEnded }
        try send(BusMessage(signal, to: destination, on: handle))
    }

    // MARK: Rules

    /// Has the bus pass signals on.
    func addRule(of match: BusMatch) {
        call(.bus("AddMatch", [.string(match.rule)]), within: Self.limitOfBus) {
            [weak self] result in
            if case .failure(let error) = result { self?.busRefused("AddMatch", error) }
        }
    }

    func removeRule(of match: BusMatch) {
        // It can only fail where the connection has ended, and the rule with it.
        try? tellBus("RemoveMatch", [.string(match.rule)])
    }

    /// Deaf without knowing it is worse than not connected.
    func busRefused(_ member: String, _ error: BusError) {
        lose(
            BusError(
                error.name,
                "the bus refused \(member), without which nothing is told: \(error.message)"))
    }

    // MARK: Delivery

    func receiveSignal(_ message: BusMessage) {
        guard let path = message.path else { return }
        let header = BusSignal(from: message.sender, path, message.interface, message.member)
        let fitting = subscriptions.filter { isFor($0.match, header) }
        guard !fitting.isEmpty, let arguments = try? message.arguments() else { return }
        var signal = header
        signal.arguments = arguments
        for subscription in fitting where subscription.match.fits(arguments) {
            // A handler before may have ended it.
            guard subscriptions.contains(where: { $0.key == subscription.key }) else { continue }
            subscription.handler(signal)
        }
    }

    private func isFor(_ match: BusMatch, _ signal: BusSignal) -> Bool {
        guard match.fits(signal) else { return false }
        guard let sender = match.wellKnownSender else { return true }
        return names[sender]?.owner == .known(signal.sender)
    }
}
