internal import ANCSService
internal import Glibc
internal import LinuxIO

/// What a run could not write to standard output or to a capture. It is said on standard error when it
/// happens, and whatever else the run achieves, its exit status is ``ExitStatus/failure``.
enum WriteFailures {
    private struct State {
        var hasFailed = false
        var isOutputLost = false
        /// Ends the run that goes on until somebody ends it.
        var endRun: (@Sendable () -> Void)?
    }

    private static let state = Lock(State())

    /// Whether anything could not be written.
    static var haveHappened: Bool { state.withLock { $0.hasFailed } }

    /// Standard output cannot be written; `number` is the `errno`. Said once; a run whose output is lost
    /// comes to its end.
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

    /// A capture cannot be written; the link that it records goes on.
    static func captureFailed(_ error: IOError) {
        state.withLock { $0.hasFailed = true }
        StandardStreams.writeError(
            "ancs: the capture is incomplete: \(TerminalText.visible(error.message))")
    }

    /// What ends the run when its output is lost, which may have happened; `nil` where the run is over.
    static func whenOutputIsLost(_ endRun: (@Sendable () -> Void)?) {
        let isLost = state.withLock { state in
            state.endRun = endRun
            return state.isOutputLost
        }
        if isLost { endRun?() }
    }
}

extension BtsnoopWriter {
    /// A capture of the command line, whose failure the user is told of.
    static func capture(at path: String) throws(IOError) -> BtsnoopWriter {
        try BtsnoopWriter(path: path, onFailure: WriteFailures.captureFailed)
    }
}

/// What ends a run before its time: a signal, or that nobody can read what it writes.
final class EndRequests: Sendable {
    private let signals: SignalSource

    /// Calls `handler` on `loop`, maybe several times. `take` is asked first about each signal, those in
    /// `others` included, and says whether it was meant for something else.
    init(
        on loop: EventLoop, others: [CInt] = [],
        take: @escaping @Sendable (CInt) -> Bool = { _ in false },
        handler: @escaping @Sendable () -> Void
    ) throws(IOError) {
        signals = try SignalSource([SIGINT, SIGTERM] + others, on: loop) { number in
            if !take(number) { handler() }
        }
        WriteFailures.whenOutputIsLost { loop.execute(handler) }
    }

    /// The run is over.
    func cancel() {
        WriteFailures.whenOutputIsLost(nil)
        signals.cancel()
    }
}
