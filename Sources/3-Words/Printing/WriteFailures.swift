internal import Glibc
package import LinuxIO

/// Failures to write to standard output or to a capture. Each is reported on standard error when it occurs,
/// and the exit status of the run is then ``ExitStatus/failure``, whatever else it achieves.
package enum WriteFailures {
    private struct State {
        var hasFailed = false
        var isOutputLost = false
        /// Ends a run that would otherwise continue.
        var endRun: (@Sendable () -> Void)?
    }

    private static let state = Lock(State())

    /// Whether any write failed.
    package static var haveHappened: Bool { state.withLock { $0.hasFailed } }

    /// Reports, once, that standard output cannot be written, and ends the run; `number` is the `errno`.
    static func outputFailed(_ number: CInt) {
        let (isFirst, endRun) = state.withLock { state in
            state.hasFailed = true
            return (!exchange(&state.isOutputLost, with: true), state.endRun)
        }
        guard isFirst else { return }
        StandardStreams.writeError(
            "ancs: cannot write to standard output: \(String(cString: strerror(number)))")
        endRun?()
    }

    /// Reports that a capture cannot be written. The recorded link continues.
    package static func captureFailed(_ error: IOError) {
        state.withLock { $0.hasFailed = true }
        StandardStreams.writeError(
            "ancs: the capture is incomplete: \(TerminalText.visible(error.message))")
    }

    /// Sets what ends the run when its output is lost, which may already be the case; `nil` once the run is
    /// over.
    static func whenOutputIsLost(_ endRun: (@Sendable () -> Void)?) {
        let isLost = state.withLock { state in
            state.endRun = endRun
            return state.isOutputLost
        }
        if isLost { endRun?() }
    }
}

/// Requests to end a run early: signals, or the loss of standard output.
package final class EndRequests: Sendable {
    private let signals: SignalSource

    /// Calls `handler` on `loop`, possibly several times. For each signal, including those in `others`,
    /// `take` is called first and returns whether the signal was meant for something else.
    package init(
        on loop: EventLoop, others: [CInt] = [],
        take: @escaping @Sendable (CInt) -> Bool = { _ in false },
        handler: @escaping @Sendable () -> Void
    ) throws(IOError) {
        signals = try SignalSource([SIGINT, SIGTERM] + others, on: loop) { number in
            if !take(number) { handler() }
        }
        WriteFailures.whenOutputIsLost { loop.execute(handler) }
    }

    /// Stops listening for requests.
    package func cancel() {
        WriteFailures.whenOutputIsLost(nil)
        signals.cancel()
    }
}
