import Octets
import Testing

@testable import ANCS

/// Answers that hardly arrive, and octets that nobody asked for.
@Suite("Slow answers and unasked values")
struct SlowAnswerTests {
    /// An answer with a message of this many octets.
    private static func answer(_ uid: NotificationUID, _ count: Int) -> AttributeResponse {
        AttributeResponse(
            identity: .notification(uid),
            attributes: [
                AttributeValue(.message, String(repeating: "x", count: count))
            ])
    }

    private static let first = RequestID(rawValue: 1)
    private static let second = RequestID(rawValue: 2)
    private static let ringing = NotificationUID(rawValue: 9)

    /// A session in which the message of `uid7` is requested, and then the title of `uid8`.
    private static func asking() throws -> ConsumerSession {
        var session = ConsumerSession.subscribed()
        let message = try NotificationAttributeRequest(.message, maxLength: 65_535)
        #expect(try session.fetch([message], of: uid7, at: .zero) == first)
        #expect(try session.fetchTitle(uid8) == second)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        return session
    }

    /// Passes on an answer in values of `size` octets, one after each interval; returns when it ended.
    private static func send(
        _ octets: [UInt8], _ size: Int, each interval: Duration, to session: inout ConsumerSession
    ) -> MonotonicInstant {
        var now = MonotonicInstant.zero
        for value in octets.fragments(of: size) {
            let next = now + interval
            while let deadline = session.nextDeadline, deadline <= next {
                session.handleTimeout(at: deadline)
            }
            now = next
            session.receive(.dataSource(value), at: now)
        }
        return now
    }

    @Test("a message of 60 KB at the smallest ATT_MTU takes a minute and a half, and is whole")
    func long() throws {
        var session = try Self.asking()
        let answer = Self.answer(uid7, 60_000)
        let end = Self.send(answer.octets, 20, each: .milliseconds(30), to: &session)
        #expect(end > .seconds(89))
        #expect(session.drain().first == .completed(Self.first, .answered(answer)))
    }

    @Test("twenty octets a second are enough")
    func least() throws {
        var session = try Self.asking()
        let answer = Self.answer(uid7, 2_000)
        _ = Self.send(answer.octets, 20, each: .seconds(1), to: &session)
        #expect(session.drain().first == .completed(Self.first, .answered(answer)))
    }

    @Test(
        "an answer that drips is given up after half a minute, and the next one is taken",
        arguments: [(1, 4_000), (1, 100), (19, 1_000), (20, 1_050), (60, 5_000)])
    func drip(_ size: Int, _ milliseconds: Int) throws {
        var session = try Self.asking()
        let octets = Self.answer(uid7, 60_000).octets
        var now = MonotonicInstant.zero
        var rest = octets.fragments(of: size)[...]
        var outputs: [ConsumerSession.Output] = []
        while outputs.isEmpty, let value = rest.popFirst() {
            now = now + .milliseconds(milliseconds)
            while let deadline = session.nextDeadline, deadline <= now {
                session.handleTimeout(at: deadline)
            }
            session.receive(.dataSource(value), at: now)
            outputs += session.drain()
        }
        #expect(now <= .seconds(35))
        guard case .completed(Self.first, .failed(.timedOut, _))? = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        // The rest of it may come beside the next answer.
        session.receive(.controlPointWritten(nil), at: now)
        _ = session.drain()
        for value in rest.prefix(3) { session.receive(.dataSource(value), at: now) }
        session.receive(titleAnswer(uid8, "Ada"), at: now, fragments: 20)
        #expect(session.drain() == [.completed(Self.second, .answered(titleAnswer(uid8, "Ada")))])
    }

    @Test("an action waits ten seconds behind an answer that goes on, and not for its end")
    func action() throws {
        var session = try Self.asking()
        var rest = Self.answer(uid7, 60_000).octets.fragments(of: 20)[...]
        var action: RequestID?
        var now = MonotonicInstant.zero
        var outputs: [ConsumerSession.Output] = []
        while outputs.isEmpty, let value = rest.popFirst() {
            now = now + .milliseconds(500)
            while let deadline = session.nextDeadline, deadline <= now {
                session.handleTimeout(at: deadline)
            }
            session.receive(.dataSource(value), at: now)
            outputs += session.drain()
            if now == .seconds(60) {
                action = try session.perform(.negative, on: Self.ringing, at: now)
            }
        }
        #expect(now == .seconds(70))
        guard case .completed(Self.first, .failed(.timedOut, _))? = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        #expect(outputs.dropFirst() == [.link(.writeControlPoint([2, 9, 0, 0, 0, 1]))])
        // What is left of it goes on, and harms neither the action nor the next answer.
        for value in rest.prefix(3) { session.receive(.dataSource(value), at: now) }
        session.receive(.controlPointWritten(nil), at: now)
        #expect(session.drain().first == .completed(try #require(action), .performed))
        session.receive(.controlPointWritten(nil), at: now)
        for value in rest.dropFirst(3).prefix(3) { session.receive(.dataSource(value), at: now) }
        session.receive(titleAnswer(uid8, "Ada"), at: now, fragments: 20)
        #expect(
            session.drain().last == .completed(Self.second, .answered(titleAnswer(uid8, "Ada"))))
    }

    @Test(
        "an answer that ends in time, or whose action is withdrawn, is whole",
        arguments: [true, false])
    func actionInTime(isRemoved: Bool) throws {
        var session = try Self.asking()
        _ = try session.perform(.negative, on: Self.ringing, at: .zero)
        if isRemoved {
            session.receive(
                .notificationSource(announcement(.removed, Self.ringing).octets), at: .zero)
            _ = session.drain()
        }
        let answer = Self.answer(uid7, isRemoved ? 2_000 : 190)
        let end = Self.send(answer.octets, 20, each: .milliseconds(900), to: &session)
        #expect(isRemoved ? end > .seconds(60) : end == .seconds(9))
        #expect(session.drain().first == .completed(Self.first, .answered(answer)))
    }

    private static let strays: [[UInt8]] = [
        [0], [1], [0, 7], [0, 8, 0, 0], [2], [0xFF], Array(repeating: 0, count: 20),
        Array(repeating: 1, count: 20), Array(repeating: 0x41, count: 20),
        [1] + Array(repeating: 0x41, count: 19),
        [0, 99, 0, 0, 0, 3, 0xFF, 0xFF] + Array(repeating: 0x41, count: 12),
        [0, 7, 0, 0, 0, 3, 0xFF, 0xFF] + Array(repeating: 0x41, count: 12),
        titleAnswer(NotificationUID(rawValue: 99), "unasked").octets,
        titleAnswer(uid7, "unasked").octets,
    ]

    @Test(
        "20,000 unrequested values do not cost the next answer its text",
        arguments: strays, [1, 20])
    func unasked(_ stray: [UInt8], _ size: Int) throws {
        for isAsked in [false, true] {
            var session = ConsumerSession.subscribed()
            let early = isAsked ? try session.fetchTitle(uid8) : nil
            if isAsked { session.receive(.controlPointWritten(nil), at: .zero) }
            for _ in 0..<20_000 { session.receive(.dataSource(stray), at: .zero) }
            let request = try early ?? session.fetchTitle(uid8)
            if !isAsked { session.receive(.controlPointWritten(nil), at: .zero) }
            _ = session.drain()
            let answer = titleAnswer(uid8, "Ada Lovelace")
            session.receive(answer, at: .seconds(1), fragments: size)
            #expect(
                session.drain() == [.completed(request, .answered(answer))], "\(isAsked)")
        }
    }
}
