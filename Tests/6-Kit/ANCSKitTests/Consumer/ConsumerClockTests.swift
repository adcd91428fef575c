import ANCS
import ANCSTestKit
import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// When a consumer reads the clocks of phones, which the test plays.
@Suite struct ConsumerClockTests {
    private static let phone = ConsumerBench.phone
    private static let other = ConsumerBench.other
    private static let identity = "C0:FF:EE:00:00:01"

    /// Runs a test in virtual time, on the consumer's loop.
    private static func run(
        _ attributes: [NotificationAttributeRequest] = [],
        _ body: @escaping @Sendable (isolated TestBench, ConsumerBench) async throws -> Void
    ) async throws {
        try await TestBench.run { time in
            let bench = ConsumerBench(attributes: attributes, on: time.loop)
            await bench.consumer.start()
            try await body(time, bench)
            await bench.consumer.stop()
        }
    }

    /// What the consumer wanted, and how often it read a clock.
    private static func readings(_ bench: ConsumerBench) -> [PhoneID] {
        bench.port.calls().compactMap {
            if case .readClock(let phone) = $0 { phone } else { nil }
        }
    }

    @Test("no clock is read while the first notification is being fetched, however long that takes")
    func firstComesFirst() async throws {
        try await Self.run([.date]) { time, bench in
            await bench.beginSession()
            await bench.port.report(
                .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))))
            try await time.sleep(for: .seconds(8))
            #expect(Self.readings(bench).isEmpty)
            let answer = AttributeResponse(
                identity: .notification(NotificationUID(rawValue: 1)),
                attributes: [AttributeValue(.date, "20261121T120000")])
            await bench.port.report(.service(Self.phone, .link(.dataSource(answer.octets))))
            #expect(Self.readings(bench) == [Self.phone])
            #expect(try await bench.story(4).last == "1 added 1")
        }
    }

    @Test("a session in which nothing happens reads the clock after a second")
    func quiet() async throws {
        try await Self.run([.date]) { time, bench in
            await bench.beginSession()
            #expect(Self.readings(bench).isEmpty)
            try await time.sleep(for: .seconds(2))
            #expect(Self.readings(bench) == [Self.phone])
            try await time.sleep(for: .seconds(600))
            #expect(Self.readings(bench).isEmpty)
        }
    }

    @Test("a phone whose link ended while it did not answer for its clock is not asked for an hour")
    func silent() async throws {
        try await Self.run { time, bench in
            await bench.beginSession(identity: Self.identity)
            try await time.sleep(for: .seconds(31))
            #expect(Self.readings(bench) == [Self.phone])
            await bench.port.report(.peer(Self.phone, .disconnected(.unresponsive)))
            await bench.beginSession(with: Self.other, identity: Self.identity)
            try await time.sleep(for: .seconds(3_500))
            #expect(Self.readings(bench).isEmpty)
            await bench.port.report(.peer(Self.other, .disconnected(.link(.connectionTimeout))))
            try await time.sleep(for: .seconds(200))
            let again = PhoneID(rawValue: 3)
            await bench.beginSession(with: again, identity: Self.identity)
            try await time.sleep(for: .seconds(2))
            #expect(Self.readings(bench) == [again])
        }
    }

    @Test("a phone that has no clock loses nothing, and is read again on its next link")
    func without() async throws {
        try await Self.run { time, bench in
            await bench.beginSession(identity: Self.identity)
            try await time.sleep(for: .seconds(2))
            await bench.port.report(.service(Self.phone, .clockRead))
            try await time.sleep(for: .seconds(60))
            #expect(Self.readings(bench) == [Self.phone])
            await bench.port.report(.peer(Self.phone, .disconnected(.link(.connectionTimeout))))
            await bench.beginSession(with: Self.other, identity: Self.identity)
            try await time.sleep(for: .seconds(2))
            #expect(Self.readings(bench) == [Self.other])
            // What is said of a phone that has gone is of no use.
            await bench.port.report(
                .service(Self.phone, .clockValue(.currentTime, [1])),
                .service(Self.phone, .clockRead))
        }
    }
}
