internal import CSystemd
package import LinuxIO
internal import Octets

/// Tells systemd how the daemon is: ready, waiting, reloading, stopping, and that its loop goes round. Without
/// systemd it does nothing. sd_notify(3), sd_watchdog_enabled(3).
package final class SystemdSink: Sink, @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    package let name = "systemd"
    private let loop: EventLoop
    private var hasToldReady = false
    private lazy var watchdog = LoopTimer(on: loop) { [weak self] in self?.kick() }
    /// Half of what systemd waits for; `nil` without a watchdog.
    private let interval: Duration?

    package init(on loop: EventLoop) {
        self.loop = loop
        var limit: UInt64 = 0
        interval = sd_watchdog_enabled(0, &limit) > 0 ? .microseconds(limit / 2) : nil
    }

    package var status: SinkStatus {
        let message = interval == nil ? "no watchdog" : "watched"
        return SinkStatus(isWorking: true, message: message)
    }

    package func open() { kick() }

    private func kick() {
        guard let interval else { return }
        sd_notify(0, "WATCHDOG=1")
        watchdog.deadline = loop.now + interval
    }

    package func receive(_ event: ServiceEvent) {
        guard case .state(let state) = event else { return }
        // A line of its own would be another assignment.
        let message = state.message.filter { !$0.isNewline }
        var lines = ["STATUS=\(message)"]
        switch state.phase {
        // A machine without an adapter has nothing to wait for at its start.
        case .waitingForAdapter, .onAir, .running:
            if !hasToldReady, state != .starting {
                hasToldReady = true
                lines.append("READY=1")
            }
        case .stopping: lines.append("STOPPING=1")
        }
        sd_notify(0, lines.joined(separator: "\n"))
    }

    /// The configuration was read: systemd wants to know when that began and when it ended.
    package func reconfigure(_ configuration: ServiceConfiguration) {
        let microseconds = loop.now.nanoseconds / 1000
        sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
        sd_notify(0, "READY=1")
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        watchdog.deadline = nil
        loop.execute(done)
    }
}
