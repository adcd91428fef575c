internal import LinuxIO

/// The answer to a call of a method of an object of this program: given once, at once or later. Where it is
/// dropped without one, the caller is told that the call failed. On the loop of its connection only, but that
/// it may be dropped anywhere.
public final class BusReply: @unchecked Sendable {
    // Unchecked: `call` is touched on the loop's thread only, which is checked, and where this ends.

    private let loop: EventLoop
    private weak let connection: BusConnection?
    /// What is answered; `nil` once it is.
    private var call: BusMessage?

    init(to call: BusMessage, on connection: BusConnection) {
        loop = connection.loop
        self.connection = connection
        self.call = call
    }

    deinit {
        guard let call else { return }
        // The last reference to the message has to go on the loop's thread.
        loop.execute { [connection] in
            connection?.answer(call, with: BusError(BusError.failed, "the call was not answered"))
        }
    }

    /// The call succeeded, with these values for an answer. A second answer, or one after the end of the
    /// connection, does nothing.
    public func succeed(_ values: [BusValue] = []) {
        loop.checkIsolated()
        guard let call = exchange(&call, with: nil) else { return }
        connection?.answer(call, with: values)
    }

    /// The call failed. A second answer, or one after the end of the connection, does nothing.
    public func fail(_ error: BusError) {
        loop.checkIsolated()
        guard let call = exchange(&call, with: nil) else { return }
        connection?.answer(call, with: error)
    }
}
