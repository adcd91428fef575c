import Octets
import Testing

@testable import ANCSService

@Suite("The schedule of the history")
struct HistoryScheduleTests {
    static func at(_ milliseconds: Int64) -> MonotonicInstant {
        .zero + .milliseconds(milliseconds)
    }

    @Test("a burst is written together, half a second after it began")
    func burst() {
        var schedule = HistorySchedule()
        #expect(schedule.nextDeadline == nil)
        schedule.receiveEntry(at: Self.at(0))
        schedule.receiveEntry(at: Self.at(400))
        #expect(schedule.nextDeadline == Self.at(500))
        schedule.handleTimeout(at: Self.at(499))
        #expect(schedule.drain().isEmpty)
        schedule.handleTimeout(at: Self.at(500))
        #expect(schedule.drain() == [.write])
        schedule.receiveWritten(isComplete: false, at: Self.at(500))
        #expect(schedule.nextDeadline == Self.at(500))
        schedule.handleTimeout(at: Self.at(500))
        #expect(schedule.drain() == [.write])
        schedule.receiveWritten(isComplete: true, at: Self.at(501))
        #expect(schedule.nextDeadline == nil)
    }

    @Test(
        "after a failure everything waits: half a minute, or a moment where another process writes")
    func failure() {
        var schedule = HistorySchedule()
        schedule.receiveEntry(at: Self.at(0))
        schedule.receiveCleaning(in: .zero, at: Self.at(0))
        schedule.handleTimeout(at: Self.at(500))
        #expect(schedule.drain() == [.write, .clean])
        schedule.receiveFailure(isBusy: false, at: Self.at(500))
        schedule.receiveCleaning(in: .zero, at: Self.at(500))
        #expect(schedule.nextDeadline == Self.at(30_500))
        schedule.handleTimeout(at: Self.at(30_499))
        #expect(schedule.drain().isEmpty)
        schedule.handleTimeout(at: Self.at(30_500))
        #expect(schedule.drain() == [.write, .clean])
        schedule.receiveFailure(isBusy: true, at: Self.at(30_500))
        #expect(schedule.nextDeadline == Self.at(31_000), "the write is tried again by itself")
    }

    @Test("a stopped schedule does nothing")
    func stop() {
        var schedule = HistorySchedule()
        schedule.receiveEntry(at: .zero)
        schedule.receiveCleaning(in: .seconds(1), at: .zero)
        schedule.stop()
        #expect(schedule.nextDeadline == nil)
        schedule.handleTimeout(at: Self.at(9_999_999))
        #expect(schedule.drain().isEmpty)
    }
}

extension HistorySchedule {
    fileprivate mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }
}
