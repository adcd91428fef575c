internal import LinuxIO
internal import Synchronization

// Time, and waiting.
extension TestBench {
    /// The virtual time since the start of the run.
    public nonisolated var now: Duration { loop.now - .zero }

    /// The clock of the bench, for code that takes a `Clock`.
    public nonisolated var clock: VirtualClock { VirtualClock(loop) }

    /// Lets virtual time pass.
    public nonisolated func sleep(for duration: Duration) async throws {
        try await loop.sleep(for: duration)
    }

    /// Waits until a condition is true, and throws if it does not become true in time.
    ///
    ///     try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
    ///
    /// - Parameters:
    ///   - what: What the test waits for, for the message of a failure.
    ///   - limit: How long to wait, in virtual time.
    ///   - file: The file of the wait, which a failure names.
    ///   - line: Its line.
    ///   - condition: The condition, which is evaluated every 10 ms.
    /// - Throws: ``TestFailure`` after the limit, or the error of the condition.
    public nonisolated func wait(
        _ what: String, for limit: Duration = .seconds(60), file: String = #fileID,
        line: Int = #line, until condition: () async throws -> Bool
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
                let name = file.split(separator: "/").last ?? ""
                failure = self.failure(
                    "timed out after \(limit.seconds): \(what)", at: "\(name):\(line)")
                judgements.withLock { $0 += 1 }
            }
            if let failure, await isQuietOutside() { throw failure }
        }
    }

    /// Waits until no expired wait is being evaluated any more, for at most a minute of real time: a
    /// condition may never return.
    @concurrent nonisolated func judgementsEnd() async {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            for _ in 0..<600 where judgements.withLock({ $0 > 0 }) {
                do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
            }
        }
    }

    /// Whether no other thread has given the loop any work for two seconds of real time. Virtual time does
    /// not wait for other threads, but the bench does not give up while they are working.
    @concurrent nonisolated func isQuietOutside() async -> Bool {
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
