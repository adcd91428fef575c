internal import LinuxIO
internal import Octets
internal import Synchronization

// Time, and waiting in it.
extension TestBench {
    /// How long the run has taken so far.
    public nonisolated var now: Duration { loop.now - .zero }

    /// The clock of the bench, for code that takes one.
    public nonisolated var clock: VirtualClock { VirtualClock(loop) }

    /// Lets time pass.
    public nonisolated func sleep(for duration: Duration) async throws {
        try await loop.sleep(for: duration)
    }

    /// Waits until something is so, and fails if it does not come to that.
    ///
    ///     try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
    ///
    /// - Parameters:
    ///   - what: What is waited for, as the failure is to call it.
    ///   - limit: How long to wait for it.
    ///   - condition: Whether it is so. It is asked every 10 ms.
    /// - Throws: ``TestFailure`` when the time is over, and what the condition throws.
    public nonisolated func wait(
        _ what: String, for limit: Duration = .seconds(60),
        until condition: () async throws -> Bool
    ) async throws {
        let deadline = loop.now + limit
        var failure: TestFailure?
        defer { if failure != nil { judgements.withLock { $0 -= 1 } } }
        while try await !condition() {
            guard loop.now >= deadline else {
                try await loop.sleep(for: .milliseconds(10))
                continue
            }
            if failure == nil {
                failure = self.failure("timed out after \(limit.seconds): \(what)")
                judgements.withLock { $0 += 1 }
            }
            if let failure, await isQuietOutside() { throw failure }
        }
    }

    /// Waits until no wait is judged any more, for a minute of this machine's time at most: a condition may
    /// never come back.
    @concurrent
    nonisolated func judgementsEnd() async {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            for _ in 0..<600 where judgements.withLock({ $0 > 0 }) {
                do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
            }
        }
    }

    /// Whether no other thread gives the loop anything to do for two seconds of this machine's time. Virtual
    /// time does not wait for other threads, but nothing is given up for lost as long as they are at work.
    @concurrent
    nonisolated func isQuietOutside() async -> Bool {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            let before = loop.outsideWork
            for _ in 0..<20 {
                do { try await Task.sleep(for: .milliseconds(100)) } catch { return true }
                if loop.outsideWork != before { return false }
            }
            return true
        }
    }
}
