import Octets
import Testing

@testable import ANCS

@Suite("A consumer's session")
struct ConsumerSessionTests {
    @Test("Data Source is subscribed to before Notification Source (S3)")
    func subscription() {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        #expect(session.drain() == [.link(.subscribe(.dataSource))])
        session.receive(.subscribed(.dataSource), at: .zero)
        #expect(session.drain() == [.link(.subscribe(.notificationSource))])
        session.receive(.subscribed(.notificationSource), at: .zero)
        #expect(session.drain() == [.report(.started)])
        #expect(session.nextDeadline == nil)
    }

    @Test("notifications that come before the subscription is confirmed are events (R11)")
    func earlyNotifications() {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        _ = session.drain()
        let value = announcement(.added, uid7)
        session.receive(value)
        #expect(session.drain() == [.event(value)])
    }

    @Test(
        "without Control Point or Data Source there are events, and no content (R8)",
        arguments: [(false, false), (true, false), (false, true)])
    func optionalCharacteristics(_ row: (Bool, Bool)) throws {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: row.0, hasDataSource: row.1, at: .zero)
        #expect(session.drain() == [.link(.subscribe(.notificationSource))])
        session.receive(.subscribed(.notificationSource), at: .zero)
        let value = announcement(.added, uid7)
        session.receive(value)
        #expect(session.drain() == [.report(.started), .event(value)])
        let request = try session.fetchTitle(uid7)
        #expect(
            session.drain() == [.completed(request, .failed(.contentUnavailable, partial: []))])
        let action = try session.perform(.positive, on: uid7, at: .zero)
        let command = PerformNotificationAction(notificationUID: uid7, actionID: .positive)
        #expect(
            session.drain() == [
                row.0
                    ? .link(.writeControlPoint(command.octets))
                    : .completed(action, .failed(.contentUnavailable, partial: []))
            ])
    }

    @Test("a refused Data Source leaves the events")
    func refusedDataSource() throws {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscriptionRefused(.dataSource, errorCode: 0x0A), at: .zero)
        #expect(
            session.drain() == [
                .link(.subscribe(.dataSource)), .link(.subscribe(.notificationSource)),
            ])
        let request = try session.fetchTitle(uid7)
        #expect(
            session.drain() == [.completed(request, .failed(.contentUnavailable, partial: []))])
    }

    @Test("a refused Notification Source ends the session (S31)")
    func refusedNotificationSource() {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        _ = session.drain()
        session.receive(.subscriptionRefused(.notificationSource, errorCode: 0x0A), at: .zero)
        #expect(session.drain() == [.report(.subscriptionFailed(errorCode: 0x0A))])
        #expect(throws: ConsumerSession.UsageError.notStarted) { try session.fetchTitle(uid7) }
    }

    @Test("values of another length or with a reserved event are counted (S16, S17)")
    func ignoredValues() {
        var session = ConsumerSession.subscribed()
        session.receive(.notificationSource([0, 0, 0]), at: .zero)
        session.receive(.notificationSource([UInt8](repeating: 0, count: 9)), at: .zero)
        session.receive(announcement(EventID(rawValue: 3), uid7))
        #expect(session.drain().isEmpty)
        #expect(session.ignoredNotificationSourceValues == 3)
    }

    @Test("one command is in flight; the next goes out when the answer is whole")
    func oneInFlight() throws {
        for size in 1...20 {
            var session = ConsumerSession.subscribed()
            let first = try session.fetchTitle(uid7)
            let second = try session.fetchTitle(uid8)
            #expect(session.drain() == [.link(.writeControlPoint(try titleCommand(uid7)))])
            session.receive(.controlPointWritten(nil), at: .zero)
            #expect(session.drain() == [.report(.authorizationChanged(.authorized))])
            session.receive(titleAnswer(uid7, "Ada"), fragments: size)
            #expect(
                session.drain() == [
                    .completed(first, .answered(titleAnswer(uid7, "Ada"))),
                    .link(.writeControlPoint(try titleCommand(uid8))),
                ])
            session.receive(.controlPointWritten(nil), at: .zero)
            session.receive(titleAnswer(uid8, ""), fragments: size)
            #expect(session.drain() == [.completed(second, .answered(titleAnswer(uid8, "")))])
            #expect(session.nextDeadline == nil)
        }
    }

    @Test("an answer may come before the response to its write")
    func answerBeforeWriteResponse() throws {
        var session = ConsumerSession.subscribed()
        let first = try session.fetchTitle(uid7)
        _ = try session.fetchTitle(uid8)
        _ = session.drain()
        session.receive(titleAnswer(uid7, "Ada"))
        #expect(session.drain() == [.completed(first, .answered(titleAnswer(uid7, "Ada")))])
        session.receive(.controlPointWritten(nil), at: .zero)
        #expect(
            session.drain() == [
                .report(.authorizationChanged(.authorized)),
                .link(.writeControlPoint(try titleCommand(uid8))),
            ])
    }

    @Test(
        "a refused command ends its request, and nothing else (S28)",
        arguments: [0xA0, 0xA1, 0xA2, 0xA3, 0x03, 0x05, 0x08, 0x0F, 0x01, 0x0E, 0x80, 0xFF])
    func refusals(_ code: UInt8) throws {
        var session = ConsumerSession.subscribed()
        let first = try session.fetchTitle(uid7)
        _ = try session.fetchTitle(uid8)
        _ = session.drain()
        let error = ControlPointError(rawValue: code)
        session.receive(.controlPointWritten(error), at: .zero)
        var expected: [ConsumerSession.Output] = [
            .completed(first, .failed(.refused(error), partial: [])),
            .link(.writeControlPoint(try titleCommand(uid8))),
        ]
        if [0x03, 0x05, 0x08, 0x0F].contains(code) {
            expected.insert(.report(.authorizationChanged(.unauthorized(error))), at: 0)
        } else if code & 0xFC == 0xA0 {
            expected.insert(.report(.authorizationChanged(.authorized)), at: 0)
        }
        #expect(session.drain() == expected)
    }

    @Test("authorization changes are reported once, in both directions (S1)")
    func authorization() throws {
        var session = ConsumerSession.subscribed()
        var changes: [ConsumerSession.Authorization] = []
        for error in [ControlPointError.writeNotPermitted, .writeNotPermitted, nil, nil] {
            _ = try session.fetchTitle(uid7)
            session.receive(.controlPointWritten(error), at: .zero)
            if error == nil { session.receive(titleAnswer(uid7, "Ada")) }
            for case .report(.authorizationChanged(let change)) in session.drain() {
                changes.append(change)
            }
        }
        #expect(changes == [.unauthorized(.writeNotPermitted), .authorized])
    }

    @Test("a request fails at its deadline and not a nanosecond before (S26)")
    func timeout() throws {
        var session = ConsumerSession.subscribed()
        let request = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .seconds(1))
        _ = session.drain()
        #expect(session.nextDeadline == .seconds(11))
        session.handleTimeout(at: .seconds(11).advanced(nanoseconds: -1))
        #expect(session.drain().isEmpty)
        session.handleTimeout(at: .seconds(11))
        #expect(session.drain() == [.completed(request, .failed(.timedOut, partial: []))])
        #expect(session.nextDeadline == nil)
    }

    @Test("progress of the answer restarts the deadline, and received octets are kept")
    func progressRestartsDeadline() throws {
        var session = ConsumerSession.subscribed()
        let request = try session.fetch([.title, .message], of: uid7, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        session.receive(titleAnswer(uid7, "Ada"), at: .seconds(9))
        #expect(session.nextDeadline == .seconds(19))
        // Somebody else's octets are no progress.
        session.handleTimeout(at: .seconds(19))
        let partial = [AttributeValue(.title, "Ada")]
        #expect(session.drain() == [.completed(request, .failed(.timedOut, partial: partial))])
    }

    @Test("an answer beyond the limit fails its request, and the next one is sent")
    func tooLong() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.responseLimits.maximumOctets = 100
        var session = ConsumerSession.subscribed(configuration)
        let request = try session.fetchTitle(uid7)
        _ = try session.fetchTitle(uid8)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        session.receive(.dataSource([0, 7, 0, 0, 0]), at: .zero)
        for _ in 0..<6 {
            session.receive(.dataSource([5, 17, 0] + [UInt8](repeating: 0, count: 17)), at: .zero)
        }
        #expect(
            session.drain() == [
                .completed(request, .failed(.responseTooLong, partial: [])),
                .link(.writeControlPoint(try titleCommand(uid8))),
            ])
    }

    @Test("everything ends with the session, once, and is forgotten (R52)")
    func end() throws {
        var session = ConsumerSession.subscribed()
        session.receive(announcement(.added, uid7))
        let requests = [
            try session.fetchTitle(uid7), try session.fetchTitle(uid8),
            try session.perform(.positive, on: uid7, at: .zero),
        ]
        _ = session.drain()
        session.end(at: .zero)
        var ended: [RequestID] = []
        for case .completed(let request, .failed(.sessionEnded, _)) in session.drain() {
            ended.append(request)
        }
        #expect(ended.sorted { $0.rawValue < $1.rawValue } == requests)
        #expect(session.nextDeadline == nil)
        session.end(at: .zero)
        session.receive(announcement(.added, uid7))
        session.receive(titleAnswer(uid7, "Ada"))
        session.receive(.controlPointWritten(nil), at: .zero)
        session.handleTimeout(at: .seconds(100))
        session.receive(.subscribed(.notificationSource), at: .zero)
        #expect(session.drain().isEmpty)
        #expect(throws: ConsumerSession.UsageError.notStarted) { try session.fetchTitle(uid7) }
    }

    @Test("inputs that make no sense in a state change nothing")
    func inputsBeforeTheSession() {
        var session = ConsumerSession()
        session.receive(announcement(.added, uid7))
        session.receive(titleAnswer(uid7, "Ada"))
        session.receive(.controlPointWritten(nil), at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        session.receive(.subscriptionRefused(.notificationSource, errorCode: 1), at: .zero)
        session.handleTimeout(at: .seconds(100))
        #expect(session.drain().isEmpty)
        #expect(throws: ConsumerSession.UsageError.notStarted) { try session.fetchTitle(uid7) }
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        session.receive(.subscribed(.notificationSource), at: .zero)
        #expect(session.drain() == [.link(.subscribe(.dataSource))])
    }

    @Test("a command waits for the Data Source")
    func fetchBeforeSubscription() throws {
        var session = ConsumerSession()
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        _ = try session.fetchTitle(uid7)
        #expect(session.drain() == [.link(.subscribe(.dataSource))])
        session.receive(.subscribed(.dataSource), at: .zero)
        #expect(
            session.drain() == [
                .link(.subscribe(.notificationSource)),
                .link(.writeControlPoint(try titleCommand(uid7))),
            ])
    }
}
