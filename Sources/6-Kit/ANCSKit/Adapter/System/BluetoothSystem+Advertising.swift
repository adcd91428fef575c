internal import BluetoothLE

// Advertising: one advertisement for all clients, managed by one ``AdvertisingArbiter``.
extension BluetoothSystem {
    /// Advertises what a client requests, in place of its earlier request and together with those of other
    /// clients. `changed` reports when it is on air and when it no longer is, `ended` when the request has
    /// ended. Throws if the parts that cannot go to the overflow area do not fit; then nothing changes.
    mutating func advertise(
        _ request: AdvertisingArbiter.Request, by client: ClientID, at now: MonotonicInstant
    ) throws(AdvertisementPlan.PlanningError) {
        put(.withdraw(client, .advertisingEnd))
        try air.set(request, of: client, at: now)
        updateAdvertising(at: now) { _ in }
    }

    /// Removes the request of a client at once, without further events.
    mutating func stopAdvertising(by client: ClientID, at now: MonotonicInstant) {
        updateAdvertising(at: now) { air in air.remove(client) }
        put(.withdraw(client, .advertising))
    }

    // MARK: On air

    /// Passes an event to the advertising state, and carries out what follows.
    mutating func updateAdvertising(
        at now: MonotonicInstant, _ body: (inout AdvertisingArbiter) -> Void
    ) {
        body(&air)
        settleAdvertising(at: now)
    }

    @inline(never) private mutating func settleAdvertising(at now: MonotonicInstant) {
        while let output = air.pollOutput() { carryOut(output, at: now) }
    }

    private mutating func carryOut(_ output: AdvertisingArbiter.Output, at now: MonotonicInstant) {
        switch output {
        case .start(let advertisement): putOnAir(advertisement, at: now)
        case .stop: host.stopAdvertising(at: now)
        case .onAir(let isOnAir): report(.advertising(.onAir(isOnAir)))
        case .report(let client, let isOnAir):
            report(client, .advertising(.changed(isOnAir: isOnAir)))
        case .warn(let client, let failure): report(client, .advertising(.failed(failure)))
        case .end(let client, let reason): report(client, .advertising(.ended(reason)))
        }
    }

    private mutating func putOnAir(_ advertisement: Advertisement, at now: MonotonicInstant) {
        do throws(HostUsageError) {
            try host.startAdvertising(advertisement, at: now)
        } catch {
            // The reset of the controller is reported next, and ends all requests.
            guard error != .notReady else { return }
            let warning = DeviceWarning(.advertising, "cannot advertise: \(error.message)")
            report(.controller(.warning(warning)))
            updateAdvertising(at: now) { air in air.impossible() }
        }
    }

    /// The number of links changed; `isIncoming` says that a Central connected.
    mutating func linksChanged(isIncoming: Bool = false, at now: MonotonicInstant) {
        let count = links.count
        let centrals = links.count { !$0.isOurs }
        updateAdvertising(at: now) { air in
            if isIncoming {
                air.centralConnected(links: count, centrals: centrals, at: now)
            } else {
                air.linksChanged(links: count, centrals: centrals, at: now)
            }
        }
    }
}
