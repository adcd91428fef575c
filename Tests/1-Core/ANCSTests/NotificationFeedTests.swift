import Octets
import Testing

@testable import ANCS

@Suite("A feed of notifications")
struct NotificationFeedTests {
    /// Asks for titles only.
    private static let titles: NotificationFeed.Configuration = {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        return configuration
    }()

    @Test("a notification comes with its attributes and the name of its app")
    func whole() throws {
        let app = try AppIdentifier("com.example")
        let answer = AttributeResponse(
            identity: .notification(uid7),
            attributes: [
                AttributeValue(.appIdentifier, "com.example"), AttributeValue(.title, "Ada"),
            ])
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier, .title]))
        feed.receive(announcement(.added, uid7))
        let command = try GetNotificationAttributes(
            notificationUID: uid7, attributes: [.appIdentifier, .title])
        #expect(feed.drain() == [.link(.writeControlPoint(command.octets))])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(answer)
        #expect(
            feed.drain() == [
                .report(.authorizationChanged(.authorized)),
                .link(.writeControlPoint(GetAppAttributes(displayNameOf: app).octets)),
            ])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(nameAnswer(app, "Example"))
        var delivery = NotificationFeed.Delivery(source: announcement(.added, uid7))
        delivery.attributes = answer.attributes
        delivery.displayName = AttributeValue(AppAttributeID.displayName, "Example")
        #expect(feed.drain() == [.notification(delivery)])
        #expect(feed.nextDeadline == nil)
    }

    @Test(
        "a name that cannot be fetched does not lose the notification",
        arguments: [0xA2, 0x03, 0x80])
    func nameRefused(_ code: UInt8) throws {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(
            AttributeResponse(
                identity: .notification(uid7),
                attributes: [AttributeValue(.appIdentifier, "com.example")]))
        feed.receive(.controlPointWritten(ControlPointError(rawValue: code)), at: .zero)
        let deliveries = feed.drain().deliveries
        #expect(deliveries.count == 1)
        #expect(deliveries.first?[.appIdentifier]?.text == "com.example")
        #expect(deliveries.first?.failure == nil)
        #expect(
            deliveries.first?.displayNameFailure == .refused(ControlPointError(rawValue: code)))
    }

    @Test(
        "an app identifier that no command can contain does not trap",
        arguments: ["", "com\0example"])
    func oddAppIdentifier(_ identifier: String) {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(
            AttributeResponse(
                identity: .notification(uid7),
                attributes: [AttributeValue(.appIdentifier, identifier)]))
        let deliveries = feed.drain().deliveries
        #expect(deliveries.map { $0[.appIdentifier]?.text } == [identifier])
        #expect(deliveries.first?.displayName == nil)
    }

    @Test("a burst is delivered whole and in order")
    func burst() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        for number in 0..<1000 as Range<UInt32> {
            feed.receive(announcement(.added, NotificationUID(rawValue: number)))
        }
        #expect(feed.pendingNotificationCount == 999)
        var outputs = feed.drain()
        for number in 0..<1000 as Range<UInt32> {
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(titleAnswer(NotificationUID(rawValue: number), "title \(number)"))
            outputs += feed.drain()
        }
        #expect(outputs.deliveries.map { $0[.title]?.text } == (0..<1000).map { "title \($0)" })
        #expect(outputs.deliveries.allSatisfy { $0.failure == nil })
        #expect(outputs.writes.count == 1000)
    }

    @Test("failed fetches keep the order, and have the reason (refused, timed out)")
    func failuresInOrder() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        let uids = (1...3).map { NotificationUID(rawValue: $0) }
        for uid in uids { feed.receive(announcement(.added, uid)) }
        feed.receive(.controlPointWritten(.invalidParameter), at: .zero)
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.handleTimeout(at: .seconds(10))
        feed.receive(.controlPointWritten(nil), at: .seconds(10))
        feed.receive(titleAnswer(uids[2], "Ada"), at: .seconds(10))
        let deliveries = feed.drain().deliveries
        #expect(deliveries.map(\.source.notificationUID) == uids)
        #expect(deliveries.map(\.failure) == [.refused(.invalidParameter), .timedOut, nil])
        #expect(deliveries.last?[.title]?.text == "Ada")
    }

    @Test("without a Control Point notifications are delivered as they were announced (R8)")
    func noControlPoint() {
        var feed = NotificationFeed.subscribed(Self.titles, hasControlPoint: false)
        feed.receive(announcement(.added, uid7))
        // Without a Control Point only the Notification Source is subscribed to.
        let deliveries = feed.drain().deliveries
        #expect(deliveries.map(\.failure) == [.contentUnavailable])
    }

    @Test("announcements of one notification that wait together share a fetch (S22)")
    func modifiedWhileWaiting() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid8))
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.modified, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "first"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid7, "Ada"))
        let outputs = feed.drain()
        #expect(outputs.writes == [try titleCommand(uid8), try titleCommand(uid7)])
        #expect(outputs.deliveries.map(\.source.eventID) == [.added, .added, .modified])
        #expect(outputs.deliveries.map { $0[.title]?.text } == ["first", "Ada", "Ada"])
    }

    @Test("announcements that share a fetch keep their own headers")
    func sharedFetchOfOldAndNew() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid8))
        feed.receive(announcement(.added, uid7, flags: [.preExisting]))
        feed.receive(announcement(.modified, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "first"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid7, "Ada"))
        #expect(feed.drain().deliveries.map(\.isPreExisting) == [false, true, false])
    }

    @Test(
        "a new notification is delivered at the end of a session, although an old one shares its fetch"
    )
    func sharedFetchAtTheEnd() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid8))
        feed.receive(announcement(.modified, uid7, flags: [.preExisting]))
        feed.receive(announcement(.modified, uid7))
        feed.end(at: .zero)
        #expect(
            feed.drain().deliveries.map(\.source.eventID) == [.added, .modified, .modified])
    }

    @Test("a notification modified while it is being fetched is fetched again")
    func modifiedInFlight() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(announcement(.modified, uid7))
        feed.receive(titleAnswer(uid7, "Loading"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid7, "Ada"))
        let outputs = feed.drain()
        #expect(outputs.writes == [try titleCommand(uid7), try titleCommand(uid7)])
        #expect(outputs.deliveries.map { $0[.title]?.text } == ["Loading", "Ada"])
    }

    @Test("a notification removed before its fetch is delivered without, then removed")
    func removedWhileWaiting() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid8))
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.removed, uid7))
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "first"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid7, "again"))
        let outputs = feed.drain()
        #expect(outputs.writes == [try titleCommand(uid8), try titleCommand(uid7)])
        #expect(
            outputs.deliveries.map(\.line) == [
                "added 7", "removed 7", "added 8 first", "added 7 again",
            ])
        #expect(outputs.deliveries.map(\.failure) == [.removed, nil, nil, nil])
    }

    @Test("a notification that is added twice is reported as modified")
    func addedTwice() {
        var feed = NotificationFeed.subscribed(NotificationFeed.Configuration(attributes: []))
        let steps: [EventID] = [.added, .added, .modified, .added, .removed, .added]
        for step in steps { feed.receive(announcement(step, uid7)) }
        feed.receive(announcement(.added, uid8))
        #expect(
            feed.drain().deliveries.map(\.source.eventID) == [
                .added, .modified, .modified, .modified, .removed, .added, .added,
            ])
        feed.end(at: .zero)
        feed = NotificationFeed.subscribed(NotificationFeed.Configuration(attributes: []))
        feed.receive(announcement(.added, uid7))
        #expect(feed.drain().deliveries.map(\.source.eventID) == [.added])
    }

    @Test("an omitted notification is unknown: it is added when it is announced as new")
    func ignoredThenAdded() {
        var configuration = NotificationFeed.Configuration(attributes: [])
        configuration.preExisting = .none
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid7, flags: [.preExisting]))
        feed.receive(announcement(.added, uid7, flags: [.preExisting]))
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.added, uid7, flags: [.preExisting]))
        #expect(feed.drain().deliveries.map(\.source.eventID) == [.added, .modified])
    }

    @Test("a notification removed while it is being fetched is delivered, then removed")
    func removedInFlight() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(announcement(.removed, uid7))
        feed.receive(titleAnswer(uid7, "late"))
        let deliveries = feed.drain().deliveries
        #expect(deliveries.map(\.source.eventID) == [.added, .removed])
        #expect(deliveries.map(\.failure) == [.removed, nil])
    }

    @Test("beyond the limit the oldest that waits is delivered at once, without attributes")
    func limit() throws {
        var configuration = Self.titles
        configuration.maximumPendingNotifications = 2
        var feed = NotificationFeed.subscribed(configuration)
        let uids = (1...4).map { NotificationUID(rawValue: $0) }
        for uid in uids { feed.receive(announcement(.added, uid)) }
        let early = feed.drain().deliveries
        #expect(early.map(\.source.notificationUID) == [uids[1]])
        #expect(early.map(\.failure) == [.evicted])
        #expect(feed.pendingNotificationCount == 2)
        for uid in [uids[0], uids[2], uids[3]] {
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(titleAnswer(uid, "\(uid)"))
        }
        let late = feed.drain().deliveries
        #expect(late.map { $0[.title]?.text } == ["1", "3", "4"])
        #expect(late.allSatisfy { $0.failure == nil })
    }

    @Test("the end of the session delivers what waits as it was announced, and ends all requests")
    func end() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.added, uid8))
        let old = NotificationUID(rawValue: 9)
        feed.receive(announcement(.added, old, flags: [.preExisting]))
        let request = try feed.perform(.positive, on: uid8, at: .zero)
        _ = feed.drain()
        feed.end(at: .zero)
        let outputs = feed.drain()
        #expect(outputs.contains(.completed(request, .failed(.sessionEnded, partial: []))))
        // What was there before the session is announced again by the next one (R53).
        #expect(outputs.deliveries.map(\.source.notificationUID) == [uid7, uid8])
        #expect(outputs.deliveries.map(\.failure) == [.sessionEnded, .sessionEnded])
        #expect(outputs.count == 3)
        #expect(feed.pendingNotificationCount == 0)
        #expect(feed.nextDeadline == nil)
    }

    @Test(
        "a notification that is held back at the end of a session is not reported as modified either (R53)"
    )
    func endOfAModification() {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        let old = NotificationUID(rawValue: 9)
        feed.receive(announcement(.added, old, flags: [.preExisting]))
        feed.receive(announcement(.added, uid8, flags: [.preExisting]))
        feed.receive(announcement(.modified, old))
        feed.receive(announcement(.modified, uid8))
        feed.receive(announcement(.modified, uid7))
        feed.receive(announcement(.removed, uid8))
        feed.end(at: .zero)
        let lines = feed.drain().deliveries.map {
            "\($0.source.eventID) \($0.source.notificationUID)"
        }
        #expect(lines == ["added 8", "modified 8", "removed 8", "added 7", "modified 7"])
    }

    @Test("a caller's own requests end with their outcome")
    func ownRequests() throws {
        var feed = NotificationFeed.subscribed(Self.titles)
        feed.receive(announcement(.added, uid7))
        let action = try feed.perform(.positive, on: uid7, at: .zero)
        let fetch = try feed.fetch([.title], of: uid8, at: .zero)
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid7, "Ada"))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "Bea"))
        let outputs = feed.drain()
        #expect(outputs.contains(.completed(action, .performed)))
        #expect(outputs.contains(.completed(fetch, .answered(titleAnswer(uid8, "Bea")))))
        #expect(outputs.deliveries.map { $0[.title]?.text } == ["Ada"])
    }

    @Test("without attributes to ask for, announcements are delivered at once (R55)")
    func headersOnly() {
        var feed = NotificationFeed.subscribed(NotificationFeed.Configuration(attributes: []))
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.modified, uid7))
        #expect(feed.drain().deliveries.map(\.source.eventID) == [.added, .modified])
    }
}
