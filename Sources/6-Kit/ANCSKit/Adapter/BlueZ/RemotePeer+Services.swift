internal import BlueZ

// bluetoothd discovers all services by itself, as soon as there is a link, and publishes them as objects; discoveries
// are answered from those. It passes no indication of Service Changed on: that objects come and go on a link with
// resolved services is what tells of changes.
extension RemotePeer {
    /// The ATT_MTU of the link in octets; the least that there is where bluetoothd does not say it.
    var mtu: Int { max(ATT.defaultMTU, linkMTU ?? 0) }

    private mutating func noteMTU(in properties: [String: BusValue]) {
        if let mtu = properties["MTU"]?.integer { linkMTU = mtu }
        reportMTU()
    }

    /// Before 5.62, bluetoothd does not say it.
    mutating func mtuReplied(_ result: BusResult) {
        guard case .success(let values) = result, let mtu = values.first?.integer else { return }
        linkMTU = mtu
        reportMTU()
    }

    mutating func reportMTU() {
        guard isLinked, object.hasResolvedServices else { return }
        let mtu = self.mtu
        guard exchange(&reportedMTU, with: mtu) != mtu else { return }
        report(.mtuChanged(mtu))
    }

    // MARK: Discovery

    /// Answers the discoveries, if the services are known and none are changing.
    mutating func answerDiscoveries() {
        guard isUp, object.hasResolvedServices, change == nil, !discoveries.isEmpty else { return }
        let services = tree.database.services
        for discovery in exchange(&discoveries, with: []) {
            complete(discovery.id, Self.answer(discovery.procedure, from: services))
        }
    }

    private static func answer(
        _ procedure: GATTProcedure, from services: [RemoteDatabase.Service]
    ) -> Result<GATTResult, Failure> {
        switch procedure {
        case .discoverPrimaryServices:
            return .success(.services(services.filter(\.isPrimary).map(\.bare)))
        case .discoverPrimaryServicesByUUID(let uuid, _):
            let found = services.filter { $0.isPrimary && $0.uuid == uuid }
            return .success(.services(found.map(\.bare)))
        case .discoverIncludedServices(let range):
            let found = services.flatMap(\.includedServices)
            return .success(.includedServices(found.filter { range.contains($0.declaration) }))
        case .discoverCharacteristics(let range, let uuid):
            var found = services.flatMap(\.characteristics).filter {
                range.contains($0.declaration) && (uuid ?? $0.uuid) == $0.uuid
            }
            for index in found.indices { found[index].descriptors = [] }
            return .success(.characteristics(found))
        case .discoverDescriptors(let range):
            let found = services.flatMap(\.characteristics).flatMap(\.descriptors)
            return .success(.descriptors(found.filter { range.contains($0.handle) }))
        case .discoverSecondaryServices, .discoverDatabase, .exchangeMTU, .readValue,
            .readLongValue, .readPart, .readByUUID, .readMultiple, .readMultipleVariable,
            .writeValue, .writeLongValue:
            return .failure(.notSupported)
        }
    }

    /// The services are complete.
    mutating func resolved(at now: MonotonicInstant) {
        resolveBy = nil
        reportMTU()
        // The objects of a bonded device are older than the link.
        let characteristic = tree.objects.values.first {
            if case .characteristic = $0.kind { true } else { false }
        }
        if linkMTU == nil, let characteristic { call(.readMTU(characteristic.path)) }
        answerDiscoveries()
        if exchange(&isPairingWanted, with: false), !object.isPaired { pair() }
        advanceAll(at: now)
    }

    // MARK: Objects

    /// The object of an attribute appeared, changed or disappeared; those of a bonded device also disappear without a
    /// link.
    mutating func attributeChanged(
        _ place: AttributePath, _ change: ObjectChange, at now: MonotonicInstant
    ) {
        switch change.news {
        case .added(let properties):
            guard tree.add(place, at: change.path, (change.interface, properties)) else { return }
            changed(AttributeHandleRange(place.handle, place.handle), at: now)
            noteMTU(in: properties)
        case .changed(let properties, let invalidated):
            // Those of services and descriptors never change.
            guard case .characteristic = place.kind else { return }
            changed(place, properties, invalidated, at: now)
        case .removed:
            guard let range = tree.remove(place, change.interface) else { return }
            endRequests(about: range)
            endSubscriptions(in: range)
            changed(range, at: now)
            endIfUnused(at: now)
        case .linkEnds: break
        }
    }

    /// Properties of a characteristic have changed.
    private mutating func changed(
        _ place: AttributePath, _ properties: [String: BusValue], _ invalidated: [String],
        at now: MonotonicInstant
    ) {
        var properties = properties
        if let octets = properties.removeValue(forKey: "Value")?.octets,
            let value = AttributeTree.value(of: place.handle)
        {
            broadcast(octets, of: value)
        }
        // A value alone, which is most of what arrives, changes nothing else.
        guard !properties.isEmpty || !invalidated.isEmpty else { return }
        tree.change(place, properties, invalidated: invalidated)
        if properties["NotifyAcquired"] != nil, let value = AttributeTree.value(of: place.handle) {
            closing.remove(value)
        }
        noteMTU(in: properties)
        // Another program may have stopped using the link.
        endIfUnused(at: now)
    }

    /// Services have changed on a link with resolved services; before, they are only being discovered.
    private mutating func changed(_ range: AttributeHandleRange, at now: MonotonicInstant) {
        guard isLinked, object.hasResolvedServices else { return }
        let before = change ?? (range, now, now + Self.changeTime)
        change = (
            AttributeHandleRange(
                min(before.range.first, range.first), max(before.range.last, range.last)),
            min(now + Self.completionTime, before.latest), before.latest
        )
    }

    mutating func handleServicesTimeout(at now: MonotonicInstant) {
        if let change, change.at <= now {
            self.change = nil
            report(.servicesChanged(change.range))
            answerDiscoveries()
        }
        if let instant = resolveBy, instant <= now {
            // It is a link of BR/EDR, which has no attributes here, or bluetoothd's discovery hangs.
            resolveBy = nil
            if exchange(&isPairingWanted, with: false) { report(.failed(.timedOut)) }
            if !object.hasResolvedServices { endRequests(.gatt(.transactionTimedOut)) }
        }
    }
}

extension RemoteDatabase.Service {
    /// The service without its contents.
    fileprivate var bare: RemoteDatabase.Service {
        RemoteDatabase.Service(range: range, uuid: uuid, isPrimary: isPrimary)
    }
}
