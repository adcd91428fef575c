import Octets
import Testing

@testable import ANCS

@Suite("Whose turn it is in a feed of notifications")
struct NotificationTurnsTests {
    /// Asks for titles only.
    private static let titles: NotificationFeed.Configuration = {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        return configuration
    }()

    /// A feed that asks about `uid8`, which the provider does not answer yet.
    private static func busy(
        _ configuration: NotificationFeed.Configuration = titles
    ) -> NotificationFeed {
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid8))
        _ = feed.drain()
        return feed
    }

    private static func call(_ event: EventID) -> NotificationSourceValue {
        NotificationSourceValue(
            eventID: event, categoryID: .incomingCall, notificationUID: uid7)
    }

    /// Answers everything that the feed asks for with a title.
    private static func answerAll(_ feed: inout NotificationFeed) -> [NotificationFeed.Output] {
        var outputs = feed.drain()
        var asked: NotificationUID? = outputs.writes.last.flatMap { Self.uid(of: $0) } ?? uid8
        while let uid = asked {
            feed.receive(.controlPointWritten(nil), at: .zero)
            feed.receive(titleAnswer(uid, "text"))
            let news = feed.drain()
            asked = news.writes.last.flatMap { Self.uid(of: $0) }
            outputs += news
        }
        return outputs
    }

    private static func uid(of command: [UInt8]) -> NotificationUID? {
        guard
            case .getNotificationAttributes(let command)? = try? ControlPointCommand(
                decoding: command.span)
        else { return nil }
        return command.notificationUID
    }

    @Test("a ringing call is reported at once, and delivered before all that waits")
    func call() {
        var feed = Self.busy()
        for number in 20..<23 as Range<UInt32> {
            feed.receive(announcement(.added, NotificationUID(rawValue: number)))
        }
        feed.receive(Self.call(.added))
        #expect(
            feed.drain() == [.announced(Self.call(.added))])
        #expect(
            Self.answerAll(&feed).deliveries.map(\.line) == [
                "added 8 text", "added 7 text", "added 20 text", "added 21 text", "added 22 text",
            ])
    }

    @Test(
        "a call that ends while it is queued, or while its attributes are requested, is removed at once"
    )
    func endedCall() {
        for isBusy in [true, false] {
            var feed = isBusy ? Self.busy() : NotificationFeed.subscribed(Self.titles)
            feed.receive(Self.call(.added))
            feed.receive(Self.call(.modified))
            feed.receive(Self.call(.removed))
            let outputs = feed.drain()
            #expect(outputs.contains(.announced(Self.call(.added))))
            #expect(outputs.deliveries.map(\.line) == ["removed 7"])
            feed.receive(Self.call(.added))
            #expect(feed.drain().contains(.announced(Self.call(.added))))
            #expect(Self.answerAll(&feed).deliveries.map(\.line).last == "added 7 text")
        }
    }

    @Test("a call whose app name is being requested is removed at once, and not added after that")
    func endedCallWithoutName() throws {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier]))
        feed.receive(Self.call(.added))
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(
            AttributeResponse(
                identity: .notification(uid7),
                attributes: [AttributeValue(.appIdentifier, "com.example")]))
        _ = feed.drain()
        feed.receive(Self.call(.removed))
        #expect(feed.drain().deliveries.map(\.line) == ["removed 7"])
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(nameAnswer(try AppIdentifier("com.example"), "Example"))
        #expect(feed.drain().isEmpty)
        feed.receive(announcement(.added, uid8))
        #expect(feed.drain().writes.count == 1)
    }

    @Test("new notifications come before pre-existing ones")
    func newBeforeOld() {
        var feed = Self.busy()
        let (old, changed, new) = (
            NotificationUID(rawValue: 1), NotificationUID(rawValue: 2), NotificationUID(rawValue: 3)
        )
        feed.receive(announcement(.added, old, flags: [.preExisting]))
        feed.receive(announcement(.added, changed, flags: [.preExisting]))
        feed.receive(announcement(.added, new))
        // What is old and changes now is new; what was announced of it comes with it, before that.
        feed.receive(announcement(.modified, changed))
        #expect(
            Self.answerAll(&feed).deliveries.map(\.line) == [
                "added 8 text", "added 3 text", "added 2 text", "modified 2 text", "added 1 text",
            ])
    }

    @Test(
        "of pre-existing notifications, the last announced comes first, in any order of identifiers"
    )
    func newestFirst() {
        var feed = Self.busy()
        for number in [30, 10, 20] as [UInt32] {
            feed.receive(
                announcement(.added, NotificationUID(rawValue: number), flags: [.preExisting]))
        }
        for number in [5, 4] as [UInt32] {
            feed.receive(announcement(.added, NotificationUID(rawValue: number)))
        }
        #expect(
            Self.answerAll(&feed).deliveries.map(\.line) == [
                "added 8 text", "added 5 text", "added 4 text", "added 20 text", "added 10 text",
                "added 30 text",
            ])
    }

    @Test("among too many that were there before, the oldest goes")
    func evictionOfTheOldest() {
        var configuration = Self.titles
        configuration.maximumPendingNotifications = 3
        var feed = Self.busy(configuration)
        for number in 20...24 as ClosedRange<UInt32> {
            feed.receive(
                announcement(.added, NotificationUID(rawValue: number), flags: [.preExisting]))
        }
        #expect(feed.drain().deliveries.map(\.line) == ["added 20", "added 21"])
        #expect(
            Self.answerAll(&feed).deliveries.map(\.line) == [
                "added 8 text", "added 24 text", "added 23 text", "added 22 text",
            ])
    }

    @Test("each delivery has the number of its announcement, and so has its completion")
    func numbers() {
        var feed = Self.busy()
        feed.receive(announcement(.added, uid7, flags: [.preExisting]))
        feed.receive(announcement(.modified, uid7))
        feed.receive(announcement(.removed, NotificationUID(rawValue: 9)))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        feed.receive(announcement(.added, NotificationUID(rawValue: 10)), at: .seconds(9))
        feed.receive(.controlPointWritten(nil), at: .seconds(9))
        feed.receive(titleAnswer(NotificationUID(rawValue: 10), "text"), at: .seconds(9))
        feed.receive(.controlPointWritten(nil), at: .seconds(9))
        feed.receive(titleAnswer(uid8, "text"), at: .seconds(9))
        feed.receive(.controlPointWritten(nil), at: .seconds(9))
        feed.receive(titleAnswer(uid7, "text"), at: .seconds(9))
        var numbers: [UInt64] = []
        while let output = feed.pollOutput() {
            if case .notification(let delivery) = output {
                numbers.append(delivery.announcementNumber)
            }
        }
        #expect(numbers == [4, 1, 2, 3, 5, 1, 3])
    }

    @Test("a removal waits only for earlier announcements of the same notification")
    func removalOvertakes() {
        var feed = Self.busy()
        let other = NotificationUID(rawValue: 20)
        feed.receive(announcement(.added, other))
        feed.receive(announcement(.added, uid7))
        feed.receive(announcement(.modified, uid7))
        feed.receive(announcement(.removed, uid7))
        #expect(feed.drain().deliveries.map(\.line) == ["added 7", "modified 7", "removed 7"])
        feed.receive(announcement(.removed, uid8))
        #expect(feed.drain().deliveries.map(\.line) == ["added 8", "removed 8"])
        #expect(feed.pendingNotificationCount == 0)
    }

    @Test("above the limit, pre-existing notifications are dropped first, and calls last")
    func eviction() {
        var configuration = Self.titles
        configuration.maximumPendingNotifications = 3
        var feed = Self.busy(configuration)
        feed.receive(Self.call(.added))
        feed.receive(announcement(.added, NotificationUID(rawValue: 20)))
        feed.receive(announcement(.added, NotificationUID(rawValue: 21), flags: [.preExisting]))
        _ = feed.drain()
        for number in 22...24 as ClosedRange<UInt32> {
            feed.receive(announcement(.added, NotificationUID(rawValue: number)))
        }
        let evicted = feed.drain().deliveries
        #expect(evicted.map(\.line) == ["added 21", "added 20", "added 22"])
        #expect(evicted.allSatisfy { $0.failure == .evicted })
        #expect(
            Self.answerAll(&feed).deliveries.map(\.line) == [
                "added 8 text", "added 7 text", "added 23 text", "added 24 text",
            ])
    }

    @Test("the order of one notification holds when it changes more often than may wait")
    func evictionOfWhatIsFetched() {
        var configuration = Self.titles
        configuration.maximumPendingNotifications = 2
        var feed = Self.busy(configuration)
        for _ in 0..<3 { feed.receive(announcement(.modified, uid8)) }
        #expect(
            feed.drain().deliveries.map(\.line) == [
                "added 8", "modified 8", "modified 8", "modified 8",
            ])
        // The answer to what was delivered already brings nothing twice.
        feed.receive(.controlPointWritten(nil), at: .zero)
        feed.receive(titleAnswer(uid8, "late"))
        #expect(feed.drain().deliveries.isEmpty)
    }

    @Test(
        "without consent, waiting notifications are delivered without a fetch, and completed with consent (S1)"
    )
    func refused() {
        var feed = Self.busy()
        for number in 20..<30 as Range<UInt32> {
            feed.receive(announcement(.added, NotificationUID(rawValue: number)))
        }
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        let outputs = feed.drain()
        #expect(outputs.writes.isEmpty)
        #expect(outputs.deliveries.count == 11)
        #expect(outputs.deliveries.allSatisfy { $0.failure == .refused(.writeNotPermitted) })
        #expect(feed.pendingNotificationCount == 0)
        // A new one is a question, whose answer brings all the others.
        feed.receive(announcement(.added, uid7))
        let completed = Self.answerAll(&feed).deliveries
        #expect(completed.first?.line == "added 7 text")
        #expect(completed.filter { $0.isCompletion && $0.failure == nil }.count == 11)
    }

    @Test("a burst that arrives one by one is not a question each while refusals are fresh (S1)")
    func refusedBurst() {
        var feed = NotificationFeed.subscribed(Self.titles)
        var writes = 0
        var deliveries: [NotificationFeed.Delivery] = []
        for number in 0..<200 as Range<UInt32> {
            let now = MonotonicInstant(nanoseconds: Int64(number) * 50_000_000)
            feed.receive(announcement(.added, NotificationUID(rawValue: number)), at: now)
            var outputs = feed.drain()
            if !outputs.writes.isEmpty {
                feed.receive(.controlPointWritten(.writeNotPermitted), at: now)
            }
            outputs += feed.drain()
            writes += outputs.writes.count
            deliveries += outputs.deliveries
        }
        #expect(writes == 6)
        #expect(deliveries.map(\.source.notificationUID.rawValue) == Array(0..<200))
        #expect(deliveries.allSatisfy { $0.failure == .refused(.writeNotPermitted) })
    }

    @Test("the order of one notification holds when a part of the answer comes before the refusal")
    func refusedAfterPart() {
        var feed = NotificationFeed.subscribed(
            NotificationFeed.Configuration(attributes: [.appIdentifier, .title]))
        feed.receive(announcement(.added, uid8))
        feed.receive(announcement(.modified, uid8))
        feed.receive(
            AttributeResponse(
                identity: .notification(uid8),
                attributes: [AttributeValue(.appIdentifier, "com.example")]))
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        #expect(feed.drain().deliveries.map(\.line) == ["added 8", "modified 8"])
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        #expect(feed.drain().deliveries.isEmpty)
    }

    @Test("turns stay in order through any insertions and removals")
    func turns() {
        var turns = NotificationFeed.Turns()
        var random = SeededGenerator(seed: 7)
        let ranks: [NotificationFeed.Rank] = [.call, .live, .preExisting]
        var model: [(turn: NotificationFeed.Turn, uid: NotificationUID)] = []
        for number in 0..<2000 as Range<UInt32> {
            let uid = NotificationUID(rawValue: number)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let first = model.isEmpty ? nil : model.removeFirst().uid
                #expect(turns.popFirst() == first)
            case 1:
                let worst = model.map(\.turn.rank).max()
                let worstOnes = model.indices.filter { model[$0].turn.rank == worst }
                let index = worstOnes.min { model[$0].turn.number < model[$1].turn.number }
                #expect(turns.popLeastUrgent() == index.map { model.remove(at: $0).uid })
            case 2 where !model.isEmpty:
                let index = Int.random(in: 0..<model.count, using: &random)
                turns.remove(model.remove(at: index).turn)
            default:
                let rank = ranks[Int.random(in: 0..<3, using: &random)]
                let turn = NotificationFeed.Turn(rank: rank, number: UInt64(number))
                turns.insert(uid, at: turn)
                model.append((turn, uid))
                model.sort { $0.turn < $1.turn }
            }
        }
    }
}
