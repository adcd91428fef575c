import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What is concluded from what a phone says of its clock. This machine's time is noon, UTC, of 21 November
/// 2026, when the session starts.
@Suite final class ProviderClockTests {
    private static let noon = 1_795_262_400

    private var clock = ProviderClock()

    /// A value of *Current Time*.
    private static func time(_ seconds: Int) -> [UInt8] {
        let date = NotificationDate.utc(seconds)
        return [
            UInt8(date.year & 0xFF), UInt8(date.year >> 8), UInt8(date.month), UInt8(date.day),
            UInt8(date.hour), UInt8(date.minute), UInt8(date.second), 0, 0, 0,
        ]
    }

    private func says(time seconds: Int, after duration: Duration = .zero) {
        receive(Self.time(seconds), of: .currentTime, after: duration)
    }

    private func says(zone quarters: Int8, saving: UInt8 = 0) {
        receive([UInt8(bitPattern: quarters), saving], of: .localTimeInformation)
    }

    private func receive(
        _ value: [UInt8], of characteristic: BluetoothUUID, after duration: Duration = .zero
    ) {
        clock.receive(
            value, of: characteristic,
            utc: Self.noon + Int(duration.components.seconds), at: .zero + duration)
    }

    private func isDue(isBusy: Bool = false, at now: MonotonicInstant) -> Bool {
        clock.isDue(isBusy: isBusy, at: now)
    }

    @Test func noonIsNoon() {
        #expect(NotificationDate.utc(Self.noon).description == "2026-11-21T12:00:00")
    }

    @Test("the start of a session is a minute earlier, by the phone's clock")
    func start() {
        #expect(clock.startDate == nil)
        clock.sessionStarted(at: .zero)
        #expect(clock.startDate == nil)
        // Five hours behind, and read four seconds later.
        says(time: Self.noon - 5 * 3600 + 4, after: .seconds(4))
        #expect(clock.startDate?.description == "2026-11-21T06:59:00")
        clock.sessionEnded()
        #expect(clock.startDate == nil)
        // The clock is the link's: the next session knows it from its start.
        clock.sessionStarted(at: .seconds(600))
        #expect(clock.startDate?.description == "2026-11-21T07:09:00")
    }

    @Test(
        "the zone completes dates, and an unknown one does not",
        arguments: [
            ([36, 0], "+09:00"), ([0, 0], "+00:00"), ([0, 4], "+01:00"),
            ([UInt8(bitPattern: -14), 4], "-02:30"), ([UInt8(bitPattern: -48), 0], "-12:00"),
            ([56, 8], "+16:00"), ([0x80, 0], nil), ([36, 0xFF], nil), ([36, 1], nil),
            ([57, 0], nil), ([UInt8(bitPattern: -49), 0], nil), ([36], nil), ([], nil),
        ] as [([UInt8], String?)])
    func zones(_ value: [UInt8], _ text: String?) {
        receive(value, of: .localTimeInformation)
        #expect(clock.utcOffset?.description == text)
    }

