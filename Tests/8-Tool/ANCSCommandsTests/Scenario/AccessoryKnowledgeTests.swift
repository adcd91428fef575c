@testable import AccessoryConformance
import ANCS
import Octets
import Testing

@Suite("What a phone knows of a notification")
struct AccessoryKnowledgeTests {
    private static let uid = NotificationUID(rawValue: 7)

    private static func session() -> AccessoryKnowledge.Session {
        var session = AccessoryKnowledge.Session(number: 1)
        session.announced(.added, at: .zero)
        return session
    }

    private static func get(_ length: UInt16) throws -> GetNotificationAttributes {
        try GetNotificationAttributes(
            notificationUID: uid, attributes: [.appIdentifier, .message(maxLength: length)])
    }

    private static func ask(
        _ session: inout AccessoryKnowledge.Session, _ length: UInt16, isReordered: Bool = false
    ) throws {
        session.asked(try get(length))
        session.answered(
            .getNotificationAttributes(try get(length)), 100, isReordered: isReordered)
    }

    private static func answered(
        _ session: AccessoryKnowledge.Session
    ) -> [[NotificationAttributeRequest]: Bool]? {
        session.tracks[uid]?.answered
    }

    @Test("a request is answered once its answer was sent, in the order of the last answer")
    func answers() throws {
        var session = Self.session()
        let get = try Self.get(1)
        session.asked(get)
        #expect(Self.answered(session) == [:])
        for isReordered in [true, false] {
            session.answered(.getNotificationAttributes(get), 100, isReordered: isReordered)
            #expect(Self.answered(session) == [get.attributes: isReordered])
        }
        session.asked(get)
        #expect(Self.answered(session) == [get.attributes: false])
    }

    @Test("an answer to what was asked before the notification changed is outdated")
    func outdated() throws {
        var session = Self.session()
        let get = try Self.get(1)
        session.asked(get)
        session.announced(.modified, at: .zero)
        session.answered(.getNotificationAttributes(get), 100, isReordered: false)
        #expect(Self.answered(session) == [:])
    }

    @Test("the last requests are remembered, however many there are")
    func bound() throws {
        var session = Self.session()
        for length in 1...1000 as ClosedRange<UInt16> { try Self.ask(&session, length) }
        let answered = try #require(Self.answered(session))
        #expect(answered.count == 32)
        #expect(answered[try Self.get(1000).attributes] == false)
        #expect(answered[try Self.get(1).attributes] == nil)
    }
}

extension AccessoryKnowledge.Session {
    fileprivate mutating func announced(_ event: EventID, at now: MonotonicInstant) {
        announced(
            NotificationSourceValue(eventID: event, notificationUID: NotificationUID(rawValue: 7)),
            canBeFetched: true, isForbidden: false, at: now)
    }
}
