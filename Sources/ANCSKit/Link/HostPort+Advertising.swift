internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Being found by phones, and noticing that the machine was asleep.
extension HostPort {
    /// How often it is looked whether the machine was suspended.
    private static var suspensionInterval: Duration { .seconds(15) }
    /// What a machine that was not suspended may lose between two looks at two clocks.
    private static var suspensionTolerance: Duration { .seconds(1) }

    func openAdvertising() {
        airTimer = LoopTimer(on: loop) { [self] in
            updateAir { air, now in air.handleTimeout(at: now) }
        }
        suspended = loop.suspendedTime
        suspensionTimer = LoopTimer(on: loop) { [self] in lookForSuspension() }
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
    }

    func closeAdvertising() {
        for timer in [airTimer, suspensionTimer] { timer?.deadline = nil }
        airTimer = nil
        suspensionTimer = nil
    }

    /// Tells when an accessory is on air what happened, and does what follows.
    func updateAir(_ body: (inout AirTime, MonotonicInstant) -> Void) {
        body(&air, loop.now)
        while let output = air.pollOutput() { handle(output) }
        airTimer?.deadline = air.nextDeadline
    }

    private func handle(_ output: AirTime.Output) {
        switch output {
        case .start(let advertisement): startAdvertising(advertisement)
        case .stop: driver?.input { host, now in host.stopAdvertising(at: now) }
        case .onAir(let isOnAir): deliver?(.advertising(isOnAir))
        case .tell, .end: break
        case .warn(_, let failure):
            deliver?(.warning("the controller does not advertise: \(failure.text); trying again"))
        }
    }

    private func startAdvertising(_ advertisement: Advertisement) {
        guard let driver, driver.query({ host in host.isReady }) else { return }
        let error = driver.attempt { host, now throws(HostUsageError) in
            try host.startAdvertising(advertisement, at: now)
        }
        if let error { deliver?(.failed(.advertisement("cannot advertise: \(error)"))) }
    }

    /// Timers stand still while the machine is suspended, and the controller may have lost its power.
    private func lookForSuspension() {
        let now = loop.suspendedTime
        let wasSuspended = now - exchange(&suspended, with: now) > Self.suspensionTolerance
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
        guard wasSuspended else { return }
        updateAir { air, _ in air.resumed() }
        deliver?(.resumed)
    }
}
