import Octets
import Testing

@testable import ANCS

@Suite("Answers that are compared and counted")
struct AttributeResponseTests {
    private static func answer(
        _ uid: NotificationUID, _ attributes: [AttributeValue]
    ) -> AttributeResponse {
        AttributeResponse(identity: .notification(uid), attributes: attributes)
    }

    @Test("two answers say the same if they differ in nothing but the order of attributes (S5)")
    func saysTheSame() {
        let (title, message) = (AttributeValue(.title, "a"), AttributeValue(.message, "b"))
        let answer = Self.answer(uid7, [title, message])
        #expect(answer.saysTheSame(as: Self.answer(uid7, [message, title])))
        let others = [
            Self.answer(uid8, [title, message]), Self.answer(uid7, [title]),
            Self.answer(uid7, [title, message, message]),
            Self.answer(uid7, [title, AttributeValue(.message, "c")]),
        ]
        for other in others {
            #expect(!answer.saysTheSame(as: other))
            #expect(!other.saysTheSame(as: answer))
        }
    }

    @Test("the octets that follow an answer in its last value are counted as discarded")
    func excess() throws {
        var session = ConsumerSession.subscribed()
        let request = try session.fetchTitle(uid7)
        session.receive(.controlPointWritten(nil), at: .zero)
        _ = session.drain()
        let answer = titleAnswer(uid7, "Ada")
        session.receive(.dataSource(answer.octets + [0xAA, 0xBB]), at: .zero)
        #expect(session.drain() == [.completed(request, .answered(answer))])
        #expect(session.discardedDataSourceOctets == 2)
    }

    @Test("an app without a name is asked about again when its interval is over (S23)")
    func interval() throws {
        let app = try AppIdentifier("app")
        var session = ConsumerSession.subscribed()
        _ = try session.fetchDisplayName(of: app, at: .zero)
        session.receive(.controlPointWritten(nil), at: .zero)
        session.handleTimeout(at: .seconds(10))
        _ = session.drain()
        let over = MonotonicInstant.seconds(40)
        let early = try session.fetchDisplayName(of: app, at: over.advanced(nanoseconds: -1))
        #expect(session.drain() == [.completed(early, .failed(.timedOut, partial: []))])
        _ = try session.fetchDisplayName(of: app, at: over)
        let command = GetAppAttributes(displayNameOf: app).octets
        #expect(session.drain() == [.link(.writeControlPoint(command))])
    }
}
