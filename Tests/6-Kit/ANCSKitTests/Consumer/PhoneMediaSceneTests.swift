import ANCSMedia
import ANCSTestKit
import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A consumer that uses the media of a phone, in virtual time over our own host.
@Suite("Media of a phone, over the air") struct PhoneMediaSceneTests {
    /// A phone with media, an accessory that uses them, and what it was told.
    private final class Scene: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        let bench: TestBench
        let phone: NotificationProvider
        let media: MediaPhone
        let consumer: NotificationConsumer
        let controller: TestController
        let phoneController: TestController
        var told: [PhoneMedia] = []

        init(
            _ bench: isolated TestBench, mtu: Int = 517, asks: Bool = true,
            store: BondStore? = nil, hasConfiguration: Bool = true, hasAttribute: Bool = true
        ) async throws {
            self.bench = bench
            var configuration = ProviderConfiguration(localTime: { .utc(0) })
            configuration.maximumMTU = mtu
            phoneController = bench.addController()
            controller = bench.addController()
            phone = try NotificationProvider(configuration, at: phoneController.bluetooth())
            media = MediaPhone(
                on: phone, hasConfiguration: hasConfiguration, hasAttribute: hasAttribute)
            media.values = [
                [0, 0]: Array("Music".utf8), [0, 1]: Array("1,1.0,12.5".utf8),
                [2, 2]: Array("Title".utf8), [2, 0]: Array("Artist".utf8),
            ]
            var desk = ConsumerConfiguration(name: "Desk")
            if asks { desk.media = .init() }
            consumer = try NotificationConsumer(desk, at: controller.bluetooth(store: store))
        }

        func start() async {
            await consumer.start()
            await phone.start()
            Task(executorPreference: bench.loop) { [self] in
                for await media in consumer.media { told.append(media) }
            }
        }

        var title: String? { told.last?.state?.title?.string }

        func post(_ title: String) async throws {
            try await phone.post(
                ProviderNotification(
                    appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social,
                    title: title, date: .utc(0)))
        }

        var notifications: [String] {
            bench.events.compactMap {
                guard case .notification(let received)? = $0.event as? ConsumerEvent else {
                    return nil
                }
                return received.title
            }
        }

        var warnings: [String] {
            bench.events.compactMap {
                guard case .device(.warning(let warning))? = $0.event as? ConsumerEvent else {
                    return nil
                }
                return warning.message
            }
        }

        /// How often sessions of ANCS began.
        var sessions: Int {
            bench.events.count {
                if case .session(_, .started)? = $0.event as? ConsumerEvent { true } else { false }
            }
        }

        /// Whether the position has run on from 12.5 s, for some seconds.
        var hasPosition: Bool {
            told.last?.position.map { (.milliseconds(12_500)..<Duration.seconds(20)).contains($0) }
                ?? false
        }

