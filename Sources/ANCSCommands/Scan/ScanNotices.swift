internal import LinuxIO

/// What the user of a scan should know besides the devices: written at once, but held back while a table
/// has the terminal. From any thread.
final class ScanNotices: Sendable {
    private struct State {
        var isHeld = false
        var held: [String] = []
    }

    /// Of more notices than these, the first ones are lost.
    private static let maximumCount = 100

    private let state = Lock(State())

    /// Tells something, one line that is fit for a terminal.
    func tell(_ text: String) {
        let isHeld = state.withLock { state in
            guard state.isHeld else { return false }
            if state.held.count == Self.maximumCount { state.held.removeFirst() }
            state.held.append(text)
            return true
        }
        if !isHeld { StandardStreams.writeError(text) }
    }

    /// The latest that was held back.
    var last: String? { state.withLock { $0.held.last } }

    /// From now on, notices wait.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Writes what has waited; nothing waits any more.
    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            return exchange(&state.held, with: [])
        }
        for text in held { StandardStreams.writeError(text) }
    }
}
