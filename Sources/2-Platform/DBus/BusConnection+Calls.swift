internal import LinuxIO

/// A pending call.
struct BusPendingCall {
    let reply: @Sendable (BusResult) -> Void
    /// When it has not been answered in time.
    let deadline: MonotonicInstant?
    /// The called program and method, for people.
    let destination: String
    let member: String
}

extension BusConnection {
    /// Calls a method of another program. `reply` is called once, later, with the result, or with the error
    /// that the call could not be sent, that it was not answered within `limit`, if there is one, or that the
    /// program has ended (``BusError/noReply``), or that the connection was lost (``BusError/disconnected``).
    /// On the loop only.
    public func call(
        _ call: BusCall, within limit: Duration?, reply: @escaping @Sendable (BusResult) -> Void
    ) {
        loop.checkIsolated()
        do throws(BusError) {
            let number = try send(makeMessage(call), expectsReply: true)
            let deadline = limit.map { loop.now + $0 }
            calls[number] = BusPendingCall(
                reply: reply, deadline: deadline, destination: call.destination,
                member: call.member)
            let next = MonotonicInstant.earliest(callTimer.deadline, deadline)
            if next == deadline { callTimer.deadline = next }
        } catch { later { reply(.failure(error)) } }
    }

    private func makeMessage(_ call: BusCall) throws(BusError) -> BusMessage {
        guard let handle else { throw hasEnded }
        return try BusMessage(call, on: handle)
    }

    /// Calls a method of the bus whose reply does not matter.
    func reportBus(_ member: String, _ arguments: [BusValue]) throws(BusError) {
        try send(makeMessage(.bus(member, arguments)))
    }

    func receiveReply(_ message: BusMessage, to number: UInt64) {
        // The call may have timed out before.
        guard let call = endCall(number) else { return }
        call.reply(Result(catching: message.arguments))
    }

    func receiveFailure(_ error: BusError, of number: UInt64) {
        endCall(number)?.reply(.failure(error))
    }

    /// One timer serves all calls. It is not moved when a call is answered, as most are: it then fires once with nothing
    /// to do, which costs less than setting it for each call.
    func endLateCalls() {
        let now = loop.now
        let late = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }
        for (number, call) in late.sorted(byNumber: { $0.key }) {
            receiveFailure(
                BusError(
                    BusError.noReply, "\(call.destination) did not answer \(call.member) in time"),
                of: number)
        }
        var next: MonotonicInstant?
        for call in calls.values { next = .earliest(next, call.deadline) }
        callTimer.deadline = next
    }

    private func endCall(_ number: UInt64) -> BusPendingCall? { calls.removeValue(forKey: number) }
}

extension BusCall {
    /// A call to the bus itself.
    package static func bus(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(BusMatch.busItself, "/org/freedesktop/DBus", BusMatch.busItself, member, arguments)
    }
}
