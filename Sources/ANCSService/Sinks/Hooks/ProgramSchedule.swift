internal import Octets

/// Which programs run, which wait for their turn, and which have run for too long. No I/O.
///
///     request ─▶ waits ─▶ start ─▶ runs ─▶ ended
///        └ refuse           (too long) └ terminate ─(2 s)─▶ kill
struct ProgramSchedule: ~Copyable, Sendable {
    /// What names a run.
    struct ID: RawRepresentable, Hashable, Sendable {
        let rawValue: UInt64
    }

    /// How many there may be, see ``ProgramRunner``.
    struct Limits: Hashable, Sendable {
        /// How many run at a time.
        var running = 4
        /// How many wait for their turn.
        var waiting = 64
        /// How many octets of input all that wait may have.
        var waitingOctets = 8_388_608
        /// From the request to end to the end by force, where one has run for too long.
        var grace = Duration.seconds(2)
        /// The same where the daemon ends.
        var graceAtEnd = Duration.seconds(1)
    }

    enum Output: Hashable, Sendable {
        case start(ID)
        /// It has run for too long, or shall end with the daemon.
        case terminate(ID, isTimeout: Bool)
        case kill(ID)
        /// It never runs.
        case refuse(ID)
        /// Nothing runs any more, and nothing will.
        case closed
    }

    private struct Request {
        var id: ID
        var octets: Int
        var timeout: Duration
    }

    /// How far a run is.
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

    /// How many run.
    var runningCount: Int { running.count }
    /// How many wait.
    var waitingCount: Int { waiting.count }

    /// A program with so many octets of input shall run for at most `timeout`.
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

    /// One that was started has ended, or could not be started.
    mutating func receiveEnd(of id: ID, at now: MonotonicInstant) {
        guard running.removeValue(forKey: id) != nil else { return }
        if running.count < limits.running, let next = waiting.popFirst() {
            waitingOctets -= next.octets
            start(next, at: now)
        }
        closeIfIdle()
    }

    /// Those that run shall end, and no other one starts.
    mutating func close(at now: MonotonicInstant) {
        guard state == .open else { return }
        state = .closing
        while let request = waiting.popFirst() { refuse(request) }
        waitingOctets = 0
        for (id, stage) in running {
            if case .running = stage { outputs.append(.terminate(id, isTimeout: false)) }
            // One that was asked before has no more time than the others.
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
