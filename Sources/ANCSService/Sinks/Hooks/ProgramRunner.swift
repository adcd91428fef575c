internal import Glibc
package import LinuxIO
internal import Octets

/// Runs the programs that the configuration names: four at a time, while up to 64 wait, and further ones are
/// dropped and counted. On the loop's thread only.
///
/// A program gets a text on its standard input and nothing else of a notification: arguments and the environment
/// of a process can be read by others of the same user, and stay in logs of what ran. What it prints goes to
/// `/dev/null`, since it may well print what it has read; its exit status is what it says.
///
/// One that runs for too long is asked to end by SIGTERM, as all of its process group, and two seconds later made
/// to by SIGKILL. See ``ChildProcess``.
package final class ProgramRunner: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    /// How a run went.
    package enum Outcome: Hashable, Sendable {
        /// It ended by itself, or somebody else ended it.
        case ended(ChildProcess.Ending)
        /// It ran for too long.
        case timedOut
        /// It could not be started.
        case failed(IOError)
        /// It was not started, since too many wait or the daemon ends; or it was ended with the daemon.
        case dropped
    }

    /// The variables of this process that every program gets, where they are set.
    package static let variables = [
        "PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    private struct Run {
        var program: Verdict.Program
        var input: [UInt8]
        var environment: [String: String]
        var remainder: ChildProcess.Remainder
        var done: @Sendable (Outcome) -> Void
        var process: ChildProcess?
        /// Why it was asked to end.
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

    /// Runs programs on a loop; `inherited` is what every one has in its environment.
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

    /// Variables of this process, as far as they are set.
    package static func inherited(_ names: [String] = variables) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { if let value = getenv(name) { values[name] = String(cString: value) } }
        return values
    }

    /// How many programs run.
    package var runningCount: Int { schedule.runningCount }
    /// How many wait for their turn.
    package var waitingCount: Int { schedule.waitingCount }
    /// How many were not run, because too many waited.
    package var dropped: Int { schedule.dropped }

    /// Runs a program as soon as it has its turn, with `input` on its standard input, and calls `done` once, on
    /// the loop and not from within this call.
    ///
    /// `environment` is added to what all have; a text of a notification never belongs there. `remainder` is what
    /// becomes of the processes that the program leaves behind when it ends: one that puts something on the
    /// clipboard, such as `wl-copy`, needs ``ChildProcess/Remainder/left``.
    package func run(
        _ program: Verdict.Program, input: [UInt8], environment: [String: String] = [:],
        remainder: ChildProcess.Remainder = .killed,
        done: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        lastID += 1
        let id = ProgramSchedule.ID(rawValue: lastID)
        runs[id] = Run(
            program: program, input: input,
            environment: inherited.merging(environment) { $1 }, remainder: remainder, done: done)
        step {
            $0.receiveRequest(id, octets: input.count, timeout: program.timeout, at: $1)
        }
    }

    /// Asks what runs to end, makes it a second later, and calls `done` when nothing runs any more. Nothing is
    /// started after this. Called once.
    package func close(_ done: @escaping @Sendable () -> Void) {
        onClose = done
        step { $0.close(at: $1) }
    }

    // MARK: Driver

    private func step(_ input: (inout ProgramSchedule, MonotonicInstant) -> Void) {
        loop.checkIsolated()
        input(&schedule, loop.now)
        // What a start causes is drained by the loop that is already at it.
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
            runs[id]?.process?.signal(SIGTERM)
        case .kill(let id): runs[id]?.process?.signal(SIGKILL)
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
            // It is on its way, or has its own copy.
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