        var provider: PhoneID { told.last?.provider ?? PhoneID(rawValue: 0) }
    }

    @Test("what is playing is told, followed, and commanded; the player's list decides")
    func plain() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench)
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a title") { scene.title == "Title" }
            #expect(scene.told.last?.state?.playerName?.string == "Music")
            #expect(scene.hasPosition)
            // It registers once for each entity, after it has subscribed.
            #expect(
                scene.media.seen == [
                    "sub cp", "sub eu", "eu 0000010203", "eu 0100010203", "eu 0200010203",
                ])
            scene.media.set(2, 2, "Other")
            try await bench.wait("another title") { scene.title == "Other" }
            #expect(scene.told.last?.changes == MediaAttributeSet(.title))
            let consumer = scene.consumer
            try await consumer.send(.pause, to: scene.provider)
            #expect(scene.media.seen.last == "cp 01")
            await #expect(throws: MediaError.notSupported) {
                try await consumer.send(.likeTrack, to: scene.provider)
            }
            #expect(scene.media.seen.last == "cp 01")
            scene.media.refusal = ATTErrorCode(rawValue: 0xA1)
            await #expect(throws: MediaError.refused(.invalidCommand)) {
                try await consumer.send(.play, to: scene.provider)
            }
            await #expect(throws: MediaError.notConnected) {
                try await consumer.send(.play, to: PhoneID(rawValue: 99))
            }
            #expect(scene.warnings.isEmpty)
        }
    }

    @Test("where nobody asks, nothing is requested of the service, and the sequence is empty")
    func unasked() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, asks: false)
            try scene.media.publish()
            await scene.start()
            try await scene.post("Ada")
            try await bench.wait("a notification") { scene.notifications == ["Ada"] }
            try await bench.sleep(for: .seconds(30))
            #expect(scene.media.seen.isEmpty && scene.told.isEmpty)
            let consumer = scene.consumer
            await #expect(throws: MediaError.notConfigured) {
                try await consumer.send(.play, to: PhoneID(rawValue: 1))
            }
        }
    }

    @Test("a phone without media is not asked again and again, and nothing is said")
    func absent() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench)
            await scene.start()
            try await scene.post("Ada")
            try await bench.wait("a notification") { scene.notifications == ["Ada"] }
            try await bench.sleep(for: .seconds(600))
            #expect(scene.told.isEmpty && scene.warnings.isEmpty)
            // It comes, and goes, and comes back; ANCS stays.
            try scene.media.publish()
            try await bench.wait("media") { scene.title == "Title" }
            scene.media.remove()
            try await bench.wait("their end") { scene.told.last?.state == nil }
            try scene.media.publish()
            try await bench.wait("media again") { scene.title == "Title" }
            #expect(scene.sessions == 1 && scene.warnings.isEmpty)
        }
    }

    @Test("at ATT_MTU 23 cut values are read whole, one at a time, and no broken character is told")
    func small() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, mtu: 23)
            // 17 octets fit: the first of é is the last.
            let title = "sixteen octets: é and so on, until it is long enough for several parts"
            scene.media.values[[2, 2]] = Array(title.utf8)
            scene.media.values[[2, 1]] = Array(repeating: 0x41, count: 600)
            scene.media.values[[0, 1]] = Array("1,1,00,12,5".utf8)
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a whole title") { scene.title == title }
            try await bench.wait("an album") { scene.told.last?.state?.album?.octets.count == 512 }
            let titles = Set(scene.told.compactMap { $0.state?.title?.string })
            #expect(titles.isSubset(of: ["sixteen octets: ", title]))
            #expect(scene.hasPosition)
            // Each write to Entity Attribute is read before the next.
            let attribute = scene.media.seen.filter { $0.hasPrefix("ea") || $0 == "read" }
            #expect(
                zip(attribute, attribute.dropFirst()).allSatisfy {
                    !($0.hasPrefix("ea") && $1.hasPrefix("ea"))
                })
        }
    }

    @Test("a service that goes in the middle of a long read ends nothing else")
    func goneWhileRead() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, mtu: 23)
            scene.media.values[[2, 2]] = Array(repeating: 0x41, count: 500)
            scene.media.selected = { [weak media = scene.media] in
                media?.selected = nil
                media?.remove()
            }
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a registration") {
                scene.media.seen.contains { $0.hasPrefix("ea") }
            }
            try await scene.post("Ada")
            try await bench.wait("a notification") { scene.notifications == ["Ada"] }
            try await bench.sleep(for: .seconds(60))
            #expect(scene.told.last?.state == nil && scene.sessions == 1)
            try scene.media.publish()
            try await bench.wait("media again") {
                scene.told.last?.state?.title?.octets.count == 500
            }
            #expect(scene.sessions == 1 && scene.warnings.isEmpty)
        }
    }

    @Test(
        "without a descriptor for Entity Update, and without Entity Attribute, the commands remain")
    func incomplete() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, hasConfiguration: false, hasAttribute: false)
            try scene.media.publish()
            await scene.start()
            try await bench.wait("commands") {
                scene.told.last?.state?.commands.contains(.play) == true
            }
            let consumer = scene.consumer
            try await consumer.send(.play, to: scene.provider)
            #expect(scene.media.seen == ["sub cp", "cp 00"])
            #expect(scene.warnings.count == 1)
        }
    }

    @Test("refused registrations are said once, and notifications arrive")
    func refused() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench)
            scene.media.refusal = ATTErrorCode(rawValue: 0xA0)
            try scene.media.publish()
            await scene.start()
            try await bench.wait("registrations") {
                scene.media.seen.count { $0.hasPrefix("eu") } == 4
            }
            try await scene.post("Ada")
            try await bench.wait("a notification") { scene.notifications == ["Ada"] }
            #expect(
                scene.warnings
                    == ["the phone refuses to report some of its media: invalidState (0xa0)"])
        }
    }

    @Test("values that make no sense are bounded, and said once; a notification still arrives")
    func nonsense() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench)
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a title") { scene.title == "Title" }
            let before = scene.told.count
            for round in 0..<3000 {
                scene.media.notify(
                    scene.media.update, [9, UInt8(truncatingIfNeeded: round), 0, 0x41])
                if round % 100 == 0 { try await bench.sleep(for: .milliseconds(100)) }
            }
            scene.media.set(2, 2, [0xFF, 0xFE, 0x41])
            scene.media.notify(scene.media.update, [2])
            try await scene.post("Ada")
            try await bench.wait("a notification") { scene.notifications == ["Ada"] }
            try await bench.wait("a repaired title") { scene.title == "\u{FFFD}\u{FFFD}A" }
            #expect(scene.told.count <= before + 2 && scene.warnings.count == 1)
        }
    }

    @Test("what was found is stored with the bond beside ANCS, and used on the next link")
    func cached() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, store: BondStore(directory: try bench.directory))
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a title") { scene.title == "Title" }
            func stored() -> [BluetoothUUID] {
                let port = scene.consumer.port as? HostPort
                let records = port?.system.query { $0.bondRecords } ?? []
                return records.first?.remoteDatabase?.services.map(\.uuid) ?? []
            }
            #expect(stored() == [.ancs, BluetoothUUID(AMSUUID.service)])
            bench.cutLink(between: scene.controller, and: scene.phoneController)
            try await bench.wait("the end of the link") { scene.told.last?.state == nil }
            try await bench.wait("a title again") { scene.title == "Title" }
            #expect(stored() == [.ancs, BluetoothUUID(AMSUUID.service)])
        }
    }

    @Test("a phone whose link is lost right after a registration is asked for less the next time")
    func cautious() async throws {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, store: BondStore(directory: try bench.directory))
            try scene.media.publish()
            await scene.start()
            try await bench.wait("a title") { scene.title == "Title" }
            bench.cutLink(between: scene.controller, and: scene.phoneController)
            try await bench.wait("its end") { scene.told.last?.state == nil }
            try await bench.wait("a title again") { scene.title == "Title" }
            #expect(
                scene.media.seen.filter { $0.hasPrefix("eu 00") } == ["eu 0000010203", "eu 000102"])
            // A link that is lost later says nothing against it.
            try await bench.sleep(for: .seconds(60))
            bench.cutLink(between: scene.controller, and: scene.phoneController)
            try await bench.wait("its end") { scene.told.last?.state == nil }
            try await bench.wait("a title again") { scene.title == "Title" }
            #expect(scene.media.seen.last { $0.hasPrefix("eu 00") } == "eu 000102")
        }
    }

    /// How long a call took to its texts that rang while values were being read part by part.
    private static func callDelay(asks: Bool) async throws -> Duration {
        try await TestBench.run { bench in
            let scene = try await Scene(bench, mtu: 23, asks: asks)
            for attribute in 0..<3 as Range<UInt8> {
                scene.media.values[[2, attribute]] = Array(repeating: 0x41, count: 512)
            }
            try scene.media.publish()
            await scene.start()
            if asks {
                try await bench.wait("a read") { scene.media.seen.contains("read") }
            } else {
                try await bench.sleep(for: .seconds(5))
            }
            let start = bench.loop.now
            try await scene.phone.ring(IncomingCall(caller: "Ada"))
            try await bench.wait("the call") { scene.notifications == ["Ada"] }
            let delay = bench.loop.now - start
            if asks {
                #expect(scene.told.last?.state?.title?.octets.count != 512)
                try await bench.wait("whole values") {
                    scene.told.last?.state?.title?.octets.count == 512
                }
            }
            return delay
        }
    }

    @Test("a call overtakes long values that are being read: it waits for one part of them at most")
    func call() async throws {
        let plain = try await Self.callDelay(asks: false)
        let besideMedia = try await Self.callDelay(asks: true)
        // A part takes two intervals of 15 to 30 ms, and a call needs two answers.
        #expect(besideMedia - plain < .milliseconds(250), "\(plain) and \(besideMedia)")
    }
}
