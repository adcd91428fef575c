import Octets
import Testing

@testable import ANCS

@Suite("What is fetched is selected")
struct SelectionTests {
    private static func asking(
        _ attributes: [NotificationAttributeRequest] = [.appIdentifier, .title]
    ) -> NotificationFeed {
        var configuration = NotificationFeed.Configuration(attributes: attributes)
        configuration.asksWhatToFetch = true
        configuration.fetchesDisplayName = false
        return .subscribed(configuration)
    }

    private func delivery(
        _ uid: NotificationUID, _ change: (inout NotificationFeed.Delivery) -> Void = { _ in }
    ) -> NotificationFeed.Delivery {
        var delivery = NotificationFeed.Delivery(source: announcement(.added, uid))
        change(&delivery)
        return delivery
    }

    private func command(
        _ attributes: [NotificationAttributeRequest]
    ) throws -> NotificationFeed.Output {
        let command = try GetNotificationAttributes(
            notificationUID: uid7, attributes: attributes)
        return .link(.writeControlPoint(command.octets))
    }

    private let app = AttributeValue(.appIdentifier, "com.example")
    private let title = AttributeValue(.title, "Ada")

    @Test("nothing is fetched before the owner has decided, and nothing if he wants nothing")
    func nothing() {
        var feed = Self.asking()
        feed.receive(announcement(.added, uid7))
        #expect(feed.drain() == [.selecting(delivery(uid7), known: .nothing)])
        feed.select(.nothing, of: uid7, at: .zero)
        #expect(feed.drain() == [.notification(delivery(uid7) { $0.isWithheld = true })])
        #expect(feed.nextDeadline == nil)
    }

    @Test("the app comes first, then the rest")
    func appFirst() throws {
        var feed = Self.asking()
        feed.receive(announcement(.added, uid7))
        _ = feed.drain()
        feed.select(.app, of: uid7, at: .zero)
        #expect(feed.drain() == [try command([.appIdentifier])])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(AttributeResponse(identity: .notification(uid7), attributes: [app]))
        let known = delivery(uid7) { $0.attributes = [app] }
        #expect(
            feed.drain() == [
                .report(.authorizationChanged(.authorized)), .selecting(known, known: .app),
            ])
        feed.select(.everything, of: uid7, at: .zero)
        #expect(feed.drain() == [try command([.appIdentifier, .title])])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(AttributeResponse(identity: .notification(uid7), attributes: [app, title]))
        #expect(
            feed.drain() == [.notification(delivery(uid7) { $0.attributes = [app, title] })])
    }

    @Test("the name of the app decides", arguments: [nil, "Example"])
    func nameDecides(_ name: String?) throws {
        var feed = Self.asking()
        let identifier = try AppIdentifier("com.example")
        feed.receive(announcement(.added, uid7))
        _ = feed.drain()
        feed.select(.appName, of: uid7, at: .zero)
        #expect(feed.drain() == [try command([.appIdentifier])])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(AttributeResponse(identity: .notification(uid7), attributes: [app]))
        #expect(feed.drain().writes == [GetAppAttributes(displayNameOf: identifier).octets])
        if let name {
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(nameAnswer(identifier, name))
        } else {
            feed.receive(.controlPointWritten(.invalidParameter), at: .zero)
        }
        let known = delivery(uid7) {
            $0.attributes = [app]
            $0.displayName = name.map { AttributeValue(AppAttributeID.displayName, $0) }
            $0.displayNameFailure = name == nil ? .refused(.invalidParameter) : nil
        }
        #expect(feed.drain() == [.selecting(known, known: .appName)])
        // Less than what is known by now, so that it brings nothing.
        feed.select(.app, of: uid7, at: .zero)
        var withheld = known
        withheld.isWithheld = true
        #expect(feed.drain() == [.notification(withheld)])
    }

    @Test("a removal does not wait for the owner, whose late word does nothing")
    func removedMeanwhile() {
        var feed = Self.asking()
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.removed, uid7))
        #expect(
            feed.drain() == [
                .selecting(delivery(uid7), known: .nothing),
                .notification(delivery(uid7) { $0.failure = .removed }),
                .notification(NotificationFeed.Delivery(source: announcement(.removed, uid7))),
            ])
        feed.select(.nothing, of: uid7, at: .zero)
        #expect(feed.drain().isEmpty)
        feed.receive(announcement(.added, uid8))
        #expect(feed.drain() == [.selecting(delivery(uid8), known: .nothing)])
        feed.select(.everything, of: uid7, at: .zero)
        #expect(feed.drain().isEmpty)
    }

    @Test("nothing is lost where the session ends before the owner has decided")
    func endedMeanwhile() {
        var feed = Self.asking()
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.added, uid8))
        feed.end(at: .zero)
        #expect(
            feed.drain().deliveries
                == [uid7, uid8].map { uid in
                    delivery(uid) { $0.failure = .sessionEnded }
                })
    }

    @Test("after a refusal for lack of consent, the owner can have the phone asked again")
    func refused() throws {
        var feed = Self.asking()
        feed.receive(announcement(.added, uid7))
        _ = feed.drain()
        feed.select(.app, of: uid7, at: .zero)
        _ = feed.drain()
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        let refused = feed.drain().deliveries
        #expect(refused.map(\.failure) == [.refused(.writeNotPermitted)])
        // The owner of the phone allows it, and something else is fetched.
        feed.receive(announcement(.added, uid8))
        _ = feed.drain()
        feed.select(.everything, of: uid8, at: .zero)
        _ = feed.drain()
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(AttributeResponse(identity: .notification(uid8), attributes: [app, title]))
        let asked = feed.drain().compactMap { output in
            if case .selecting(let delivery, .nothing) = output {
                delivery.source.notificationUID
            } else {
                nil
            }
        }
        #expect(asked == [uid7])
    }
}
