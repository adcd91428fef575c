package import LinuxIO

/// What came of a call: the values in the reply, or why there is none.
public typealias BusResult = Result<[BusValue], BusError>

/// The reply to a call of an exported object: given once, at once or later. If it is released without a
/// reply, the caller receives an error. To be used only on the connection's loop, but may be released on any
/// thread.
public final class BusReply: @unchecked Sendable {
    // Unchecked: `send` is touched on the loop's thread only, which is checked, and where this ends.

    private let loop: EventLoop
    /// Sends the reply; `nil` after that.
    private var send: (@Sendable (BusResult) -> Void)?

    /// A reply that is sent by a closure, which is called on the loop's thread, and released there if it is
    /// called.
    package init(on loop: EventLoop, send: @escaping @Sendable (BusResult) -> Void) {
        self.loop = loop
        self.send = send
    }

    convenience init(to call: BusMessage, on connection: BusConnection) {
        self.init(on: connection.loop) { [weak connection] result in
            switch result {
            case .success(let values): connection?.answer(call, with: values)
            case .failure(let error): connection?.answer(call, with: error)
            }
        }
    }

    deinit {
        // A message has to be released on the loop's thread.
        guard let send = exchange(&send, with: nil) else { return }
        loop.execute { send(.failure(BusError(BusError.failed, "the call was not answered"))) }
    }

    /// Replies successfully, with these values. Ignored after a reply, and after the end of the connection.
    public func succeed(_ values: [BusValue] = []) {
        loop.checkIsolated()
        exchange(&send, with: nil)?(.success(values))
    }

    /// Replies with an error. Ignored after a reply, and after the end of the connection.
    public func fail(_ error: BusError) {
        loop.checkIsolated()
        exchange(&send, with: nil)?(.failure(error))
    }
}
