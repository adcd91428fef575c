import Octets
import Testing

@testable import ANCSService

@Suite("The schedule of programs")
struct ProgramScheduleTests {
    typealias ID = ProgramSchedule.ID

    /// A schedule that was asked for programs of ten seconds, 1 to `count`.
    static func make(
        _ count: UInt64, limits: ProgramSchedule.Limits = .init()
    ) -> ProgramSchedule {
        var schedule = ProgramSchedule(limits: limits)
        for number in 0..<count {
            schedule.receiveRequest(
                ID(rawValue: number + 1), octets: 10, timeout: .seconds(10), at: .zero)
        }
        return schedule
    }

    static func at(_ seconds: Double) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test("four start, the next 64 wait, and further ones are refused")
    func limits() {
        var schedule = Self.make(69)
        let started = (1...4).map { ProgramSchedule.Output.start(ID(rawValue: $0)) }
        #expect(schedule.drain() == started + [.refuse(ID(rawValue: 69))])
        #expect(schedule.runningCount == 4)
        #expect(schedule.waitingCount == 64)
        #expect(schedule.dropped == 1)
        schedule.receiveEnd(of: ID(rawValue: 2), at: Self.at(1))
        #expect(schedule.drain() == [.start(ID(rawValue: 5))])
        // What has ended has ended.
        schedule.receiveEnd(of: ID(rawValue: 2), at: Self.at(1))
        #expect(schedule.drain().isEmpty)
    }

    @Test("waiting programs have no more octets of input than the limit")
    func octets() {
        var limits = ProgramSchedule.Limits()
        limits.running = 1
        limits.waitingOctets = 25
        var schedule = Self.make(5, limits: limits)
        let refused = (4...5).map { ProgramSchedule.Output.refuse(ID(rawValue: $0)) }
        #expect(schedule.drain() == [.start(ID(rawValue: 1))] + refused)
        for number in 1...3 as ClosedRange<UInt64> {
            schedule.receiveEnd(of: ID(rawValue: number), at: .zero)
        }
        _ = schedule.drain()
        #expect(schedule.runningCount == 0)
        schedule.receiveRequest(ID(rawValue: 6), octets: 1000, timeout: .seconds(1), at: .zero)
        #expect(schedule.drain() == [.start(ID(rawValue: 6))])
    }

    @Test("a program that runs for too long is asked to end, and killed two seconds later")
    func timeout() {
        var schedule = Self.make(1)
        _ = schedule.drain()
        #expect(schedule.nextDeadline == Self.at(10))
        schedule.handleTimeout(at: MonotonicInstant(nanoseconds: 9_999_999_999))
        #expect(schedule.drain().isEmpty)
        schedule.handleTimeout(at: Self.at(10))
        #expect(schedule.drain() == [.terminate(ID(rawValue: 1), isTimeout: true)])
        #expect(schedule.nextDeadline == Self.at(12))
        schedule.handleTimeout(at: Self.at(12))
        #expect(schedule.drain() == [.kill(ID(rawValue: 1))])
        #expect(schedule.nextDeadline == nil)
        schedule.handleTimeout(at: Self.at(99))
        #expect(schedule.drain().isEmpty)
        schedule.receiveEnd(of: ID(rawValue: 1), at: Self.at(99))
        #expect(schedule.runningCount == 0)
    }

    @Test("at the end waiting programs are refused, and running ones have a second")
    func close() {
        var schedule = Self.make(6)
        _ = schedule.drain()
        schedule.handleTimeout(at: Self.at(10))
        _ = schedule.drain()
        schedule.close(at: Self.at(10))
        let refused = (5...6).map { ProgramSchedule.Output.refuse(ID(rawValue: $0)) }
        // All four were asked before.
        #expect(schedule.drain() == refused)
        #expect(schedule.nextDeadline == Self.at(11))
        schedule.receiveRequest(ID(rawValue: 7), octets: 0, timeout: .seconds(1), at: Self.at(10))
        #expect(schedule.drain() == [.refuse(ID(rawValue: 7))])
        schedule.handleTimeout(at: Self.at(11))
        #expect(schedule.drain().count == 4)
        for number in 1...3 as ClosedRange<UInt64> {
            schedule.receiveEnd(of: ID(rawValue: number), at: Self.at(11))
        }
        #expect(schedule.drain().isEmpty)
        schedule.receiveEnd(of: ID(rawValue: 4), at: Self.at(11))
        #expect(schedule.drain() == [.closed])
    }

    @Test("without running programs the end is immediate")
    func closeIdle() {
        var schedule = ProgramSchedule()
        schedule.close(at: .zero)
        #expect(schedule.drain() == [.closed])
    }

    @Test("a time limit of zero ends a program at once, and the longest never")
    func strangeTimeouts() {
        var schedule = ProgramSchedule()
        schedule.receiveRequest(ID(rawValue: 1), octets: 0, timeout: .zero, at: Self.at(5))
        schedule.receiveRequest(
            ID(rawValue: 2), octets: 0, timeout: .seconds(Int64.max), at: Self.at(5))
        _ = schedule.drain()
        schedule.handleTimeout(at: Self.at(5))
        #expect(schedule.drain() == [.terminate(ID(rawValue: 1), isTimeout: true)])
    }
}

extension ProgramSchedule {
    fileprivate mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }
}
