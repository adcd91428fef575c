internal import Glibc
package import LinuxIO

/// Runs the configured programs: four at a time, while up to 64 are queued; further ones are dropped and
/// counted. On the loop's thread only.
///
/// A program gets text only on its standard input: other processes of the user can read the arguments and the
/// environment, which also end up in logs. Its output goes to `/dev/null`, because it may repeat its input;
/// its exit status is the result.
///
/// A program that exceeds its time limit gets SIGTERM, together with its process group, and two seconds later
/// SIGKILL, together with everything that it has started. What it leaves behind when it ends is killed, too. See
/// ``ChildProcess``.
package final class ProgramRunner: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    /// The result of a run.
    package enum Outcome: Equatable, Sendable {
        /// It exited, or was killed by another process.
        case ended(ChildProcess.Ending)
        /// It exceeded its time limit.
        case timedOut
        /// It could not be started.
        case failed(IOError)
        /// It was not started, because too many are queued or the daemon is stopping; or it was ended with
        /// the daemon.
        case dropped
    }

    /// The variables of this process that every program inherits.
    package static let variables = [
        "PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    private struct Run {
        var program: RuleVerdict.Program
        var input: [UInt8]
        var environment: [String: String]
        var remainder: ChildProcess.Remainder
        var done: @Sendable (Outcome) -> Void
        var process: ChildProcess?
        /// Why it was asked to end; `nil` if it was not.
        var reason: Outcome?
    }

    private let loop: EventLoop
    private let inherited: [String: String]
    private var schedule: ProgramSchedule
    private var runs: [ProgramSchedule.ID: Run] = [:]
    private var lastID: UInt64 = 0
    private var onClose: (@Sendable () -> Void)?
    private var isDraining = false
    private lazy var timer = LoopTimer(on: loop) { [weak self] in
        self?.step { $0.handleTimeout(at: $1) }
    }

    /// A runner on a loop; `inherited` is the environment of all programs.
    package convenience init(
        on loop: EventLoop, inherited: [String: String] = ProgramRunner.inherited()
    ) {
        self.init(on: loop, inherited: inherited, limits: ProgramSchedule.Limits())
    }

    init(on loop: EventLoop, inherited: [String: String], limits: ProgramSchedule.Limits) {
        self.loop = loop
        self.inherited = inherited
        schedule = ProgramSchedule(limits: limits)
    }

    /// The variables with these names that are set in this process.
    package static func inherited(_ names: [String] = variables) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { if let value = getenv(name) { values[name] = String(cString: value) } }
        return values
    }

    /// The number of running programs.
    package var runningCount: Int { schedule.runningCount }
    /// The number of queued programs.
    package var waitingCount: Int { schedule.waitingCount }
    /// How many were dropped because too many were queued.
    package var dropped: Int { schedule.dropped }

    /// Runs a program when it is its turn, with `input` on its standard input, and calls `done` once, on the
    /// loop and never during this call.
    ///
    /// `environment` is added to the inherited one; it must not contain text of a notification. `remainder`
    /// is for processes that the program leaves behind: one that serves the clipboard, such as `wl-copy`,
    /// needs ``ChildProcess/Remainder/left``.
    package func run(
        _ program: RuleVerdict.Program, input: [UInt8], environment: [String: String] = [:],
        remainder: ChildProcess.Remainder = .killed,
        done: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        lastID += 1
        let id = ProgramSchedule.ID(rawValue: lastID)
        runs[id] = Run(
            program: program, input: input, environment: inherited.merging(environment) { $1 },
            remainder: remainder, done: done)
        step { $0.receiveRequest(id, octets: input.count, timeout: program.timeout, at: $1) }
    }

    /// Terminates all running programs, kills them a second later, and calls `done` when none is left. No
    /// more programs are started. Call this once.
    package func close(_ done: @escaping @Sendable () -> Void) {
        onClose = done
        step { $0.close(at: $1) }
    }

    // MARK: Driver

    private func step(_ input: (inout ProgramSchedule, MonotonicInstant) -> Void) {
        loop.checkIsolated()
        input(&schedule, loop.now)
        drain()
    }

    /// Apart from `step`, of which the optimizer makes a copy for each closure.
    @inline(never) private func drain() {
        // Outputs that a start causes are handled by the loop that is already running.
        guard !isDraining else { return }
        isDraining = true
        while let output = schedule.pollOutput() { carryOut(output) }
        isDraining = false
        timer.deadline = schedule.nextDeadline
    }

    private func carryOut(_ output: ProgramSchedule.Output) {
        switch output {
        case .start(let id): start(id)
        case .terminate(let id, let isTimeout):
            runs[id]?.reason = isTimeout ? .timedOut : .dropped
            runs[id]?.process?.terminate()
        case .kill(let id): runs[id]?.process?.kill()
        case .refuse(let id): finish(id, .dropped)
        case .closed: if let onClose { loop.execute(onClose) }
        }
    }

    private func start(_ id: ProgramSchedule.ID) {
        guard let run = runs[id] else { return }
        do throws(IOError) {
            runs[id]?.process = try ChildProcess(
                run.program.arguments, environment: run.environment, input: run.input,
                remainder: run.remainder, on: loop
            ) { [self] ending in ended(id, .ended(ending)) }
            // The child process has its own copy of the input.
            runs[id]?.input = []
        } catch { ended(id, .failed(error)) }
    }

    private func ended(_ id: ProgramSchedule.ID, _ outcome: Outcome) {
        finish(id, runs[id]?.reason ?? outcome)
        step { $0.receiveEnd(of: id, at: $1) }
    }

    private func finish(_ id: ProgramSchedule.ID, _ outcome: Outcome) {
        guard let run = runs.removeValue(forKey: id) else { return }
        loop.execute { run.done(outcome) }
    }
}
