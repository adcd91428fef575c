internal import Foundation
internal import LinuxIO

/// Writes to standard error what a program did wrong, and what has no effect. Core Bluetooth writes that to the system's
/// log.
enum Diagnostics {
    private struct State {
        var noted: Set<String> = []
        var observer: (@Sendable (String) -> Void)?
    }

    private static let state = Lock(State())
    private static let explains = ProcessInfo.processInfo.environment["CB_LINUX_DEBUG"] == "1"

    /// Calls `observer` with each line instead of writing it, for tests.
    static func observe(_ observer: (@Sendable (String) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    /// Writes a line.
    static func write(_ text: String) {
        let line = "CoreBluetooth: \(text)"
        if let observer = state.withLock({ $0.observer }) { return observer(line) }
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    /// Writes a line, but only once in the life of the process.
    static func writeOnce(_ text: String) {
        if state.withLock({ $0.noted.insert(text).inserted }) { write(text) }
    }

    /// With `CB_LINUX_DEBUG=1`, says once what is accepted and has no effect.
    static func ignored(_ what: String, because reason: String) {
        if explains { writeOnce("\(what) has no effect: \(reason)") }
    }
}
