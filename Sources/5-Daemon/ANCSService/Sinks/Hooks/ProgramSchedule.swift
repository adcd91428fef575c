internal import Octets

/// Schedules programs: which run, which are queued, and which exceed their time limit. No I/O.
///
///     request ─▶ waits ─▶ start ─▶ runs ─▶ ended
///        └ refuse           (too long) └ terminate ─(2 s)─▶ kill
struct ProgramSchedule: ~Copyable, Sendable {
    /// Identifies a run.
    struct ID: RawRepresentable, Hashable, Sendable { let rawValue: UInt64 }

    /// Limits, see ``ProgramRunner``.
    struct Limits: Equatable, Sendable {
        /// The number of running programs.
        var running = 4
        /// The number of queued programs.
        var waiting = 64
        /// The total input of queued programs in octets.
        var waitingOctets = 8_388_608
        /// The time between SIGTERM and SIGKILL after a time limit.
        var grace = Duration.seconds(2)
        /// The time between SIGTERM and SIGKILL when the daemon stops.
        var graceAtEnd = Duration.seconds(1)
    }

    enum Output: Equatable, Sendable {
        case start(ID)
        /// It exceeded its time limit, or has to end with the daemon.
        case terminate(ID, isTimeout: Bool)
        case kill(ID)
        /// It will never run.
        case refuse(ID)
        /// No program is running, and none will.
        case closed
    }

    private struct Request {
        var id: ID
        var octets: Int
        var timeout: Duration
    }

    /// The state of a run.
    private enum Stage {
        case running(until: MonotonicInstant)
        case terminating(until: MonotonicInstant)
        case killed
    }

    private enum State { case open, closing, closed }

    private let limits: Limits
    private var state = State.open
    private var waiting = Queue<Request>()
    private var waitingOctets = 0
    private var running: [ID: Stage] = [:]
    private var outputs = Queue<Output>()
    /// How many were refused.
    private(set) var dropped = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    /// The number of running programs.
    var runningCount: Int { running.count }
    /// The number of queued programs.
    var waitingCount: Int { waiting.count }

    /// Requests a program with this many octets of input, for at most `timeout`.
    mutating func receiveRequest(
        _ id: ID, octets: Int, timeout: Duration, at now: MonotonicInstant
    ) {
        let request = Request(id: id, octets: octets, timeout: timeout)
        guard state == .open else { return refuse(request) }
        if running.count < limits.running { return start(request, at: now) }
        guard waiting.count < limits.waiting, waitingOctets + octets <= limits.waitingOctets else {
            return refuse(request)
        }
        waiting.append(request)
        waitingOctets += octets
    }

    /// A started program has ended, or could not be started.
    mutating func receiveEnd(of id: ID, at now: MonotonicInstant) {
        guard running.removeValue(forKey: id) != nil else { return }
        if running.count < limits.running, let next = waiting.popFirst() {
            waitingOctets -= next.octets
            start(next, at: now)
        }
        closeIfIdle()
    }

    /// Ends all running programs, and starts no more.
    mutating func close(at now: MonotonicInstant) {
        guard state == .open else { return }
        state = .closing
        while let request = waiting.popFirst() { refuse(request) }
        waitingOctets = 0
        for (id, stage) in running {
            if case .running = stage { outputs.append(.terminate(id, isTimeout: false)) }
            // A program that was terminated earlier gets no more time than the others.
            if case .killed = stage { continue }
            running[id] = .terminating(until: now + limits.graceAtEnd)
        }
        closeIfIdle()
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        for (id, stage) in running {
            switch stage {
            case .running(let deadline) where deadline <= now:
                running[id] = .terminating(until: now + limits.grace)
                outputs.append(.terminate(id, isTimeout: true))
            case .terminating(let deadline) where deadline <= now:
                running[id] = .killed
                outputs.append(.kill(id))
            case .running, .terminating, .killed: break
            }
        }
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        running.values.reduce(nil) { earliest, stage in
            switch stage {
            case .running(let deadline), .terminating(let deadline):
                MonotonicInstant.earliest(earliest, deadline)
            case .killed: earliest
            }
        }
    }

    private mutating func start(_ request: Request, at now: MonotonicInstant) {
        running[request.id] = .running(until: now + request.timeout)
        outputs.append(.start(request.id))
    }

    private mutating func refuse(_ request: Request) {
        dropped += 1
        outputs.append(.refuse(request.id))
    }

    private mutating func closeIfIdle() {
        guard state == .closing, running.isEmpty else { return }
        state = .closed
        outputs.append(.closed)
    }
}
