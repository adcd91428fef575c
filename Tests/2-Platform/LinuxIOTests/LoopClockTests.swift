import LinuxIO
import Octets
import Testing

@Suite("The clock of a loop")
struct LoopClockTests {
    @Test("virtual time skips periods without activity")
    func jumps() async throws {
        let times = try await onLoop(.virtual) { loop in
            var times = [loop.now]
            for hours in 1...3 {
                try await loop.sleep(for: .seconds(3600 * hours))
                times.append(loop.now)
            }
            return times
        }
        let hours = times.map { $0.nanoseconds / 3_600_000_000_000 }
        #expect(hours == [0, 1, 3, 6])
        #expect(times.allSatisfy { $0.nanoseconds % 3_600_000_000_000 == 0 })
    }

    @Test("virtual time stands still while there is work")
    func standsStill() async throws {
        let (early, late) = try await onLoop(.virtual) { loop in
            let sleeper = Task { try await loop.sleep(for: .nanoseconds(1)) }
            for _ in 0..<1000 { await Task.yield() }
            let early = loop.now
            try await sleeper.value
            return (early, loop.now)
        }
        // A task that yields leaves the loop something to do at once.
        #expect(early == .zero)
        #expect(late == MonotonicInstant(nanoseconds: 1))
    }

    @Test("virtual time that a person watches takes its time, and is the same time")
    func watched() async throws {
        let start = ContinuousClock.now
        let times = try await onLoop(.virtual(speed: 100_000)) { loop in
            var times = [loop.now]
            for hours in [1, 2] {
                try await loop.sleep(for: .seconds(3600 * hours))
                times.append(loop.now)
            }
            return times
        }
        // Three hours at this speed.
        #expect(ContinuousClock.now - start >= .milliseconds(108))
        #expect(times.map(\.nanoseconds) == [0, 3_600_000_000_000, 10_800_000_000_000])
    }

    @Test("input from outside is processed in between while a watcher is registered")
    func watchedFromOutside() async throws {
        // On a busy machine nobody may come before the sleeper wakes: then it sleeps longer.
        var duration = Duration.seconds(1)
        while true {
            let (early, late) = try await onLoop(.virtual(speed: 10)) { [duration] loop in
                let sleeper = Task { try? await loop.sleep(for: duration) }
                // Nothing but the sleeper is left on the loop until somebody comes from elsewhere.
                let early = await withCheckedContinuation { continuation in
                    Task.detached { loop.execute { continuation.resume(returning: loop.now) } }
                }
                await sleeper.value
                return (early, loop.now)
            }
            let end = MonotonicInstant.zero + duration
            #expect(late == end)
            if early < late { break }
            duration *= 2
        }
    }

    @Test("sleepers wake in the order of their times, at their times")
    func ordered() async throws {
        let woken = try await onLoop(.virtual) { loop in
            await withTaskGroup(of: (Int, MonotonicInstant).self) { group in
                for second in [5, 1, 4, 2, 3] {
                    group.addTask {
                        try? await loop.sleep(for: .seconds(second))
                        return (second, loop.now)
                    }
                }
                var woken: [(Int, MonotonicInstant)] = []
                for await one in group { woken.append(one) }
                return woken
            }
        }
        #expect(woken.map(\.0) == [1, 2, 3, 4, 5])
        #expect(woken.allSatisfy { $0.1 == .zero + .seconds($0.0) })
    }

    @Test("a sleep that is cancelled ends at once and throws", arguments: [true, false])
    func cancelled(isBefore: Bool) async throws {
        let (hasThrown, time) = try await onLoop(.virtual) { loop in
            let sleeper = Task {
                do throws(CancellationError) {
                    try await loop.sleep(for: .seconds(60))
                    return false
                } catch { return true }
            }
            if !isBefore { try await loop.sleep(for: .seconds(1)) }
            sleeper.cancel()
            return (await sleeper.value, loop.now)
        }
        #expect(hasThrown)
        #expect(time == .zero + .seconds(isBefore ? 0 : 1))
    }

    @Test("the machine's clock passes while a task sleeps, at least as long as it asked for")
    func monotonic() async throws {
        let passed = try await onLoop(.monotonic) { loop in
            let start = loop.now
            try await loop.sleep(for: .milliseconds(2))
            return loop.now - start
        }
        #expect(passed >= .milliseconds(2))
    }
}
