internal import CLinux
internal import Glibc

/// Signals as events on a loop: Control-C becomes a call of a handler instead of the end of the
/// process.
///
/// Of the signals that ask a process to end (`SIGHUP`, `SIGINT`, `SIGQUIT` and `SIGTERM`) only the first
/// is an event: what ends a run in good order may never come to its end, such as a write to a pipe that
/// nobody reads. The second one, whichever of the four it is, ends the process as it does by default, also
/// where every thread is blocked.
///
/// One source at a time may have a signal.
public final class SignalSource: Sendable {
    private struct State {
        var redirected: [CInt] = []
        var ends: (read: CInt, write: CInt)?
        var registration: DescriptorRegistration?
    }

    private let loop: EventLoop
    private let state = Lock(State())

    /// Takes `signals` (such as `SIGINT` and `SIGTERM`) away from their former actions; `handler` is
    /// called on the loop's thread with the number of each that arrives. From any thread.
    public init(
        _ signals: [CInt], on loop: EventLoop, handler: @escaping @Sendable (CInt) -> Void
    ) throws(IOError) {
        self.loop = loop
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw IOError("cannot create a pipe for signals", errno: errno)
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        state.withLock { $0.ends = (readEnd, writeEnd) }
        for signal in signals {
            guard clinux_signal_redirect(signal, writeEnd) == 0 else {
                let reason = errno
                cancel()
                throw IOError("cannot take signal \(signal)", errno: reason)
            }
            state.withLock { $0.redirected.append(signal) }
        }
        loop.execute { [self] in watch(readEnd, handler) }
    }

    /// A signal asked for something else than the end, as Control-C does on a line that is being typed: the
    /// next one is the first again. From any thread.
    public static func forgetRequest() { clinux_signal_forget_request() }

    /// Gives the signals back to what they did before, except that one that was ignored ends the process
    /// if that was asked to end. From any thread; again does nothing.
    public func cancel() {
        let (redirected, ends) = state.withLock {
            (exchange(&$0.redirected, with: []), exchange(&$0.ends, with: nil))
        }
        for signal in redirected { clinux_signal_restore(signal) }
        guard let ends else { return }
        loop.execute { [self] in
            let registration = state.withLock { exchange(&$0.registration, with: nil) }
            if let registration { loop.unregister(registration) }
            close(ends.read)
            close(ends.write)
        }
    }

    private func watch(_ readEnd: CInt, _ handler: @escaping @Sendable (CInt) -> Void) {
        // Cancelled before the loop came to it.
        guard state.withLock({ $0.ends?.read == readEnd }) else { return }
        let registration = try? loop.register(readEnd, for: .readable) { _ in
            var numbers = [UInt8](repeating: 0, count: 16)
            let count = read(readEnd, &numbers, numbers.count)
            for number in numbers.prefix(max(count, 0)) { handler(CInt(number)) }
        }
        state.withLock { $0.registration = registration }
    }
}
