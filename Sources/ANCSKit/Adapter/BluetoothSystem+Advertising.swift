internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// What a client wants on air.
struct AdvertisingRequest: Hashable, Sendable {
    var wanted: AdvertisementPlan.Wanted
    /// How often; of several requests the most frequent one counts.
    var intervalMinimum = AdvertisingInterval.milliseconds(20)
    var intervalMaximum = AdvertisingInterval.milliseconds(30)
    /// Whether it ends when somebody connects. Otherwise it goes on as long as there is room for links.
    var stopsOnConnection = true
}

/// The request of one client.
struct ClientAdvertisement {
    let client: ClientID
    var request: AdvertisingRequest
    /// Whether it was told that it is on air.
    var isTold = false
}

// Being found: one advertisement for all clients, kept on air by one ``AirTime``.
extension BluetoothSystem {
    /// Puts what a client wants on air, or other things than before, together with what other clients want;
    /// says what is on air then. `advertising` tells the client when it is, and when it is not any more.
    /// Throws where not all of it fits that has no overflow; nothing has changed then.
    @discardableResult
    func advertise(
        _ request: AdvertisingRequest, by client: ClientID
    ) throws(AdvertisementPlan.PlanningError) -> AdvertisementPlan {
        var requests = advertisements
        if let index = requests.firstIndex(where: { $0.client == client }) {
            requests[index].request = request
        } else {
            requests.append(ClientAdvertisement(client: client, request: request))
        }
        let plan = try AdvertisementPlan(Self.merged(requests) ?? request.wanted)
        setAdvertisements(requests, plan)
        return plan
    }

    /// Takes off air what a client wanted there, at once; it is told so where it was told that it is on air.
    func stopAdvertising(by client: ClientID) {
        stopAdvertising { $0.client == client }
    }

    private func stopAdvertising(where isOver: (ClientAdvertisement) -> Bool) {
        let over = advertisements.filter(isOver)
        guard !over.isEmpty else { return }
        let rest = advertisements.filter { !isOver($0) }
        // Less than what fitted fits.
        setAdvertisements(rest, Self.merged(rest).flatMap { try? AdvertisementPlan($0) })
        for advertisement in over where advertisement.isTold {
            tell(advertisement.client, .advertising(false))
        }
    }

    private static func merged(_ requests: [ClientAdvertisement]) -> AdvertisementPlan.Wanted? {
        guard let first = requests.first?.request.wanted else { return nil }
        return requests.dropFirst().reduce(first) { $0.merging($1.request.wanted) }
    }

    private func setAdvertisements(
        _ advertisements: [ClientAdvertisement], _ plan: AdvertisementPlan?
    ) {
        self.advertisements = advertisements
        let isOther = exchange(&advertisementPlan, with: plan) != plan
        updateAir { air, _ in
            air.setWanted(plan != nil)
            if isOther { air.contentChanged() }
        }
        tellAdvertising()
    }

    // MARK: On air

    /// Tells when this device is on air what happened, and does what follows.
    func updateAir(_ body: (inout AirTime, MonotonicInstant) -> Void) {
        body(&air, loop.now)
        while let output = air.pollOutput() { handle(output) }
        airTimer?.deadline = air.nextDeadline
    }

    private func handle(_ output: AirTime.Output) {
        switch output {
        case .start: putOnAir()
        case .stop: driver.input { host, now in host.stopAdvertising(at: now) }
        case .tell(let isOnAir):
            self.isOnAir = isOnAir
            tell(.onAir(isOnAir))
            tellAdvertising()
        case .warn(let failure):
            for client in advertisements.map(\.client) {
                tell(client, .advertisingFailed(failure))
            }
        }
    }

    private func putOnAir() {
        guard let plan = advertisementPlan else { return }
        var advertisement = plan.advertisement
        let fastest = advertisements.map(\.request).min {
            $0.intervalMinimum.rawValue < $1.intervalMinimum.rawValue
        }
        if let fastest {
            advertisement.intervalMinimum = fastest.intervalMinimum
            advertisement.intervalMaximum = fastest.intervalMaximum
        }
        let error = driver.attempt { [advertisement] host, now throws(HostUsageError) in
            try host.startAdvertising(advertisement, at: now)
        }
        if let error { tell(.warning("cannot advertise: \(error)")) }
    }

    private func tellAdvertising() {
        for index in advertisements.indices where advertisements[index].isTold != isOnAir {
            advertisements[index].isTold = isOnAir
            let client = advertisements[index].client
            tell(client, .advertising(isOnAir))
            // Whoever is told may want something else.
            guard index + 1 < advertisements.count else { return }
        }
    }

    // MARK: What happens

    func handleAir(_ output: HostOutput) {
        switch output {
        case .advertisingStarted: updateAir { air, now in air.started(at: now) }
        case .advertisingStopped(let reason): updateAir { air, now in air.stopped(reason, at: now) }
        case .advertisingFailed(let failure): updateAir { air, now in air.failed(failure, at: now) }
        default: break
        }
    }

    /// The number of links changed; `isIncoming` says that a Central has connected.
    func linksChanged(isIncoming: Bool = false) {
        if isIncoming { stopAdvertising { $0.request.stopsOnConnection } }
        updateAir { air, _ in air.linksChanged(to: links.count) }
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
        tell(.resumed)
    }
}
