import BluetoothLE
import Octets
import Testing

@Suite("How often a device advertises") struct AdvertisingScheduleTests {
    @Test("the intervals are those that Apple names")
    func intervals() {
        #expect(AdvertisingInterval.minimum.duration == .milliseconds(20))
        #expect(AdvertisingSchedule.mains.duration == .microseconds(152_500))
        #expect(AdvertisingSchedule.battery.duration == .microseconds(1_022_500))
    }

    @Test("30 s on air at 20 ms, then the longer interval for ever")
    func pace() {
        var schedule = AdvertisingSchedule()
        schedule.begin(at: .zero)
        #expect(schedule.interval == .minimum)
        #expect(schedule.nextDeadline == nil, "the time counts from when it is on air")
        schedule.started(at: .seconds(5))
        schedule.started(at: .seconds(9))
        #expect(schedule.nextDeadline == .seconds(35))
        schedule.handleTimeout(at: .seconds(34))
        #expect(schedule.interval == .minimum)
        schedule.handleTimeout(at: .seconds(35))
        #expect(schedule.interval == AdvertisingSchedule.mains)
        #expect(schedule.nextDeadline == nil)
        schedule.started(at: .seconds(600))
        #expect(schedule.interval == AdvertisingSchedule.mains, "a renewal begins nothing")
        schedule.begin(at: .seconds(601))
        #expect(schedule.interval == .minimum)
    }

    @Test("after three links lost within a minute it begins slowly, and later fast again")
    func unsteady() {
        var schedule = AdvertisingSchedule(slow: AdvertisingSchedule.battery)
        for (second, interval) in [
            (0, AdvertisingInterval.minimum), (20, .minimum),
            (60, AdvertisingSchedule.battery), (70, AdvertisingSchedule.battery),
            // The three that count are those of 60, 70 and 130 s.
            (130, .minimum), (131, .minimum), (132, AdvertisingSchedule.battery),
        ] as [(Int64, AdvertisingInterval)] {
            let now = MonotonicInstant.seconds(second)
            schedule.linkLost(at: now)
            schedule.begin(at: now)
            schedule.started(at: now)
            #expect(schedule.interval == interval, "at \(second) s")
        }
        schedule.begin(at: .seconds(191))
        #expect(schedule.interval == .minimum)
    }
}
