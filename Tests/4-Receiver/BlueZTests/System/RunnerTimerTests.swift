import ANCSEvents
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// The timer of a runner is only moved to an earlier time: it may fire when nothing is due, and is never late.
@Suite struct RunnerTimerTests {
    /// A machine with a deadline, which notes when it was met, and how often it was asked too early.
    private struct Alarm: BlueZMachine {
        static let objectPaths: [ObjectPath] = []
        static let signals: [BusMatch] = []
        static var omitted: (property: String, interface: String)? { nil }
        var wantsOmitted: Bool { true }
        var nextDeadline: MonotonicInstant?
        var met: [MonotonicInstant] = []
        var early = 0

        mutating func handleTimeout(at now: MonotonicInstant) {
            guard let deadline = nextDeadline, deadline <= now else {
                early += 1
                return
            }
            nextDeadline = nil
            met.append(now)
        }

        mutating func ownerChanged(to owner: String?, at now: MonotonicInstant) {}
        mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {}
        mutating func receive(
            _ result: Result<[BusValue], BusError>, to call: CallID, at now: MonotonicInstant
        ) {}
        mutating func receive(
            _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
        ) {}
        mutating func receive(_ value: [UInt8], from socket: SocketID, at now: MonotonicInstant) {}
        mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {}
        mutating func remembered(_ ends: [DaemonEnds], at now: MonotonicInstant) {}
        mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant) {}
        mutating func pollOutput() -> BlueZOutput<Int>? { nil }
    }

    /// Deadlines in seconds from the beginning, each set when the one before it was.
    @Test(
        arguments: [
            ([10, 2], [2], 0), ([2, 10], [10], 1), ([2, nil], [], 1), ([nil, 3], [3], 0),
            ([2, 10, 1], [1], 0), ([5, 9, 7, 20], [20], 1), ([4, 4], [4], 0),
        ] as [([Int?], [Int], Int)])
    func eachDeadlineIsMetOnTime(_ deadlines: [Int?], _ met: [Int], _ early: Int) async throws {
        try await SystemWorld.run { world in
            let bus = world.bus.connect()
            let runner = BlueZRunner(Alarm(), on: world.loop, root: "/nonexistent") { bus }
            runner.open { _ in }
            // What opening leads to is over.
            try await world.loop.sleep(for: .seconds(1))
            let start = world.loop.now
            for deadline in deadlines {
                runner.step { alarm, _ in
                    alarm.nextDeadline = deadline.map { start + .seconds($0) }
                }
            }
            try await world.loop.sleep(for: .seconds(60))
            #expect(runner.query { $0.met } == met.map { start + .seconds($0) })
            #expect(runner.query { $0.early } == early)
            runner.close()
        }
    }
}
