import ANCS
import ANCSTestKit
import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A consumer whose machine is hours apart from the phone, in virtual time over our own host.
@Suite struct PhoneClockSceneTests {
    /// Five hours behind UTC, and so behind the machine, which is in UTC.
    private static let newYork = PhoneTimeZone(offset: -300)

    private static func phone(
        _ bench: TestBench, zone: PhoneTimeZone? = newYork, lead: Int = -5 * 3600,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> NotificationProvider {
        let loop = bench.loop
        var configuration = ProviderConfiguration(localTime: {
            .utc(Int(LoopClock.virtualEpoch + loop.now.nanoseconds / 1_000_000_000) + lead)
        })
        configuration.timeZone = zone ?? PhoneTimeZone()
        change(&configuration)
        return try NotificationProvider(configuration, at: await bench.addController().bluetooth())
    }

    private static func message(_ title: String, at date: NotificationDate) throws
        -> ProviderNotification
    {
        ProviderNotification(
            appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social,
            title: title, date: date)
    }

    private static func received(_ bench: TestBench) -> [ReceivedNotification] {
        bench.events.compactMap {
            guard case .notification(let received)? = $0.event as? ConsumerEvent else { return nil }
            return received
        }
    }

    private static func wait(_ bench: TestBench, forNotifications count: Int) async throws {
        try await bench.wait("\(count) notifications", for: .seconds(60)) {
            received(bench).count >= count
        }
    }

    private static func waitForSession(_ bench: TestBench) async throws {
        try await bench.wait("a session", for: .seconds(60)) {
            bench.events.contains {
                if case .session(_, .started)? = $0.event as? ConsumerEvent { true } else { false }
            }
        }
    }

    @Test(
        "a notification in the first ten seconds is new, even if the phone's clock is five hours behind"
    )
    func behind() async throws {
        try await TestBench.run { bench in
            let phone = try await Self.phone(bench)
            _ = bench.accessory
            await phone.start()
            try await Self.waitForSession(bench)
            // One before the clock is read, and others after that.
            for index in 0..<4 {
                try await phone.post(Self.message("\(index)", at: phone.localTime))
                try await Self.wait(bench, forNotifications: index + 1)
                if index > 0 { try await bench.sleep(for: .seconds(2)) }
            }
            let received = Self.received(bench)
            #expect(received.map(\.title) == ["0", "1", "2", "3"])
            #expect(received.allSatisfy { !$0.isPreExisting })
            #expect(received.last?.utcOffset?.description == "-05:00")
            let last = try #require(received.last)
            #expect(last.date?.text(at: last.utcOffset).hasSuffix("-05:00") == true)
        }
    }

    @Test(
        "a notification older than the session by the phone's clock is pre-existing without the flag"
    )
    func unmarked() async throws {
        try await TestBench.run { bench in
            let phone = try await Self.phone(bench, lead: 9 * 3600) {
                $0.timeZone = PhoneTimeZone(offset: 540) ?? PhoneTimeZone()
                $0.behavior.existingFlags = []
            }
            let now = await phone.localTime
            let old = try #require(
                NotificationDate(
                    year: now.year - 1, month: now.month, day: now.day, hour: now.hour,
                    minute: now.minute, second: now.second))
            for index in 0..<8 { try await phone.post(Self.message("\(index)", at: old)) }
            _ = bench.accessory
            await phone.start()
            try await Self.wait(bench, forNotifications: 8)
            let received = Self.received(bench)
            // The first is delivered before the clock is read; the last one was delivered after that.
            #expect(received.first?.utcOffset == nil && received.first?.isPreExisting == false)
            #expect(received.last?.isPreExisting == true)
            #expect(received.last?.utcOffset?.description == "+09:00")
        }
    }

    @Test("a clock that is days off and an unknown zone leave it to the marks")
    func absurd() async throws {
        try await TestBench.run { bench in
            let phone = try await Self.phone(bench, zone: nil, lead: 40 * 86_400)
            _ = bench.accessory
            await phone.start()
            try await Self.waitForSession(bench)
            try await bench.sleep(for: .seconds(3))
            let today = NotificationDate.utc(Int(LoopClock.virtualEpoch))
            try await phone.post(Self.message("now", at: today))
            try await Self.wait(bench, forNotifications: 1)
            let received = Self.received(bench)
            #expect(received.map(\.isPreExisting) == [false])
            #expect(received.map(\.utcOffset) == [nil])
        }
    }

    @Test("dates get the new offset once the phone has reported it")
    func traveller() async throws {
        try await TestBench.run { bench in
            let phone = try await Self.phone(bench)
            _ = bench.accessory
            await phone.start()
            try await Self.waitForSession(bench)
            try await bench.sleep(for: .seconds(30))
            await phone.adjustClock(ClockChange(offset: 540))
            try await bench.sleep(for: .seconds(15))
            try await phone.post(Self.message("landed", at: phone.localTime))
            try await Self.wait(bench, forNotifications: 1)
            #expect(Self.received(bench).last?.utcOffset?.description == "+09:00")
        }
    }

    @Test("a phone that notifies its time a hundred times a second is served as before")
    func flood() async throws {
        try await TestBench.run { bench in
            let phone = try await Self.phone(bench)
            _ = bench.accessory
            await phone.start()
            try await Self.waitForSession(bench)
            try await bench.sleep(for: .seconds(5))
            for tick in 0..<1_000 {
                let user = NotificationDate.utc(
                    Int(LoopClock.virtualEpoch) + (tick.isMultiple(of: 2) ? 0 : 3600))
                await phone.adjustClock(ClockChange(source: .user(user)))
                try await bench.sleep(for: .milliseconds(10))
                if tick == 500 { try await phone.post(Self.message("still", at: user)) }
            }
            try await Self.wait(bench, forNotifications: 1)
            let readings = bench.events.count {
                if case .session(_, .attributeRead(.localTimeInformation))? = $0.event
                    as? ProviderEvent
                {
                    true
                } else {
                    false
                }
            }
            #expect((2...4).contains(readings))
        }
    }
}