    @Test(
        "an absurd clock is ignored",
        arguments: [
            [], [0xEA, 0x07], [0, 0, 11, 21, 12, 0, 0, 6, 0, 0], [0xEA, 0x07, 0, 21, 12, 0, 0],
            [0xEA, 0x07, 13, 21, 12, 0, 0], [0xEA, 0x07, 11, 0, 12, 0, 0],
            [0xEA, 0x07, 11, 21, 24, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // 1582, 9999 and the day after tomorrow.
            [0x2E, 0x06, 1, 1, 0, 0, 0, 0, 0, 0], [0x0F, 0x27, 12, 31, 23, 59, 60, 0, 0, 0],
            [0xEA, 0x07, 11, 23, 0, 0, 0, 1, 0, 0],
        ] as [[UInt8]])
    func absurd(_ value: [UInt8]) {
        clock.sessionStarted(at: .zero)
        receive(value, of: .currentTime)
        #expect(clock.startDate == nil)
        // Nor does a good one survive it.
        says(time: Self.noon + 14 * 3600)
        #expect(clock.startDate?.description == "2026-11-22T01:59:00")
        receive(value, of: .currentTime)
        #expect(clock.startDate == nil)
    }

    @Test("a machine whose own clock was never set does not trap on the last day that there is")
    func lastDay() {
        clock.sessionStarted(at: .zero)
        clock.receive(
            [0x0F, 0x27, 12, 31, 23, 59, 59, 0, 0, 0], of: .currentTime, utc: 253_402_300_799,
            at: .zero)
        clock.sessionStarted(at: .seconds(3600))
        #expect(clock.startDate?.description == "9999-12-31T23:59:59")
    }

    // MARK: When it is read

    @Test("it is read a second after the start, if no notification is being fetched")
    func quiet() {
        #expect(clock.nextDeadline == nil)
        clock.sessionStarted(at: .zero)
        #expect(clock.nextDeadline == .seconds(1))
        #expect(!isDue(at: .zero + .milliseconds(999)))
        #expect(!isDue(isBusy: true, at: .seconds(1)))
        #expect(clock.nextDeadline == .seconds(2))
        #expect(isDue(at: .seconds(2)))
        #expect(clock.nextDeadline == nil)
        #expect(!isDue(at: .seconds(20)))
    }

    @Test("the clock is read as soon as the first notification is delivered")
    func first() {
        clock.sessionStarted(at: .zero)
        clock.delivered(at: .zero + .milliseconds(200))
        #expect(isDue(isBusy: true, at: .zero + .milliseconds(200)))
        clock.readingEnded()
        clock.delivered(at: .zero + .milliseconds(300))
        #expect(!isDue(at: .seconds(60)))
    }

    @Test("without a session it is never read, and one that does not answer neither")
    func never() {
        #expect(!isDue(at: .seconds(10)))
        clock.sessionStarted(at: .zero)
        clock.sessionEnded()
        #expect(clock.nextDeadline == nil)
        clock.delivered(at: .seconds(2))
        #expect(!isDue(at: .seconds(10)))
        clock = ProviderClock(isIgnored: true)
        clock.sessionStarted(at: .zero)
        clock.delivered(at: .zero)
        #expect(clock.nextDeadline == nil)
        #expect(!isDue(at: .seconds(10)))
    }

    // MARK: Travellers

    private func read(at seconds: Int64) -> Bool {
        let isDue = isDue(at: .seconds(seconds))
        if isDue { clock.readingEnded() }
        return isDue
    }

    @Test("a traveller's zone is unknown from its first jump on, until it is read again")
    func traveller() {
        clock.sessionStarted(at: .zero)
        #expect(read(at: 1))
        says(time: Self.noon + 3600, after: .zero)
        says(zone: 4)
        // The network corrects the clock by some seconds; then it lands in New York.
        says(time: Self.noon + 3600 + 3590, after: .seconds(3600))
        #expect(clock.utcOffset?.description == "+01:00" && clock.nextDeadline == nil)
        says(time: Self.noon + 7200 - 5 * 3600, after: .seconds(7200))
        #expect(clock.utcOffset == nil)
        #expect(read(at: 7200))
        says(zone: -20)
        #expect(clock.utcOffset?.description == "-05:00")
    }

    @Test("so it is where this machine's clock is years behind")
    func travellerAtMachineWithoutClock() {
        let later = Self.noon + 400 * 86_400
        clock.sessionStarted(at: .zero)
        #expect(read(at: 1))
        says(time: later + 3600)
        says(zone: 4)
        #expect(clock.utcOffset?.description == "+01:00" && clock.startDate == nil)
        says(time: later + 3600 - 5 * 3600, after: .seconds(3600))
        #expect(clock.utcOffset == nil && clock.startDate == nil)
        #expect(read(at: 3600))
    }

    @Test("a phone that changes its time a hundred times a second is read every ten seconds")
    func flood() {
        clock.sessionStarted(at: .zero)
        var readings = 0
        for tick in 0..<6_000 {
            let instant = Duration.milliseconds(tick * 10)
            says(
                time: Self.noon + (tick.isMultiple(of: 2) ? 0 : 3600) + tick / 100, after: instant)
            if isDue(at: .zero + instant) {
                readings += 1
                clock.readingEnded()
            }
        }
        #expect(readings == 6)
    }

    // MARK: Beside the protocol

    @Test func onlyAReadingThatIsUnderWayHasATime() {
        #expect(clock.timeOfReading(at: .seconds(9)) == nil)
        clock.sessionStarted(at: .zero)
        #expect(isDue(at: .seconds(1)))
        #expect(clock.timeOfReading(at: .seconds(31)) == .seconds(30))
        clock.readingEnded()
        #expect(clock.timeOfReading(at: .seconds(31)) == nil)
    }
}
