internal import LinuxIO

/// The reply to a call of an exported object: given once, at once or later. If it is released without a
/// reply, the caller receives an error. To be used only on the connection's loop, but may be released on any
/// thread.
public final class BusReply: @unchecked Sendable {
    // Unchecked: `call` is touched on the loop's thread only, which is checked, and where this ends.

    private let loop: EventLoop
    private weak let connection: BusConnection?
    /// The call to reply to; `nil` after the reply.
    private var call: BusMessage?

    init(to call: BusMessage, on connection: BusConnection) {
        loop = connection.loop
        self.connection = connection
        self.call = call
    }

    deinit {
        guard let call else { return }
        // The message has to be released on the loop's thread.
        loop.execute { [connection] in
            connection?.answer(call, with: BusError(BusError.failed, "the call was not answered"))
        }
    }

    /// Replies successfully, with these values. Ignored after a reply, and after the end of the connection.
    public func succeed(_ values: [BusValue] = []) {
        loop.checkIsolated()
        guard let call = exchange(&call, with: nil) else { return }
        connection?.answer(call, with: values)
    }

    /// Replies with an error. Ignored after a reply, and after the end of the connection.
    public func fail(_ error: BusError) {
        loop.checkIsolated()
        guard let call = exchange(&call, with: nil) else { return }
        connection?.answer(call, with: error)
    }
}
