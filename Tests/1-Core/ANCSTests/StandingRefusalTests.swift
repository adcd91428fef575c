import Octets
import Testing

@testable import ANCS

@Suite("Announcements after a refusal")
struct StandingRefusalTests {
    /// A feed whose requests were refused at 0 and 1 s.
    private static func refused() -> NotificationFeed {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        var feed = NotificationFeed.subscribed(configuration)
        for second in [0, 1] as [Int64] {
            let uid = NotificationUID(rawValue: UInt32(second) + 1)
            feed.receive(announcement(.added, uid), at: .seconds(second))
            feed.receive(.controlPointWritten(.writeNotPermitted), at: .seconds(second))
        }
        _ = feed.drain()
        return feed
    }

    @Test("after two refusals the next announcements are not asked about for four seconds (S1)")
    func window() {
        for instant in [.seconds(1), MonotonicInstant.seconds(4).advanced(nanoseconds: -1)] {
            var feed = Self.refused()
            feed.receive(announcement(.added, uid7), at: instant)
            let outputs = feed.drain()
            #expect(outputs.writes.isEmpty)
            #expect(outputs.deliveries.map(\.failure) == [.refused(.writeNotPermitted)])
        }
    }

    @Test("an announcement four seconds after the first refusal is asked about (S1)")
    func after() throws {
        var feed = Self.refused()
        feed.receive(announcement(.added, uid7), at: .seconds(4))
        let outputs = feed.drain()
        #expect(try outputs.writes == [titleCommand(uid7)])
        #expect(outputs.deliveries.isEmpty)
    }

    @Test("an announcement after one refusal is asked about (S1)")
    func once() throws {
        var configuration = NotificationFeed.Configuration(attributes: [.title])
        configuration.fetchesDisplayName = false
        var feed = NotificationFeed.subscribed(configuration)
        feed.receive(announcement(.added, uid7), at: .zero)
        feed.receive(.controlPointWritten(.writeNotPermitted), at: .zero)
        _ = feed.drain()
        feed.receive(announcement(.added, uid8), at: .seconds(1))
        #expect(try feed.drain().writes == [titleCommand(uid8)])
    }
}
