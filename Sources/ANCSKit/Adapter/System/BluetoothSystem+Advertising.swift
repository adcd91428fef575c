internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Being found: one advertisement for all clients, kept on air by one ``AirTime``.
extension BluetoothSystem {
    /// Puts what a client wants on air, or other things than before, together with what other clients want.
    /// `advertising` tells the client when it is, and when it is not any more; `advertisingEnded` when it is
    /// not wanted any more. Throws where not all of it fits that has no overflow; nothing has changed then.
    func advertise(
        _ wish: AirTime.Wish, by client: ClientID
    ) throws(AdvertisementPlan.PlanningError) {
        var refusal: AdvertisementPlan.PlanningError?
        updateAir { air, _ in
            do throws(AdvertisementPlan.PlanningError) {
                try air.set(wish, of: client)
            } catch { refusal = error }
        }
        if let refusal { throw refusal }
    }

    /// Takes off air what a client wanted there, at once; it is told so where it was told that it is on air.
    func stopAdvertising(by client: ClientID) {
        updateAir { air, _ in air.remove(client) }
    }

    /// What is on air for all clients together.
    var advertisingState: AdvertisingState { air.advertisingState }

    // MARK: On air

    /// Tells what is to be on air what happened, and does what follows. What that causes in turn comes after
    /// what follows already.
    func updateAir(_ body: (inout AirTime, MonotonicInstant) -> Void) {
        body(&air, loop.now)
        while let output = air.pollOutput() { handle(output) }
        airTimer?.deadline = air.nextDeadline
    }

    private func handle(_ output: AirTime.Output) {
        switch output {
        case .start(let advertisement): putOnAir(advertisement)
        case .stop: driver.input { host, now in host.stopAdvertising(at: now) }
        case .onAir(let isOnAir): tell(.advertising(.onAir(isOnAir)))
        case .tell(let client, let isOnAir): tell(client, .advertising(.changed(isOnAir: isOnAir)))
        case .warn(let client, let failure): tell(client, .advertising(.failed(failure)))
        case .end(let client, let reason): tell(client, .advertising(.ended(reason)))
        }
    }

    private func putOnAir(_ advertisement: Advertisement) {
        let error = driver.attempt { host, now throws(HostUsageError) in
            try host.startAdvertising(advertisement, at: now)
        }
        // A controller that is being reset is told of next, and nothing is wanted then.
        guard let error, error != .notReady else { return }
        tell(.controller(.warning("cannot advertise: \(error)")))
        updateAir { air, _ in air.impossible() }
    }

    // MARK: What happens

    /// The number of links changed; `isIncoming` says that a Central has connected.
    func linksChanged(isIncoming: Bool = false) {
        let count = links.count
        let centrals = links.values.count { !$0.isOurs }
        updateAir { air, _ in
            if isIncoming {
                air.centralConnected(links: count, centrals: centrals)
            } else {
                air.linksChanged(links: count, centrals: centrals)
            }
        }
    }

    // MARK: Suspension

    /// How often it is looked whether the machine was suspended.
    private static var suspensionInterval: Duration { .seconds(15) }
    /// What a machine that was not suspended may lose between two looks at two clocks.
    private static var suspensionTolerance: Duration { .seconds(1) }

    func openAir() {
        airTimer = LoopTimer(on: loop) { [unowned self] in
            updateAir { air, now in air.handleTimeout(at: now) }
        }
        suspended = loop.suspendedTime
        suspensionTimer = LoopTimer(on: loop) { [unowned self] in lookForSuspension() }
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
    }

    func closeAir() {
        for timer in [airTimer, suspensionTimer] { timer?.deadline = nil }
        airTimer = nil
        suspensionTimer = nil
    }

    /// Timers stand still while the machine is suspended, and the controller may have lost its power.
    private func lookForSuspension() {
        let now = loop.suspendedTime
        let wasSuspended = now - exchange(&suspended, with: now) > Self.suspensionTolerance
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
        guard wasSuspended else { return }
        updateAir { air, _ in air.resumed() }
        tell(.controller(.resumed))
    }
}
