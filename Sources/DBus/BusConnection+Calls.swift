internal import LinuxIO
internal import Octets

/// A call that was sent and not answered.
struct BusPendingCall {
    let reply: @Sendable (Result<[BusValue], BusError>) -> Void
    /// When it counts as not answered.
    let timer: LoopTimer
}

extension BusConnection {
    /// Calls a method of another program. `reply` is told once what came of it, later: also that it could not
    /// be sent, that `limit` is over (``BusError/noReply``), or that the connection was lost
    /// (``BusError/disconnected``). On the loop only.
    public func call(
        _ call: BusCall, within limit: Duration,
        reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        loop.checkIsolated()
        do throws(BusError) {
            let number = try send(makeMessage(call), expectsReply: true)
            let timer = LoopTimer(on: loop) { [weak self] in
                self?.receiveFailure(
                    BusError(
                        BusError.noReply,
                        "\(call.destination) did not answer \(call.member) in time"),
                    of: number)
            }
            calls[number] = BusPendingCall(reply: reply, timer: timer)
            timer.deadline = loop.now + limit
        } catch {
            later { reply(.failure(error)) }
        }
    }

    private func makeMessage(_ call: BusCall) throws(BusError) -> BusMessage {
        guard let handle else { throw hasEnded }
        return try BusMessage(call, on: handle)
    }

    /// Calls a method of the bus that has nothing to say that could be of interest.
    func tellBus(_ member: String, _ arguments: [BusValue]) throws(BusError) {
        try send(makeMessage(.bus(member, arguments)))
    }

    func receiveReply(_ message: BusMessage, to number: UInt64) {
        // None waits where the limit was over before.
        guard let call = endCall(number) else { return }
        call.reply(Result(catching: message.arguments))
    }

    func receiveFailure(_ error: BusError, of number: UInt64) {
        endCall(number)?.reply(.failure(error))
    }

    private func endCall(_ number: UInt64) -> BusPendingCall? {
        guard let call = calls.removeValue(forKey: number) else { return nil }
        call.timer.deadline = nil
        return call
    }
}

extension BusCall {
    /// A call of the bus itself.
    static func bus(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(BusMatch.busItself, "/org/freedesktop/DBus", BusMatch.busItself, member, arguments)
    }
}
