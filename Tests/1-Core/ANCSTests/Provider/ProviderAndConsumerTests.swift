import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A provider and a consumer")
struct ProviderAndConsumerTests {
    /// A behavior after which everything is there, if in another way.
    private func harmlessBehavior(_ seed: UInt64) -> ProviderBehavior {
        var generator = SeededGenerator(seed: seed &+ 1_000_000)
        var behavior = ProviderBehavior()
        behavior.fragmentSizes =
            [
                .full, .every(.random(in: 1...20, using: &generator)), .list([1, 0, 2, 3]),
                .random(seed: seed, atMost: 25),
            ].randomElement(using: &generator) ?? .full
        behavior.attributeOrder =
            [.asRequested, .ascending, .reversed, .shuffled(seed: seed)]
            .randomElement(using: &generator) ?? .asRequested
        behavior.joinsAnswers = Bool.random(using: &generator)
        behavior.firstUID = NotificationUID(
            rawValue: Bool.random(using: &generator) ? 0 : .max - 3)
        behavior.existingFlags = Bool.random(using: &generator) ? .preExisting : []
        behavior.additionalFlags = Bool.random(using: &generator) ? .observedBit5 : []
        behavior.categoryOverride = Bool.random(using: &generator) ? .activeCall : nil
        // An answer that is only a header has no end: behind one, fragments of less than five octets
        // cannot be told from what is missing of it (S23).
        behavior.unknownApp =
            [
                behavior.fragmentSizes == .full ? .headerOnly : .emptyValues,
                .refused(.invalidParameter),
            ].randomElement(using: &generator) ?? .emptyValues
        return behavior
    }

    @Test("at rest the consumer has the contents of the store", arguments: 0..<100)
    func samePicture(_ seed: UInt64) throws {
        var pair = try ProviderAndConsumer(seed: seed, harmlessBehavior(seed))
        for _ in 0..<150 {
            try pair.happen()
            let hasRoom = Int.random(in: 0..<4, using: &pair.generator) > 0
            _ = pair.pass(Int.random(in: 0...6, using: &pair.generator), hasRoom: hasRoom)
        }
        pair.settle()
        #expect(pair.openRequests.isEmpty)
        #expect(pair.provider.session.ignoredWrites == 0)
        #expect(pair.picture.count == pair.provider.store.count)
        for (uid, delivery) in pair.picture {
            let id = try #require(pair.announced[uid])
            let notification = try #require(pair.provider.store[id])
            #expect(delivery[.title]?.octets == notification.title)
            #expect(delivery[.message]?.octets == notification.message)
            #expect(delivery[.appIdentifier]?.octets == notification.appIdentifier.octets)
            #expect(delivery.failure == nil)
        }
    }

    @Test("at rest the texts of a muted app are still on the phone", arguments: 0..<100)
    func muted(_ seed: UInt64) throws {
        let muted = "com.example.app1"
        var pair = try ProviderAndConsumer(seed: seed, harmlessBehavior(seed), muting: muted)
        for _ in 0..<150 {
            try pair.happen()
            _ = pair.pass(Int.random(in: 0...6, using: &pair.generator))
        }
        pair.settle()
        #expect(pair.picture.count == pair.provider.store.count)
        for (uid, delivery) in pair.picture {
            let id = try #require(pair.announced[uid])
            let notification = try #require(pair.provider.store[id])
            let isMuted = notification.appIdentifier.octets == Array(muted.utf8)
            #expect(delivery.isWithheld == isMuted)
            #expect(delivery[.title]?.octets == (isMuted ? nil : notification.title))
            #expect(delivery[.appIdentifier]?.octets == notification.appIdentifier.octets)
            #expect(delivery.failure == nil)
        }
    }

    @Test(
        "no fault shows a text at another notification", arguments: 0..<100,
        [nil, "com.example.app1"])
    func nothingMixed(_ seed: UInt64, muting muted: String?) throws {
        var pair = try ProviderAndConsumer(seed: seed, muting: muted)
        for _ in 0..<150 {
            try pair.happen()
            if Int.random(in: 0..<8, using: &pair.generator) == 0 { pair.goWrong() }
            _ = pair.pass(Int.random(in: 0...6, using: &pair.generator))
            if Int.random(in: 0..<12, using: &pair.generator) == 0 {
                let wait = Duration.seconds(Int.random(in: 1...6, using: &pair.generator))
                pair.advance(to: pair.provider.now + wait)
            }
        }
        pair.settle()
        // On a sound link everything is there again.
        pair.provider.session.clearFaults()
        pair.provider.session.consentChanged(true)
        pair.reconnect()
        pair.settle()
        #expect(pair.picture.count == pair.provider.store.count)
        #expect(pair.picture.values.allSatisfy { $0.failure == nil })
    }
}
