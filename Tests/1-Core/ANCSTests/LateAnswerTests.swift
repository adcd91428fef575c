import Octets
import Testing

@testable import ANCS

@Suite("Late and stray answers")
struct LateAnswerTests {
    /// A session in which the request for `uid7` has timed out.
    private static func afterTimeout(received: Int = 0) throws -> ConsumerSession {
        var session = ConsumerSession.subscribed()
        _ = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .zero)
        let started = titleAnswer(uid7, "late").octets[..<received]
        if received > 0 { session.receive(.dataSource(Array(started)), at: .zero) }
        session.handleTimeout(at: .seconds(10))
        return session
    }

    @Test("a late answer is dropped with any fragmentation, and the next one is accepted")
    func lateAnswer() throws {
        let late = titleAnswer(uid7, "late")
        let answer = titleAnswer(uid8, "Ada")
        for size in 1...late.encodedCount {
            var session = try Self.afterTimeout()
            let request = try session.fetchNext()
            session.receive(late, at: .seconds(11), fragments: size)
            #expect(session.drain().isEmpty)
            #expect(session.nextDeadline == .seconds(20))
            session.receive(answer, at: .seconds(11), fragments: size)
            #expect(session.drain() == [.completed(request, .answered(answer))])
        }
    }

    @Test("a session that keeps no late answers in mind gives up requests like any other")
    func noLateAnswers() throws {
        var configuration = ConsumerSession.Configuration()
        configuration.maximumLateAnswers = 0
        var session = ConsumerSession.subscribed(configuration)
        let request = try session.fetchTitle(uid7)
        session.handleTimeout(at: .seconds(10))
        #expect(
            session.drain().last == .completed(request, .failed(.timedOut, partial: [])))
    }

    @Test("an answer that stalls in the middle may continue after its deadline")
    func stalledAnswer() throws {
        let late = titleAnswer(uid7, "late").octets
        let answer = titleAnswer(uid8, "Ada")
        for received in 5..<late.count {
            var session = try Self.afterTimeout(received: received)
            let request = try session.fetchNext()
            session.receive(.dataSource(Array(late[received...])), at: .seconds(11))
            #expect(session.drain().isEmpty)
            session.receive(answer, at: .seconds(11))
            #expect(session.drain() == [.completed(request, .answered(answer))])
        }
    }

    @Test("an answer that never continues does not swallow the next one")
    func cutAnswer() throws {
        let answer = titleAnswer(uid8, "Ada")
        for received in 1..<titleAnswer(uid7, "late").encodedCount {
            for size in 1...answer.encodedCount {
                var session = try Self.afterTimeout(received: received)
                let request = try session.fetchNext()
                session.receive(answer, at: .seconds(11), fragments: size)
                #expect(
                    session.drain() == [.completed(request, .answered(answer))],
                    "\(received) octets came, then fragments of \(size)")
            }
        }
    }

    @Test("an app without attributes does not swallow what comes in the smallest fragments (S23)")
    func headerOnly() throws {
        let app = try AppIdentifier("com.example")
        let answers = [
            titleAnswer(uid8, "Ada"), nameAnswer(try AppIdentifier("com.other"), "Other"),
            nameAnswer(try AppIdentifier("a"), "A"),
        ]
        for answer in answers {
            for size in 1...answer.encodedCount {
                var session = ConsumerSession.subscribed()
                _ = try session.fetchDisplayName(of: app, at: .zero)
                session.receive(.controlPointWritten(nil), at: .zero)
                session.receive(nameAnswer(app, nil))
                session.handleTimeout(at: .seconds(2))
                let request =
                    switch answer.identity {
                    case .notification(let uid): try session.fetchTitle(uid, at: .seconds(2))
                    case .app(let app): try session.fetchDisplayName(of: app, at: .seconds(2))
                    }
                session.receive(.controlPointWritten(nil), at: .seconds(2))
                _ = session.drain()
                session.receive(answer, at: .seconds(3), fragments: size)
                #expect(
                    session.drain() == [.completed(request, .answered(answer))],
                    "\(answer.identity) in fragments of \(size)")
            }
        }
    }

    @Test("late and awaited answers in one value are distinguished (S4)")
    func concatenated() throws {
        let answer = titleAnswer(uid8, "Ada")
        var session = try Self.afterTimeout()
        let request = try session.fetchNext()
        let octets = titleAnswer(uid7, "late").octets + answer.octets + [0xAA, 0xBB]
        session.receive(.dataSource(octets), at: .seconds(11))
        #expect(session.drain() == [.completed(request, .answered(answer))])
        #expect(session.discardedDataSourceOctets >= 2)
    }

    @Test("the late answer to a request that was repeated is not taken for the next one's")
    func repeated() throws {
        let (first, second) = (titleAnswer(uid7, "late"), titleAnswer(uid7, "later").octets)
        let answer = titleAnswer(uid8, "Ada")
        for cut in 1..<second.count {
            var session = try Self.afterTimeout()
            let repeated = try session.fetchTitle(uid7)
            session.receive(.controlPointWritten(nil), at: .seconds(10))
            session.receive(.controlPointWritten(nil), at: .seconds(10))
            _ = session.drain()
            let value = first.octets + second[..<cut]
            session.receive(.dataSource(value), at: .seconds(11))
            #expect(session.drain() == [.completed(repeated, .answered(first))])
            let request = try session.fetchNext()
            session.receive(.dataSource(Array(second[cut...])), at: .seconds(12))
            #expect(
                session.drain() == [.superseded(repeated, titleAnswer(uid7, "later"))],
                "cut at \(cut)")
            session.receive(answer, at: .seconds(12))
            #expect(session.drain() == [.completed(request, .answered(answer))])
        }
    }

    @Test("a burst after a stall does not time out one request after the other")
    func burstAfterStall() throws {
        var session = ConsumerSession.subscribed()
        let uids = (0..<5).map { NotificationUID(rawValue: $0) }
        var requests: [RequestID] = []
        for uid in uids { requests.append(try session.fetchTitle(uid)) }
        for stall in 1...3 {
            session.receive(.controlPointWritten(nil), at: .seconds(Int64(10 * stall - 10)))
            session.handleTimeout(at: .seconds(Int64(10 * stall)))
        }
        session.receive(.controlPointWritten(nil), at: .seconds(30))
        _ = session.drain()
        for uid in uids.dropLast() {
            session.receive(titleAnswer(uid, "title \(uid)"), at: .seconds(31))
        }
        session.receive(.controlPointWritten(nil), at: .seconds(31))
        session.receive(titleAnswer(uids[4], "title 4"), at: .seconds(31))
        var answered: [RequestID: AttributeResponse] = [:]
        for case .completed(let request, .answered(let response)) in session.drain() {
            answered[request] = response
        }
        #expect(
            answered == [
                requests[3]: titleAnswer(uids[3], "title 3"),
                requests[4]: titleAnswer(uids[4], "title 4"),
            ])
    }

    @Test("octets that were not requested are dropped, and the answer is found after them")
    func stray() throws {
        let strays: [[UInt8]] = [
            [0x7F, 0, 0, 0, 0], [0], [1], [0, 9, 9], Array("text".utf8), [0, 0, 0, 0],
            titleAnswer(NotificationUID(rawValue: 99), "unasked").octets,
            Array(titleAnswer(NotificationUID(rawValue: 99), "unasked").octets.prefix(10)),
            nameAnswer(try AppIdentifier("com.example"), "Example").octets, [],
        ]
        for stray in strays {
            var session = ConsumerSession.subscribed()
            let request = try session.fetchTitle(uid7)
            session.receive(.controlPointWritten(nil), at: .zero)
            _ = session.drain()
            session.receive(.dataSource(stray), at: .seconds(1))
            #expect(session.nextDeadline == .seconds(10), "\(stray) is no progress")
            let answer = titleAnswer(uid7, "Ada")
            session.receive(answer, at: .seconds(1))
            #expect(session.drain() == [.completed(request, .answered(answer))], "\(stray)")
        }
    }

    @Test("an answer without a request is dropped")
    func unsolicited() {
        var session = ConsumerSession.subscribed()
        session.receive(titleAnswer(uid7, "Ada"))
        #expect(session.drain().isEmpty)
        #expect(session.discardedDataSourceOctets > 0)
    }

    @Test("an answer that restarts is read from its new start")
    func restarted() throws {
        var session = ConsumerSession.subscribed()
        let request = try session.fetch([.title, .message], of: uid7, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        session.receive(titleAnswer(uid7, "old"))
        let answer = AttributeResponse(
            identity: .notification(uid7),
            attributes: [AttributeValue(.title, "new"), AttributeValue(.message, "text")])
        session.receive(answer)
        #expect(session.drain() == [.completed(request, .answered(answer))])
    }
}

extension ConsumerSession {
    /// The request for `uid8` is in flight.
    fileprivate mutating func fetchNext() throws -> RequestID {
        let request = try fetchTitle(uid8, at: .seconds(10))
        receive(.controlPointWritten(nil), at: .seconds(10))
        _ = drain()
        return request
    }
}
