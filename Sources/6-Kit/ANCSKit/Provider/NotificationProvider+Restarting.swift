internal import LinuxIO

/// The state of a phone that ends its links in order to restart.
struct RestartingPhone {
    /// The time limit for ending links.
    var timer: LoopTimer
    var waiters: [CheckedContinuation<Void, Never>] = []
}

// Restarting.
extension NotificationProvider {
    /// Restarts the phone: calls, sessions and links end, and the controller is set up again. Notifications,
    /// apps, bonds and consent are kept. Returns when the links have ended, after at most two seconds;
    /// `DeviceEvent.ready` follows. Does nothing before ``start()`` and after ``stop()``.
    public func restart() async {
        guard life.isRunning else { return }
        if restarting == nil { beginRestart() }
        await withCheckedContinuation { continuation in
            if restarting == nil {
                continuation.resume()
            } else {
                restarting?.waiters.append(continuation)
            }
        }
    }

    private func beginRestart() {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { provider in provider.finishRestart() }
        }
        timer.deadline = loop.now + .seconds(2)
        restarting = RestartingPhone(timer: timer)
        // Neither can fail, because the calls exist.
        for call in ringingCalls { _ = try? stopRinging(call) }
        for call in activeCalls { try? hangUp(call) }
        port.stopScanning()
        for peer in linkedPeers { port.disconnect(peer.id) }
        restartIfAlone()
    }

    func restartIfAlone() { if restarting != nil, linkedPeers.isEmpty { finishRestart() } }

    private func finishRestart() {
        endRestart()
        hasRestarted = true
        port.restart()
    }

    /// Ends the wait for links.
    func endRestart() {
        guard let restarted = exchange(&restarting, with: nil) else { return }
        restarted.timer.deadline = nil
        for waiter in restarted.waiters { waiter.resume() }
    }
}
