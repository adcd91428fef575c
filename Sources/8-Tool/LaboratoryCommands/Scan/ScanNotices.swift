internal import Printing

/// Messages of a scan other than devices. They are written immediately, or held back while a table occupies
/// the terminal. May be used on any thread.
final class ScanNotices: Sendable {
    private struct State {
        var isHeld = false
        var held: [String] = []
    }

    /// The maximum number of notices that are held back; beyond it, the oldest ones are dropped.
    private static let maximumCount = 100

    private let state = Lock(State())

    /// Writes or holds back a notice: one line that is safe for a terminal.
    func report(_ text: String) {
        let isHeld = state.withLock { state in
            guard state.isHeld else { return false }
            if state.held.count == Self.maximumCount { state.held.removeFirst() }
            state.held.append(text)
            return true
        }
        if !isHeld { StandardStreams.writeError(text) }
    }

    /// The latest notice held back.
    var last: String? { state.withLock { $0.held.last } }

    /// Holds back notices from now on.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Writes the notices held back, and holds back no more.
    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            return exchange(&state.held, with: [])
        }
        for text in held { StandardStreams.writeError(text) }
    }
}
