import Octets
import Testing

@testable import ANCS

/// Responses to writes that are late, or never come.
@Suite("Lost responses")
struct LostResponseTests {
    private static let uids = (1...8 as ClosedRange<UInt32>).map { NotificationUID(rawValue: $0) }
    private static let accept = PerformNotificationAction(
        notificationUID: uid7, actionID: .positive
    ).octets

    /// A provider that answers each command, 50 ms after it and once more after 50 ms, except for responses
    /// that are lost.
    private struct Phone {
        var now = MonotonicInstant.zero
        var ends: [RequestID: (outcome: RequestOutcome, at: MonotonicInstant)] = [:]
        var isLost: (Int) -> Bool
        var isAnswered: (Int) -> Bool = { _ in true }
        private var writes = 0

        init(isLost: @escaping (Int) -> Bool) { self.isLost = isLost }

        /// Runs until nothing is left to do.
        mutating func serve(_ session: inout ConsumerSession) {
            while true {
                var commands: [[UInt8]] = []
                for output in session.drain() {
                    if case .link(.writeControlPoint(let command)) = output {
                        commands.append(command)
                    }
                    if case .completed(let request, let outcome) = output {
                        ends[request] = (outcome, now)
                    }
                }
                if commands.isEmpty {
                    guard let deadline = session.nextDeadline else { return }
                    now = deadline
                    session.handleTimeout(at: now)
                }
                for command in commands { answer(command, &session) }
            }
        }

        private mutating func answer(_ command: [UInt8], _ session: inout ConsumerSession) {
            let number = writes
            writes += 1
            now = now + .milliseconds(50)
            if !isLost(number) { session.receive(.controlPointWritten(command, nil), at: now) }
            guard command[0] == 0, isAnswered(number) else { return }
            now = now + .milliseconds(50)
            let uid = NotificationUID(command.span.extracting(1..<5))
            session.receive(titleAnswer(uid, "\(uid)"), at: now)
        }

        func outcome(_ request: RequestID) -> RequestOutcome? { ends[request]?.outcome }
    }

    @Test(
        "one of eight fetches whose response is lost costs the others nothing but its own deadline",
        arguments: 0..<8, [true, false])
    func oneOfEight(_ lost: Int, isAnswered: Bool) throws {
        var session = ConsumerSession.subscribed()
        let requests = try Self.uids.map { try session.fetchTitle($0) }
        var phone = Phone { $0 == lost }
        phone.isAnswered = { isAnswered || $0 != lost }
        phone.serve(&session)
        for (index, request) in requests.enumerated() {
            let end = try #require(phone.ends[request])
            #expect(end.at <= .seconds(12))
            let answer = RequestOutcome.answered(
                titleAnswer(Self.uids[index], "\(Self.uids[index])"))
            let isWhole = isAnswered || index != lost
            #expect(end.outcome == (isWhole ? answer : .failed(.timedOut, partial: [])))
        }
    }

