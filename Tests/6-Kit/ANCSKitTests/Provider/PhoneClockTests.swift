import ANCS
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The clock and the battery of a phone, as accessories see them.
@Suite struct PhoneClockTests {
    private func date(_ text: String) throws -> NotificationDate {
        try #require(NotificationDate(Array(text.utf8)))
    }

    @Test("in spring the clock goes forward an hour, with the reason")
    func daylightSaving() throws {
        var clock = PhoneClock(zone: try #require(PhoneTimeZone(offset: 60)))
        let night = try date("20260329T015959")
        #expect(clock.zone.localTimeInformation == [4, 0])
        clock.apply(ClockChange(daylightSaving: .hour), at: night)
        #expect(clock.zone.localTimeInformation == [4, 4])
        let value = clock.currentTime(at: night)
        #expect(value == [0xEA, 0x07, 3, 29, 2, 59, 59, 7, 0, 0b1000])
        clock.apply(ClockChange(daylightSaving: .standard), at: night)
        #expect(clock.date(at: night) == night && clock.zone.localTimeInformation == [4, 0])
    }

    @Test("in another zone the clock shows another time, over the end of a year too")
    func zone() throws {
        var clock = PhoneClock(zone: try #require(PhoneTimeZone(offset: 60)))
        let evening = try date("20261231T233000")
        clock.apply(ClockChange(offset: 330, daylightSaving: .standard), at: evening)
        #expect(clock.date(at: evening) == (try date("20270101T040000")))
        #expect(clock.currentTime(at: evening)[9] == 0b1100)
        #expect(clock.zone.localTimeInformation == [22, 0])
        clock.apply(ClockChange(offset: -210), at: evening)
        #expect(clock.date(at: evening) == (try date("20261231T190000")))
        #expect(clock.zone.localTimeInformation == [UInt8(bitPattern: -14), 0])
    }

    @Test("setting a zone on a phone without one does not change its clock")
    func unknownZone() throws {
        var clock = PhoneClock(zone: PhoneTimeZone())
        #expect(clock.zone.localTimeInformation == [0x80, 0xFF])
        let noon = try date("20261122T120000")
        clock.apply(ClockChange(offset: 60), at: noon)
        #expect(clock.date(at: noon) == noon && clock.zone.localTimeInformation[0] == 4)
    }

    @Test(
        "a clock that the user sets wrong stays wrong in every zone, until the network sets it right"
    )
    func setWrong() throws {
        var clock = PhoneClock(zone: try #require(PhoneTimeZone(offset: 0)))
        let noon = try date("20261122T120000")
        clock.apply(ClockChange(source: .user(try date("20261122T120500"))), at: noon)
        #expect(clock.currentTime(at: noon)[9] == 0b1)
        #expect(clock.referenceTime(at: noon) == [4, 0xFF, 0, 0])
        clock.apply(ClockChange(offset: 60), at: noon)
        #expect(clock.date(at: noon) == (try date("20261122T130500")))
        clock.apply(ClockChange(source: .network), at: noon)
        #expect(clock.date(at: noon) == (try date("20261122T130000")))
        #expect(clock.currentTime(at: noon)[9] == 0b10)
        #expect(clock.referenceTime(at: try date("20261124T150000")) == [6, 0xFF, 2, 3])
        #expect(clock.referenceTime(at: try date("20280101T000000")) == [6, 0xFF, 255, 255])
    }

    @Test("no zone and no date takes the clock out of the range of dates")
    func limits() throws {
        #expect(PhoneTimeZone(offset: 841) == nil && PhoneTimeZone(offset: -735) == nil)
        #expect(PhoneTimeZone(offset: 7) == nil)
        var clock = PhoneClock(zone: try #require(PhoneTimeZone(offset: 0)))
        let last = try date("99991231T235959")
        clock.apply(ClockChange(source: .user(last), offset: 840), at: last)
        #expect(clock.date(at: last) == last)
        let first = try date("15820101T000000")
        clock.apply(ClockChange(source: .user(first)), at: last)
        #expect(clock.date(at: try date("00000101T000000")).year == 1582)
        clock.apply(ClockChange(offset: 9999), at: last)
        #expect(clock.zone.offset == 840)
    }

    @Test("the battery level is notified when it changes, the time when the clock is adjusted")
    func told() async throws {
        let bench = try ProviderBench { $0.timeZone = PhoneTimeZone() }
        _ = bench.port.calls()
        await bench.provider.setBatteryLevel(57)
        await bench.provider.setBatteryLevel(57)
        await bench.provider.setBatteryLevel(-3)
        await bench.provider.adjustClock(ClockChange(offset: 120))
        #expect(
            bench.port.calls() == [
                "notify batteryLevel", "notify batteryLevel", "notify currentTime",
            ])
        #expect(await bench.provider.batteryLevel == 0)
        #expect(await bench.provider.timeZone.offset == 120)
    }

    @Test("each value has the handle of its characteristic")
    func handles() throws {
        let table = try PhoneServicesTests.table()
        for attribute in PhoneAttribute.allCases {
            let handle = PhoneServices.handle(of: attribute)
            #expect(PhoneServices.attribute(at: handle) == attribute)
            let uuid =
                switch attribute {
                case .batteryLevel: "2A19"
                case .currentTime: "2A2B"
                case .localTimeInformation: "2A0F"
                case .referenceTimeInformation: "2A14"
                }
            #expect(table[handle]?.type.text == uuid)
        }
    }
}
