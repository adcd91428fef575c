internal import CSystemd
internal import Glibc
package import LinuxIO

/// Reports the state of the daemon to systemd: ready, waiting, reloading or stopping, and that its loop is
/// running. Does nothing without systemd. sd_notify(3), sd_watchdog_enabled(3).
package final class SystemdSink: Sink, @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    package let name = "systemd"
    private let loop: EventLoop
    private var hasReportedReady = false
    private lazy var watchdog = LoopTimer(on: loop) { [weak self] in self?.kick() }
    /// Half of the timeout of systemd's watchdog; `nil` without one.
    private let interval: Duration?

    package init(on loop: EventLoop) {
        self.loop = loop
        var limit: UInt64 = 0
        interval = sd_watchdog_enabled(0, &limit) > 0 ? .microseconds(limit / 2) : nil
    }

    package var status: SinkStatus {
        SinkStatus(
            isWorking: true,
            message: Self.message(
                isManaged: getenv("NOTIFY_SOCKET") != nil, isWatched: interval != nil))
    }

    /// What it does, in words.
    static func message(isManaged: Bool, isWatched: Bool) -> String {
        guard isManaged else { return "not needed: the daemon was not started by systemd" }
        return isWatched
            ? "it knows the daemon's state, and starts it again if it hangs"
            : "it knows the daemon's state; the unit has no WatchdogSec="
    }

    package func open() { kick() }

    private func kick() {
        guard let interval else { return }
        sd_notify(0, "WATCHDOG=1")
        watchdog.deadline = loop.now + interval
    }

    package func receive(_ event: ServiceEvent) {
        guard case .state(let state) = event else { return }
        // A line break would begin another assignment.
        let message = state.message.filter { !$0.isNewline }
        var lines = ["STATUS=\(message)"]
        switch state.phase {
        // A machine without an adapter must not delay what starts after the daemon.
        case .waitingForAdapter, .onAir, .running:
            if !hasReportedReady, state != .starting {
                hasReportedReady = true
                lines.append("READY=1")
            }
        case .stopping: lines.append("STOPPING=1")
        }
        sd_notify(0, lines.joined(separator: "\n"))
    }

    /// Reports that the configuration was read again; systemd expects the beginning and the end.
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
