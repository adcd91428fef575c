internal import ANCSEvents
internal import LinuxIO
/// Reports on their way to their reader: one of each phone, the newest. There is no more, however slow the reader is.
final class MediaReports: Sendable {
    private struct State {
        /// In the order in which they began to wait.
        var waiting: [PhoneMedia] = []
        /// The phones of which a reader has taken a report other than the last.
        var told: Set<PhoneID> = []
    }

    private let state = Lock(State())
    /// Wakes a reader. Of several tokens one is enough, so the others may be dropped.
    private let tokens = EventChannel<Void, Never>(limit: 1) { _ in }

    /// Replaces what waits of the phone.
    func send(_ report: PhoneMedia) {
        state.withLock { state in
            var report = report
            let index = state.waiting.firstIndex { $0.provider == report.provider }
            if let index {
                report.changes.formUnion(state.waiting[index].changes)
                state.waiting.remove(at: index)
            }
            // Nobody has to learn that what was never told has ended.
            if report.state == nil, !state.told.contains(report.provider) { return }
            state.waiting.append(report)
        }
        tokens.send(())
    }

    func finish() { tokens.finish() }

    /// The next report; `nil` after the end, or if the task is cancelled.
    func next() async -> PhoneMedia? {
        while !Task.isCancelled {
            if let report = take() { return report }
            guard await tokens.next(#isolation) != nil else { return take() }
        }
        return nil
    }

    private func take() -> PhoneMedia? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let report = state.waiting.removeFirst()
            if report.state == nil {
                state.told.remove(report.provider)
            } else {
                state.told.insert(report.provider)
            }
            return report
        }
    }
}