    @Test("refusals after a lost response are those of their own commands")
    func refusals() throws {
        var session = ConsumerSession.subscribed()
        let requests = try Self.uids.map { try session.fetchTitle($0) }
        _ = session.drain()
        session.handleTimeout(at: .seconds(10))
        for uid in Self.uids.dropFirst() {
            session.receive(
                .controlPointWritten(try titleCommand(uid), .invalidParameter), at: .seconds(11))
        }
        let ends = session.drain().compactMap { output -> RequestOutcome? in
            guard case .completed(_, let outcome) = output else { return nil }
            return outcome
        }
        let refused = RequestOutcome.failed(.refused(.invalidParameter), partial: [])
        #expect(
            ends == [.failed(.timedOut, partial: [])]
                + Array(repeating: refused, count: requests.count - 1))
    }

    @Test("an action after a lost response is performed, and not reported as timed out")
    func actionAfterLoss() throws {
        var session = ConsumerSession.subscribed()
        let fetch = try session.fetchTitle(uid8)
        let action = try session.perform(.positive, on: uid7, at: .zero)
        var phone = Phone { $0 == 0 }
        phone.isAnswered = { _ in false }
        phone.serve(&session)
        #expect(phone.outcome(fetch) == .failed(.timedOut, partial: []))
        #expect(phone.outcome(action) == .performed)
    }

    @Test("a late response to an action decides it, while other requests go on")
    func lateAction() throws {
        for (error, outcome) in [
            (nil, RequestOutcome.performed),
            (ControlPointError.actionFailed, .failed(.refused(.actionFailed), partial: [])),
        ] {
            var session = ConsumerSession.subscribed()
            let action = try session.perform(.positive, on: uid7, at: .zero)
            let fetch = try session.fetchTitle(uid8)
            session.handleTimeout(at: .seconds(10))
            #expect(
                session.drain() == [
                    .link(.writeControlPoint(Self.accept)),
                    .link(.writeControlPoint(try titleCommand(uid8))),
                ])
            session.receive(.controlPointWritten(Self.accept, error), at: .seconds(29))
            #expect(session.drain().last == .completed(action, outcome))
            // The command behind it is sent only now.
            #expect(session.nextDeadline == .seconds(39))
            session.receive(.controlPointWritten(try titleCommand(uid8), nil), at: .seconds(30))
            session.receive(titleAnswer(uid8, "Ada"), at: .seconds(30))
            #expect(session.drain() == [.completed(fetch, .answered(titleAnswer(uid8, "Ada")))])
        }
    }

    @Test("an action is undecided until no response can come, and the same one is not sent twice")
    func undecidedAction() throws {
        var session = ConsumerSession.subscribed()
        let first = try session.perform(.positive, on: uid7, at: .zero)
        session.handleTimeout(at: .seconds(10))
        let second = try session.perform(.positive, on: uid7, at: .seconds(11))
        #expect(session.drain() == [.link(.writeControlPoint(Self.accept))])
        session.handleTimeout(at: .seconds(30).advanced(nanoseconds: -1))
        #expect(session.drain().isEmpty)
        session.handleTimeout(at: .seconds(30))
        #expect(
            session.drain() == [
                .completed(first, .failed(.timedOut, partial: [])),
                .completed(second, .failed(.timedOut, partial: [])),
            ])
        #expect(session.nextDeadline == nil)
        // The response after all; another one would be another tap.
        session.receive(.controlPointWritten(Self.accept, nil), at: .seconds(31))
        #expect(session.drain().isEmpty)
    }

    @Test("an undecided action ends with its session")
    func endOfAction() throws {
        var session = ConsumerSession.subscribed()
        let action = try session.perform(.positive, on: uid7, at: .zero)
        session.handleTimeout(at: .seconds(10))
        _ = session.drain()
        session.end(at: .seconds(11))
        #expect(
            session.drain() == [.completed(action, .failed(.sessionEnded, partial: []))])
    }

    @Test("a command that waits behind a missing response is not given up before it can be sent")
    func behindALateResponse() throws {
        var session = ConsumerSession.subscribed()
        let first = try session.fetchTitle(uid7)
        let second = try session.fetchTitle(uid8)
        session.handleTimeout(at: .seconds(10))
        session.handleTimeout(at: .seconds(29))
        #expect(
            session.drain().suffix(2) == [
                .completed(first, .failed(.timedOut, partial: [])),
                .link(.writeControlPoint(try titleCommand(uid8))),
            ])
        // The refusal of the first is nothing to the second.
        session.receive(
            .controlPointWritten(try titleCommand(uid7), .invalidParameter), at: .seconds(29))
        #expect(session.drain() == [.report(.authorizationChanged(.authorized))])
        session.receive(.controlPointWritten(try titleCommand(uid8), nil), at: .seconds(32))
        session.receive(titleAnswer(uid8, "Ada"), at: .seconds(33))
        #expect(session.drain() == [.completed(second, .answered(titleAnswer(uid8, "Ada")))])
    }

    @Test("a late answer without a response is not taken for the answer of a later request")
    func lateAnswer() throws {
        let late = titleAnswer(uid7, "late")
        for size in 1...late.encodedCount {
            var session = ConsumerSession.subscribed()
            _ = try session.fetchTitle(uid7)
            let next = try session.fetchTitle(uid8)
            session.handleTimeout(at: .seconds(10))
            _ = session.drain()
            session.receive(late, at: .seconds(11), fragments: size)
            #expect(session.drain().isEmpty)
            session.receive(.controlPointWritten(try titleCommand(uid8), nil), at: .seconds(12))
            session.receive(titleAnswer(uid8, "Ada"), at: .seconds(12), fragments: size)
            #expect(
                session.drain().last == .completed(next, .answered(titleAnswer(uid8, "Ada"))))
        }
    }

    @Test("a response to the same command that was given up counts for both")
    func sameCommand() throws {
        var session = ConsumerSession.subscribed()
        _ = try session.fetchTitle(uid7)
        session.handleTimeout(at: .seconds(10))
        let again = try session.fetchTitle(uid7, at: .seconds(10))
        _ = session.drain()
        session.receive(
            .controlPointWritten(try titleCommand(uid7), .invalidParameter), at: .seconds(11))
        #expect(
            session.drain().last
                == .completed(again, .failed(.refused(.invalidParameter), partial: [])))
        #expect(session.nextDeadline == nil)
    }

    @Test("without a response nothing is read, and after an accepted command one descriptor, once")
    func reads() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.probing = ConsumerSession.Probing()
        var session = ConsumerSession.subscribed(configuration)
        for uid in Self.uids { _ = try session.fetchTitle(uid) }
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(titleAnswer(Self.uids[0], "1"), at: .zero)
        func reads() -> [ConsumerSession.LinkRequest] {
            session.drain().compactMap { output in
                guard case .link(let request) = output, case .readSubscription = request else {
                    return nil
                }
                return request
            }
        }
        // No response to the second.
        session.handleTimeout(at: .seconds(10))
        #expect(reads().isEmpty)
        // The third and the fourth are accepted and not answered; the probe falls between them.
        session.receive(.controlPointWritten(nil), at: .seconds(11))
        session.handleTimeout(at: .seconds(15))
        session.handleTimeout(at: .seconds(21))
        #expect(reads() == [.readSubscription(.dataSource)])
        session.receive(.controlPointWritten(nil), at: .seconds(22))
        session.handleTimeout(at: .seconds(27))
        #expect(reads().isEmpty)
    }

    @Test("a slow session, each step of which takes three seconds, gets over an unanswered command")
    func slow() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.probing = ConsumerSession.Probing()
        var session = ConsumerSession.subscribed(configuration)
        let requests = try Self.uids.map { try session.fetchTitle($0) }
        var now = MonotonicInstant.zero
        var link = Queue<ConsumerSession.LinkRequest>()
        var answered: Set<RequestID> = []
        var commands = 0
        while answered.count < requests.count - 1, now < .seconds(600) {
            for output in session.drain() {
                if case .link(let request) = output { link.append(request) }
                if case .completed(let request, .answered) = output { answered.insert(request) }
                #expect(output != .report(.renewing(.unanswered)))
            }
            // Each request on the link, and the answer, takes three seconds, one after the other.
            let next = now + .seconds(3)
            while let deadline = session.nextDeadline, deadline <= next {
                session.handleTimeout(at: deadline)
            }
            now = next
            switch link.popFirst() {
            case .writeControlPoint(let command):
                commands += 1
                session.receive(.controlPointWritten(command, nil), at: now)
                guard commands != 2 else { continue }
                now = now + .seconds(3)
                let uid = NotificationUID(command.span.extracting(1..<5))
                session.receive(titleAnswer(uid, "\(uid)"), at: now)
            case .readSubscription(let characteristic):
                session.receive(.subscriptionRead(characteristic, isSubscribed: true), at: now)
            case .subscribe, .unsubscribe, nil: break
            }
        }
        #expect(answered == Set(requests).subtracting([requests[1]]))
        #expect(now < .seconds(75))
    }
}
