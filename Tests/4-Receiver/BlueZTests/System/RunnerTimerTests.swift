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
    private struct Alarm: DaemonClient {
        static let objectPaths: [ObjectPath] = []
        static let signals: [BusMatch] = []
        var desk = DaemonDesk<Int, Int>(agent: PairingAgent(for: .noInputNoOutput))
        let adapters: [ObjectPath: AdapterObject] = [:]
        var nextDeadline: MonotonicInstant?
        var met: [MonotonicInstant] = []
        var early = 0

        init() { desk.daemon.hasServed = true }

        mutating func advance(at now: MonotonicInstant) {
            guard let deadline = nextDeadline, deadline <= now else {
                early += 1
                return
            }
            nextDeadline = nil
            met.append(now)
        }

        mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {}
        mutating func receive(_ value: [UInt8], from socket: SocketID, at now: MonotonicInstant) {}
        mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {}
        mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant) {}
        mutating func took(_ objects: BusValue?, at now: MonotonicInstant) {}
        mutating func isUnavailable(because failure: BluetoothdFailure) {}
        mutating func failed(because failure: BluetoothdFailure) {}
        mutating func daemonEnded(at now: MonotonicInstant) {}
        mutating func replied(
            _ result: BusResult, to call: CallID, for purpose: Int, at now: MonotonicInstant
        ) {}
        mutating func called(
            _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
        ) {}
        mutating func said(_ event: PairingAgent.Event) {}
        mutating func settle(at now: MonotonicInstant) {}
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
