internal import BluetoothLE
internal import Octets

// Being found: one advertisement for all clients, kept on air by one ``AirTime``.
extension BluetoothSystem {
    /// Puts what a client wants on air, or other things than before, together with what other clients want.
    /// `changed` tells the client when it is, and when it is not any more; `ended` when it is not wanted any
    /// more. Throws where not all of it fits that has no overflow; nothing has changed then.
    mutating func advertise(
        _ wish: AirTime.Wish, by client: ClientID, at now: MonotonicInstant
    ) throws(AdvertisementPlan.PlanningError) {
        put(.withdraw(client, .advertisingEnd))
        try air.set(wish, of: client)
        updateAir(at: now) { _ in }
        settle(at: now)
    }

    /// Takes off air what a client wanted there, at once; it is told nothing more of that.
    mutating func stopAdvertising(by client: ClientID, at now: MonotonicInstant) {
        updateAir(at: now) { air in air.remove(client) }
        put(.withdraw(client, .advertising))
        settle(at: now)
    }

    // MARK: On air

    /// Tells what is to be on air what happened, and does what follows.
    mutating func updateAir(at now: MonotonicInstant, _ body: (inout AirTime) -> Void) {
        body(&air)
        while let output = air.pollOutput() { carryOut(output, at: now) }
    }

    private mutating func carryOut(_ output: AirTime.Output, at now: MonotonicInstant) {
        switch output {
        case .start(let advertisement): putOnAir(advertisement, at: now)
        case .stop: host.stopAdvertising(at: now)
        case .onAir(let isOnAir): tell(.advertising(.onAir(isOnAir)))
        case .tell(let client, let isOnAir): tell(client, .advertising(.changed(isOnAir: isOnAir)))
        case .warn(let client, let failure): tell(client, .advertising(.failed(failure)))
        case .end(let client, let reason): tell(client, .advertising(.ended(reason)))
        }
    }

    private mutating func putOnAir(_ advertisement: Advertisement, at now: MonotonicInstant) {
        do throws(HostUsageError) {
            try host.startAdvertising(advertisement, at: now)
        } catch {
            // A controller that is being reset is told of next, and nothing is wanted then.
            guard error != .notReady else { return }
            let warning = DeviceWarning(.advertising, "cannot advertise: \(error.message)")
            tell(.controller(.warning(warning)))
            updateAir(at: now) { air in air.impossible() }
        }
    }

    /// The number of links changed; `isIncoming` says that a Central has connected.
    mutating func linksChanged(isIncoming: Bool = false, at now: MonotonicInstant) {
        let count = links.count
        let centrals = links.count { !$0.isOurs }
        updateAir(at: now) { air in
            if isIncoming {
                air.centralConnected(links: count, centrals: centrals)
            } else {
                air.linksChanged(links: count, centrals: centrals)
            }
        }
    }
}
