import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Testing

@testable import BlueZ

/// The clock of a phone, which its session reads.
@Suite struct ClockTests {
    private static let time: [UInt8] = [0xEA, 0x07, 11, 21, 12, 0, 0, 6, 0, 0]
    private static let zone: [UInt8] = [36, 0]
    private static let readTime = "ReadValue dev_1/service0020/char0021"
    private static let readZone = "ReadValue dev_1/service0020/char0024"
    private static let follow = "StartNotify dev_1/service0020/char0021"

    private static func serving(hasClock: Bool = true) -> Bench {
        let bench = Bench()
        bench.begin()
        bench.serve()
        if hasClock { bench.addClock() }
        return bench
    }

    private static func following() -> Bench {
        let bench = serving()
        bench.readClock()
        bench.answer(readTime, .octets(time))
        bench.answer(readZone, .octets(zone))
        bench.answer(follow)
        return bench
    }

    @Test func theTimeAndTheZoneAreReadOneAfterTheOtherAndTheTimeIsFollowed() {
        let bench = Self.serving()
        #expect(bench.readClock() == [.call(Self.readTime)])
        // A reading that is under way counts.
        #expect(bench.readClock().isEmpty)
        #expect(
            bench.answer(Self.readTime, .octets(Self.time))
                == [.phone(1, .clockValue(.currentTime, Self.time)), .call(Self.readZone)])
        #expect(
            bench.answer(Self.readZone, .octets(Self.zone))
                == [.phone(1, .clockValue(.localTimeInformation, Self.zone)), .call(Self.follow)])
        // What was broadcast before belongs to no subscription of ours.
        #expect(bench.broadcast(Self.time, of: "dev_1/service0020/char0021").isEmpty)
        #expect(bench.answer(Self.follow) == [.phone(1, .clockRead)])
        #expect(
            bench.broadcast([1], of: "dev_1/service0020/char0021") == [
                .phone(1, .clockValue(.currentTime, [1]))
            ])
        #expect(bench.broadcast([1], of: "dev_1/service0020/char0024").isEmpty)
    }

    @Test func aClockThatIsFollowedIsReadAgainWithoutASecondSubscription() {
        let bench = Self.following()
        bench.readClock()
        bench.answer(Self.readTime, .octets(Self.time))
        #expect(bench.answer(Self.readZone, .octets(Self.zone)).contains(.phone(1, .clockRead)))
        #expect(!bench.pending.contains { $0.text == Self.follow })
    }

    @Test func aPhoneWithoutAClockOrThatRefusesIsNotAskedFurther() {
        let bench = Self.serving(hasClock: false)
        #expect(bench.readClock() == [.phone(1, .clockRead)])
        let reluctant = Self.serving()
        reluctant.readClock()
        #expect(
            reluctant.refuse(Self.readTime, "NotPermitted", "Read not permitted")
                == [.phone(1, .clockRead)])
        reluctant.readClock()
        reluctant.answer(Self.readTime, .octets(Self.time))
        #expect(reluctant.refuse(Self.readZone, "Failed") == [.call(Self.follow)])
        #expect(reluctant.refuse(Self.follow, "NotSupported") == [.phone(1, .clockRead)])
        #expect(reluctant.broadcast([1], of: "dev_1/service0020/char0021").isEmpty)
    }

    @Test func aClockThatIsNotAnsweredCostsNothing() {
        let bench = Self.serving()
        bench.readClock()
        bench.request(.writeControlPoint([0]))
        #expect(
            bench.answer("WriteValue dev_1/service0010/char0014") == [
                .report(1, .controlPointWritten([0], nil))
            ]
        )
        #expect(bench.lose(Self.readTime) == [.phone(1, .clockRead)])
    }

    @Test func aSubscriptionOfTheTimeThatIsUnderWayIsTakenOver() {
        let bench = Self.serving()
        bench.readClock()
        bench.answer(Self.readTime, .octets(Self.time))
        bench.answer(Self.readZone, .octets(Self.zone))
        #expect(bench.refuse(Self.follow, "InProgress") == [.phone(1, .clockRead)])
        #expect(bench.broadcast([1], of: "dev_1/service0020/char0021").count == 1)
    }

    @Test func aReadingEndsWithItsSession() {
        let bench = Self.serving()
        bench.readClock()
        bench.removeANCS()
        #expect(bench.answer(Self.readTime, .octets(Self.time)).isEmpty)
        #expect(bench.readClock().isEmpty)
    }

    @Test func aPhoneThatIsLeftIsNotFollowed() {
        let bench = Self.following()
        let lines = bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }
        #expect(lines.calls.contains("StopNotify dev_1/service0020/char0021"))
        #expect(bench.broadcast([1], of: "dev_1/service0020/char0021").isEmpty)
    }
}
