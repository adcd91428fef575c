import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSMedia
@testable import ANCSReceiver
@testable import BluetoothTypes

/// How what is playing reaches its reader, and what the link is asked for when.
@Suite("Reports of media") struct MediaReportTests {
    private static let (one, two) = (PhoneID(rawValue: 1), PhoneID(rawValue: 2))

    private static func report(
        _ phone: PhoneID, _ title: String?, _ changes: MediaAttributeSet = .init(.title)
    ) -> PhoneMedia {
        var state = title.map { _ in MediaState() }
        state?.title = title.map { .init(Array($0.utf8)) }
        return PhoneMedia(provider: phone, state: state, changes: changes, position: nil)
    }

    @Test("the newest report of each phone waits, with all changes since the last that was read")
    func newest() async {
        let reports = MediaReports()
        for round in 0..<10_000 { reports.send(Self.report(Self.one, "\(round)", .init(.artist))) }
        reports.send(Self.report(Self.two, "other"))
        reports.send(Self.report(Self.one, "last"))
        #expect(await reports.next()?.state?.title?.string == "other")
        let last = await reports.next()
        #expect(last?.state?.title?.string == "last")
        #expect(last?.changes == [.init(.title), .init(.artist)])
        reports.send(Self.report(Self.one, nil))
        reports.finish()
        #expect(await reports.next()?.state == .some(nil))
        #expect(await reports.next() == nil)
    }

    @Test("who came and went unread is not reported, and leaves nothing behind")
    func unread() async {
        let reports = MediaReports()
        for number in 1...1000 as ClosedRange<UInt64> {
            reports.send(Self.report(PhoneID(rawValue: number), "title"))
            reports.send(Self.report(PhoneID(rawValue: number), nil))
        }
        reports.finish()
        #expect(await reports.next() == nil)
    }

    @Test(
        "without media the link is asked for what it was asked for before, and with them for the service"
    )
    func calls() async throws {
        for asks in [false, true] {
            let port = FakePort(on: try EventLoop(clock: .virtual(speed: 1000)))
            var configuration = ConsumerConfiguration(name: "Desk", attributes: [])
            if asks { configuration.media = .init() }
            let consumer = NotificationConsumer(configuration, port: port, nil, on: port.loop)
            let bench = ConsumerBench(consumer: consumer, port: port)
            await consumer.start()
            await bench.beginSession()
            try await port.loop.sleep(for: .seconds(5))
            let calls = port.calls()
            // A probe follows, when the machine is slow.
            #expect(
                calls.filter { if case .companion = $0 { false } else { true } }.prefix(4) == [
                    .open, .request(.subscribe(.dataSource), Self.one),
                    .request(.subscribe(.notificationSource), Self.one), .readClock(Self.one),
                ])
            let service = BluetoothUUID(AMSUUID.service)
            #expect(
                calls.filter { if case .companion = $0 { true } else { false } }
                    == (asks ? [.companion(.find(service), Self.one)] : []))
            await bench.end()
        }
    }

    private static func client() -> MediaClient {
        MediaClient(of: one, identity: "F0:F1:F2:F3:F4:F5", for: MediaUse(.init()))
    }

    private static let characteristics = [
        AMSUUID.remoteCommand, AMSUUID.entityUpdate, AMSUUID.entityAttribute,
    ].map { BluetoothUUID($0) }

    @Test("while ANCS fetches, only a command is sent, for which a user waits")
    func busy() async throws {
        let client = Self.client()
        #expect(client.nextRequest(isBusy: true) == nil)
        #expect(client.nextRequest(isBusy: false) == .find(BluetoothUUID(AMSUUID.service)))
        client.receive(.available(Self.characteristics), at: .zero)
        #expect(client.nextRequest(isBusy: true) == nil)
        #expect(client.nextRequest(isBusy: false) == .subscribe(Self.characteristics[0]))
        // One at a time.
        #expect(client.nextRequest(isBusy: false) == nil)
        client.receive(.subscribed(Self.characteristics[0], nil), at: .zero)
        client.receive(.value(Self.characteristics[0], [0]), at: .zero)
        let result: MediaError? = await withCheckedContinuation { continuation in
            client.send(.play, continuation)
            #expect(client.nextRequest(isBusy: true) == .write(Self.characteristics[0], [0]))
            #expect(client.nextRequest(isBusy: true) == nil)
            client.receive(.written(Self.characteristics[0], nil), at: .zero)
        }
        #expect(result == nil)
        #expect(client.nextRequest(isBusy: true) == nil)
        #expect(client.nextRequest(isBusy: false) == .subscribe(Self.characteristics[1]))
    }

    @Test(
        "a command that is out when the service goes has ended, and an answer of before does not count"
    )
    func gone() async {
        let client = Self.client()
        _ = client.nextRequest(isBusy: false)
        client.receive(.available(Self.characteristics), at: .zero)
        _ = client.nextRequest(isBusy: false)
        client.receive(.subscribed(Self.characteristics[0], nil), at: .zero)
        client.receive(.value(Self.characteristics[0], [0]), at: .zero)
        let result: MediaError? = await withCheckedContinuation { continuation in
            client.send(.play, continuation)
            _ = client.nextRequest(isBusy: false)
            client.receive(.unavailable, at: .zero)
        }
        #expect(result == .ended)
        client.receive(.written(Self.characteristics[0], nil), at: .zero)
        #expect(client.nextRequest(isBusy: false) == nil)
        let late: MediaError? = await withCheckedContinuation { client.send(.play, $0) }
        #expect(late == .notAvailable)
    }

    @Test("a value of 64 KB is cut, and what it is cut to is whole")
    func large() {
        let use = MediaUse(.init())
        let client = MediaClient(of: Self.one, identity: nil, for: use)
        _ = client.nextRequest(isBusy: false)
        client.receive(.available(Array(Self.characteristics.prefix(2))), at: .zero)
        let text = String(repeating: "é", count: 32_768)
        client.receive(.value(Self.characteristics[1], [2, 2, 0] + Array(text.utf8)), at: .zero)
        client.handleTimeout(at: MonotonicInstant.zero + .seconds(1))
        #expect(client.nextDeadline == nil && client.nextWarning() == nil)
    }
}
