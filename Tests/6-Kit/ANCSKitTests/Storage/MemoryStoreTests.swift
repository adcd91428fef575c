import ANCS
import Foundation
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The file of what was seen: private, without text, and never replaced by mistake.
@Suite struct MemoryStoreTests {
    private func withStore(_ body: (MemoryStore) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(MemoryStore(directory: directory.path))
    }

    private static func delivery(_ title: String) -> NotificationFeed.Delivery {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: .added, eventFlags: [], notificationUID: NotificationUID(rawValue: 1)))
        delivery.attributes = [AttributeValue(.title, title)]
        return delivery
    }

    @Test("the next run recognizes notifications that were shown, from a file without their text")
    func twoRuns() throws {
        try withStore { store in
            var first = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
            let session = first.beginSession()
            let issessionfalse = first.note(Self.delivery("Secret"), session: session)
            #expect(issessionfalse == false)
            let problem = first.save()
            #expect(problem == nil)
            let text = try String(contentsOfFile: store.path, encoding: .utf8)
            #expect(!text.contains("Secret"))
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            var second = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
            let next = second.beginSession()
            let isnexttrue = second.note(Self.delivery("Secret"), session: next)
            #expect(isnexttrue == true)
            let isnextfalse = second.note(Self.delivery("New"), session: next)
            #expect(isnextfalse == false)
        }
    }

    @Test(
        "what was delivered is written within a second, though the session goes on; a problem is said once"
    )
    func inTime() async throws {
        let directory = try TemporaryDirectory()
        let store = MemoryStore(directory: directory.path)
        let loop = try EventLoop(clock: .virtual)
        let bench = ConsumerBench(
            attributes: [.title],
            remembering: try RememberedNotifications(store, toolbox: OpenSSLToolbox()), on: loop)
        let warnings = Task {
            var warnings = 0
            for try await event in bench.consumer.events {
                if case .device(.warning) = event { warnings += 1 }
            }
            return warnings
        }
        // On the loop, whose clock stands still while this runs.
        try await Task(executorPreference: loop) {
            await bench.consumer.start()
            await bench.beginSession()
            for uid in 1...2 as ClosedRange<UInt8> { try await Self.deliver(uid, to: bench) }
            #expect(try Self.seen(in: store) == 2)
            // Nothing can be written to a directory in the file's place.
            try FileManager.default.removeItem(atPath: store.path)
            try FileManager.default.createDirectory(
                atPath: store.path + "/x", withIntermediateDirectories: true)
            for uid in 3...4 as ClosedRange<UInt8> { try await Self.deliver(uid, to: bench) }
        }.value
        await bench.end()
        #expect(try await warnings.value == 1)
    }

    /// A phone sends a notification with a letter as its title, and a second passes.
    private static func deliver(_ uid: UInt8, to bench: ConsumerBench) async throws {
        await bench.port.report(
            .service(
                ConsumerBench.phone,
                .link(.notificationSource(announcement(.added, UInt32(uid))))),
            .service(
                ConsumerBench.phone, .link(.dataSource([0, uid, 0, 0, 0, 1, 1, 0, 64 + uid]))))
        try await bench.consumer.loop.sleep(for: .seconds(1))
    }

    /// How many of those a file has.
    private static func seen(in store: MemoryStore) throws -> Int {
        var memory = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
        let session = memory.beginSession()
        return (1...4).count { uid in
            memory.note(delivery(String(UnicodeScalar(64 + uid))), session: session) == true
        }
    }

    @Test("the same notifications have other digests on another machine")
    func keyed() throws {
        var texts: Set<String> = []
        for _ in 1...2 {
            try withStore { store in
                var memory = RememberedNotificationsBench(
                    try .init(store, toolbox: OpenSSLToolbox()))
                texts.insert(try memory.text(of: Self.delivery("Ada"), in: store))
            }
        }
        #expect(texts.count == 2)
    }

    @Test("an empty file, as a loss of power leaves it, is one without memory")
    func empty() throws {
        try withStore { store in
            try Data().write(to: URL(filePath: store.path))
            var memory = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
            let problem = memory.save()
            #expect(problem == nil)
            _ = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
        }
    }

    @Test("a file of another kind gives an error, and is not changed")
    func unreadable() throws {
        try withStore { store in
            var memory = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
            let problem = memory.save()
            #expect(problem == nil)
            try Data("{}".utf8).write(to: URL(filePath: store.path))
            #expect(throws: BondStore.Failure.self) {
                _ = try RememberedNotifications(store, toolbox: OpenSSLToolbox())
            }
            #expect(try String(contentsOfFile: store.path, encoding: .utf8) == "{}")
        }
    }
}

/// What a memory writes for one notification.
private struct RememberedNotificationsBench {
    var memory: RememberedNotifications

    init(_ memory: RememberedNotifications) { self.memory = memory }

    mutating func text(
        of delivery: NotificationFeed.Delivery, in store: MemoryStore
    ) throws -> String {
        _ = memory.note(delivery, session: memory.beginSession())
        let problem = memory.save()
        #expect(problem == nil)
        let text = try String(contentsOfFile: store.path, encoding: .utf8)
        return String(text[try #require(text.range(of: "digests")).lowerBound...])
    }
}
