import ANCS
import Board
import Octets

/// A session with a hostile phone, at the limits of ``Program``: each request must end once, and none may need
/// memory that is not there.
struct HostileProgram: ~Copyable {
    private var session = ConsumerSession(configuration: Program.configuration)
    private var phone: HostilePhone
    private var requested = 0
    private var ended = 0
    /// How many of those that ended were the oldest of too many.
    private var evicted = 0

    init(seed: UInt64) { phone = HostilePhone(seed: seed) }

    mutating func run(reports: Int) {
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: phone.now)
        drain()
        for _ in 0..<reports {
            let report = phone.next()
            wake()
            if let report { session.receive(report, at: phone.now) }
            drain()
        }
        silence()
        guard requested == ended else { board_stop("not every request has ended once") }
        guard evicted > 0 else { board_stop("the limit of requests was not reached") }
        Display.show("hostile phone: evicted ", evicted, of: requested)
    }

    private mutating func wake() {
        guard let deadline = session.nextDeadline, deadline <= phone.now else { return }
        session.handleTimeout(at: phone.now)
        drain()
    }

    /// The phone says nothing any more: time alone ends what is left.
    private mutating func silence() {
        for _ in 0..<1_000 where ended < requested {
            guard let deadline = session.nextDeadline else { return }
            session.handleTimeout(at: deadline)
            drain()
        }
    }

    private mutating func drain() {
        var count = 0
        while let output = session.pollOutput() {
            count += 1
            if count > 200 { board_stop("one report brings outputs without end") }
            switch output {
            case .link(.writeControlPoint(let octets)): phone.receive(octets)
            case .event(let value): announced(value)
            case .completed(_, let outcome): completed(outcome)
            case .link, .report, .superseded:
                break
            }
        }
    }

    private mutating func announced(_ value: NotificationSourceValue) {
        guard value.eventID == .added || value.eventID == .modified,
            let title = try? NotificationAttributeRequest.title(maxLength: 16)
        else { return }
        request { session, now throws(ConsumerSession.UsageError) in
            _ = try session.fetch([.appIdentifier, title], of: value.notificationUID, at: now)
        }
    }

    private mutating func completed(_ outcome: RequestOutcome) {
        ended += 1
        if case .failed(.evicted, _) = outcome { evicted += 1 }
        guard case .answered(let response) = outcome,
            let octets = response[NotificationAttributeID.appIdentifier]?.octets,
            let app = try? AppIdentifier(octets: octets)
        else { return }
        request { session, now throws(ConsumerSession.UsageError) in
            _ = try session.fetchDisplayName(of: app, at: now)
        }
    }

    private mutating func request(
        _ body: (inout ConsumerSession, MonotonicInstant) throws(ConsumerSession.UsageError) -> Void
    ) {
        do throws(ConsumerSession.UsageError) {
            try body(&session, phone.now)
            requested += 1
        } catch {
            // No session at the moment: the phone has ended a subscription.
        }
    }
}
