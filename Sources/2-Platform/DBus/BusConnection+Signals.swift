internal import LinuxIO

/// A subscription to signals, or to the owner of a name, until it is cancelled.
public struct BusSubscription: Equatable, Sendable {
    package let key: UInt64

    package init(key: UInt64) { self.key = key }
}

/// The connection's state of a subscription to signals. A class, because each signal looks at all of them.
final class BusSignalSubscription {
    let key: UInt64
    let match: BusMatch
    /// The name whose owner must be the sender.
    let sender: BusName?
    let handler: @Sendable (BusSignal) -> Void

    init(
        key: UInt64, match: BusMatch, sender: BusName? = nil,
        handler: @escaping @Sendable (BusSignal) -> Void
    ) { (self.key, self.match, self.sender, self.handler) = (key, match, sender, handler) }
}

extension BusConnection {
    /// Calls `handler` for each matching signal from now on, in order. Malformed signals are dropped. On the
    /// loop only.
    ///
    /// Any program on the bus can send this program a signal that differs from a genuine one only in its
    /// sender. If `match` has a well-known name, only signals of the owner of that name are delivered.
    @discardableResult public func signals(
        _ match: BusMatch, handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription {
        loop.checkIsolated()
        let key = makeKey()
        guard handle != nil else { return BusSubscription(key: key) }
        // First, because the bus answers in order: the owner is known before the first signal arrives.
        let sender = match.wellKnownSender.map { useOwner(of: $0) }
        subscriptions.append(
            BusSignalSubscription(key: key, match: match, sender: sender, handler: handler))
        addRule(of: match)
        return BusSubscription(key: key)
    }

    /// Ends a subscription to signals or to the owner of a name. Its handler is not called again, not even
    /// for messages that have already arrived. On the loop only; further calls do nothing.
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

    /// Emits a signal, to all subscribers or to one program. On the loop only.
    public func emit(_ signal: BusSignal, to destination: String? = nil) throws(BusError) {
        loop.checkIsolated()
        guard let handle else { throw hasEnded }
        try send(BusMessage(signal, to: destination, on: handle))
    }

    // MARK: Rules

    /// Makes the bus deliver signals.
    func addRule(of match: BusMatch) {
        call(.bus("AddMatch", [.string(match.rule)]), within: Self.limitOfBus) {
            [weak self] result in
            if case .failure(let error) = result { self?.busRefused("AddMatch", error) }
        }
    }

    func removeRule(of match: BusMatch) {
        // This fails only if the connection has ended, and the rule with it.
        try? reportBus("RemoveMatch", [.string(match.rule)])
    }

    /// It is better to be disconnected than to miss signals silently.
    func busRefused(_ member: String, _ error: BusError) {
        lose(
            BusError(
                error.name,
                "the bus refused \(member), so no signals arrive: \(error.message)"))
    }

    // MARK: Delivery

    func receiveSignal(_ message: BusMessage) {
        guard let header = message.header(like: lastHeader) else { return }
        lastHeader = header
        let fitting = subscriptions.filter { isFor($0, header.signal) }
        guard !fitting.isEmpty, let arguments = try? message.arguments() else { return }
        var signal = header.signal
        signal.arguments = arguments
        for subscription in fitting where subscription.match.fits(arguments) {
            // An earlier handler may have cancelled it.
            guard subscriptions.contains(where: { $0.key == subscription.key }) else { continue }
            subscription.handler(signal)
        }
    }

    private func isFor(_ subscription: BusSignalSubscription, _ signal: BusSignal) -> Bool {
        guard subscription.match.fitsObject(signal) else { return false }
        guard let sender = subscription.sender else { return subscription.match.fits(signal) }
        return sender.owner == .known(signal.sender)
    }
}
