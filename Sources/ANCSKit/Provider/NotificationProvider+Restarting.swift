internal import LinuxIO
internal import Octets

/// A phone that ends its links before it restarts.
struct RestartingPhone {
    /// Links that take longer are not waited for.
    var timer: LoopTimer
    var waiters: [CheckedContinuation<Void, Never>] = []
}

// A phone that is switched off and on.
extension NotificationProvider {
    /// The phone restarts: calls, sessions and links end, and the controller is set up anew. Its
    /// notifications, apps and bonds stay, and so does who may read. Returns when the links have ended,
    /// after two seconds at most; ``ProviderEvent/ready`` tells when it is back. Does nothing before
    /// ``start()`` and after ``stop()``.
    public func restart() async {
        guard life.isRunning else { return }
        if restarting == nil { beginRestart() }
        guard restarting != nil else { return }
        await withCheckedContinuation { restarting?.waiters.append($0) }
    }

    private func beginRestart() {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { provider in provider.finishRestart() }
        }
        timer.deadline = loop.now + .seconds(2)
        restarting = RestartingPhone(timer: timer)
        // Neither can fail: the calls are there.
        for call in ringingCalls { _ = try? stopRinging(call) }
        for call in activeCalls { try? hangUp(call) }
        port.stopScanning()
        for peer in linkedPeers { port.disconnect(peer.id) }
        restartIfAlone()
    }

    func restartIfAlone() {
        if restarting != nil, linkedPeers.isEmpty { finishRestart() }
    }

    private func finishRestart() {
        endRestart()
        port.restart()
    }

    /// Nobody waits for links any more.
    func endRestart() {
        guard let restarted = exchange(&restarting, with: nil) else { return }
        restarted.timer.deadline = nil
        for waiter in restarted.waiters { waiter.resume() }
    }
}
