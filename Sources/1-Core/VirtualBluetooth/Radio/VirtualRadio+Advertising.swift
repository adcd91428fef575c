internal import BluetoothLE

// Advertisers and listeners, and connections between them.
extension VirtualRadio {
    // MARK: Listeners

    mutating func startListening(_ node: Int, at now: MonotonicInstant) {
        let room = nodes[node].room
        listeners[room, default: []].append(node)
        for waiting in exchange(&parked[room], with: nil) ?? [] { resume(waiting, at: now) }
    }

    private mutating func resume(_ waiting: ParkedAdvertiser, at now: MonotonicInstant) {
        let delay = random.duration(below: VirtualAir.advertisingDelay)
        events.insert(
            .advertise(waiting.node, waiting.set, generation: waiting.generation), at: now + delay)
    }

    /// A controller leaves a room: its parked advertisers continue in the new one.
    mutating func unpark(_ node: Int, at now: MonotonicInstant) {
        let room = nodes[node].room
        for waiting in parked[room] ?? [] where waiting.node == node { resume(waiting, at: now) }
        parked[room]?.removeAll { $0.node == node }
    }

    private mutating func park(_ advertiser: ParkedAdvertiser, in room: RadioRoom) {
        parked[room, default: []].removeAll {
            $0.node == advertiser.node && $0.set == advertiser.set
        }
        parked[room, default: []].append(advertiser)
    }

    mutating func stopListening(_ node: Int) {
        listeners[nodes[node].room]?.removeAll { $0 == node }
    }

    // MARK: Advertisers

    mutating func startAdvertising(_ node: Int, _ id: AdvertisingSet.ID, at now: MonotonicInstant) {
        let controller = nodes[node].controller
        guard let index = controller.setIndex(id) else { return }
        events.insert(
            .advertise(node, id, generation: controller.advertisingSets[index].generation),
            at: now)
    }

    /// One advertising event.
    mutating func advertise(
        _ index: Int, _ id: AdvertisingSet.ID, generation: UInt32, at now: MonotonicInstant
    ) {
        let node = nodes[index]
        defer { unsettle(index) }
        guard let event = node.controller.advertisingEvent(id, generation: generation, at: now)
        else { return }
        let audience = listeners[node.room] ?? []
        guard !audience.isEmpty || event.isCounted else {
            park(.init(node: index, set: id, generation: generation), in: node.room)
            return
        }
        for listener in audience where listener != index {
            if let address = event.pdu.advertiser,
                hears(event.pdu, of: index, id, address, listener, at: now)
            {
                return
            }
            if event.pdu.advertiser == nil, reaches(listener, from: index) {
                _ = nodes[listener].controller.scan(event.pdu, at: now)
                unsettle(listener)
            }
        }
        node.controller.advertisingEventEnded(id, at: now)
        let delay = random.duration(below: VirtualAir.advertisingDelay)
        events.insert(.advertise(index, id, generation: generation), at: now + event.period + delay)
    }

    /// Whether a PDU of one controller reaches another.
    private mutating func reaches(_ listener: Int, from sender: Int) -> Bool {
        let path = path(between: sender, and: listener)
        return path.isInRange && !random.chance(path.loss)
    }

    /// Delivers an advertising PDU to a listener, which may request the scan response or connect. Returns
    /// whether it connected.
    private mutating func hears(
        _ pdu: AdvertisingPDU, of advertiser: Int, _ id: AdvertisingSet.ID,
        _ address: DeviceAddress, _ listener: Int, at now: MonotonicInstant
    ) -> Bool {
        guard reaches(listener, from: advertiser) else { return false }
        let controller = nodes[listener].controller
        defer { unsettle(listener) }
        if let scanner = controller.scan(pdu, at: now), reaches(advertiser, from: listener),
            let response = nodes[advertiser].controller.scanRequested(of: id, by: scanner),
            reaches(listener, from: advertiser)
        {
            _ = controller.scan(response, at: now)
        }
        guard let request = controller.connect(to: pdu, at: now) else { return false }
        let peripheral =
            reaches(advertiser, from: listener)
            ? nodes[advertiser].controller.connectRequested(of: id, request) : nil
        // An extended advertiser answers, so the initiator knows of a refusal; a legacy one is assumed to
        // have accepted, until it is not received.
        guard peripheral != nil || pdu.properties.contains(.legacy) else { return false }
        let central = controller.connectRequestSent(request, to: address)
        link(
            .init(controller: listener, handle: central, lastHeard: now),
            peripheral.map { .init(controller: advertiser, handle: $0, lastHeard: now) },
            request.timing, at: now)
        return peripheral != nil
    }
}
