internal import CLinux
internal import Glibc

/// Signals as events of a loop: Control-C calls a handler instead of ending the process.
///
/// Of the signals that request the end of a process (`SIGHUP`, `SIGINT`, `SIGQUIT` and `SIGTERM`) only the
/// first one is an event, because a clean shutdown may never complete, for example when it writes to a pipe
/// that is not read. The second one, whichever of the four it is, ends the process as it does by default,
/// even if all threads are blocked.
///
/// Only one source at a time may have a signal.
public final class SignalSource: Sendable {
    private struct State {
        var redirected: [CInt] = []
        var ends: (read: CInt, write: CInt)?
        var registration: DescriptorRegistration?
    }

    private let loop: EventLoop
    private let state = Lock(State())

    /// Replaces the actions of `signals` (such as `SIGINT` and `SIGTERM`); `handler` is called on the loop's
    /// thread with the number of each signal. From any thread.
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
                throw IOError("cannot handle signal \(signal)", errno: reason)
            }
            state.withLock { $0.redirected.append(signal) }
        }
        loop.execute { [self] in watch(readEnd, handler) }
    }

    /// Makes the next signal count as the first again, because the last one did not mean the end: for example
    /// Control-C while a line is being typed. From any thread.
    public static func forgetRequest() { clinux_signal_forget_request() }

    /// Restores the previous actions. If the end was requested meanwhile, a signal that was ignored before
    /// ends the process by default. From any thread; further calls do nothing.
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
        // It was cancelled before the loop ran this.
        guard state.withLock({ $0.ends?.read == readEnd }) else { return }
        let registration = try? loop.register(readEnd, for: .readable) { _ in
            var numbers = [UInt8](repeating: 0, count: 16)
            let count = read(readEnd, &numbers, numbers.count)
            for number in numbers.prefix(max(count, 0)) { handler(CInt(number)) }
        }
        state.withLock { $0.registration = registration }
    }
}
