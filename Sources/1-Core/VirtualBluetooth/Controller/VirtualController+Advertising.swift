internal import BluetoothLE

// Advertising: the legacy commands, and the PDUs of both families.
extension VirtualController {
    /// The limit of high duty cycle directed advertising. Core Vol 6, Part B, 4.4.2.4.3.
    private static var highDutyLimit: Duration { .milliseconds(1280) }

    func runAdvertising(_ packet: HCICommandPacket, at now: MonotonicInstant) -> Bool {
        switch packet.opcode {
        case .leSetRandomAddress: perform(packet, setRandomAddress)
        case .leSetAdvertisingParameters: perform(packet, setAdvertisingParameters)
        case .leReadAdvertisingTransmitPower:
            complete(packet) { (_: HCI.LEReadAdvertisingTransmitPower) throws(HCIStatus) in
                try use(.legacy)
                return .init(status: .success, transmitPower: Self.transmitPower)
            }
        case .leSetAdvertisingData:
            perform(packet) { (command: HCI.LESetAdvertisingData) throws(HCIStatus) in
                try use(.legacy)
                advertisingSets[legacySet].data = command.data
            }
        case .leSetScanResponseData:
            perform(packet) { (command: HCI.LESetScanResponseData) throws(HCIStatus) in
                try use(.legacy)
                advertisingSets[legacySet].scanResponse = command.data
            }
        case .leSetAdvertisingEnable:
            perform(packet) { (command: HCI.LESetAdvertisingEnable) throws(HCIStatus) in
                try use(.legacy)
                guard command.isEnabled else {
                    advertisingSets[legacySet].isEnabled = false
                    return
                }
                try startAdvertising(legacySet, at: now)
            }
        default: return false
        }
        return true
    }

    func setIndex(_ id: AdvertisingSet.ID) -> Int? { advertisingSets.firstIndex { $0.id == id } }

    private var legacySet: Int {
        if let index = setIndex(.legacy) { return index }
        advertisingSets.append(AdvertisingSet(id: .legacy))
        return advertisingSets.count - 1
    }

    /// Core Vol 4, Part E, 7.8.4.
    private func setRandomAddress(_ command: HCI.LESetRandomAddress) throws(HCIStatus) {
        let isAdvertising = setIndex(.legacy).map { advertisingSets[$0].isEnabled } ?? false
        guard !isAdvertising, !isListening else { throw .commandDisallowed }
        randomAddress = command.address
    }

    private func setAdvertisingParameters(
        _ command: HCI.LESetAdvertisingParameters
    ) throws(HCIStatus) {
        try use(.legacy)
        guard !advertisingSets[legacySet].isEnabled else { throw .commandDisallowed }
        let isHighDuty = command.type == .directedHighDuty
        let range = AdvertisingInterval.minimum...AdvertisingInterval.maximum
        guard let properties = Self.properties(of: command.type), command.filterPolicy <= 3,
            command.ownAddressType.rawValue <= 3, !command.channels.isEmpty,
            AdvertisingChannels.all.isSuperset(of: command.channels),
            isHighDuty
                || range.contains(command.intervalMinimum)
                    && range.contains(command.intervalMaximum)
                    && command.intervalMinimum <= command.intervalMaximum
        else { throw .invalidCommandParameters }
        var set = advertisingSets[legacySet]
        set.properties = properties
        set.interval = command.intervalMinimum
        set.ownAddressType = command.ownAddressType
        set.peerAddress = command.peerAddress
        set.filterPolicy = command.filterPolicy
        advertisingSets[legacySet] = set
    }

    private static func properties(of type: AdvertisingType) -> AdvertisingEventProperties? {
        switch type {
        case .connectable: .legacyConnectable
        case .directedHighDuty: [.connectable, .directed, .highDuty, .legacy]
        case .scannable: .legacyScannable
        case .nonConnectable: .legacy
        case .directed: [.connectable, .directed, .legacy]
        default: nil
        }
    }

    // MARK: On air

    /// Starts a set; for one that is already advertising, its limits start again.
    func startAdvertising(
        _ index: Int, duration: Duration? = nil, maximumEvents: UInt8 = 0, at now: MonotonicInstant
    ) throws(HCIStatus) {
        var set = advertisingSets[index]
        guard !set.isConnectable || links.count < abilities.maximumConnections else {
            throw .connectionLimitExceeded
        }
        guard address(of: set) != nil else { throw .invalidCommandParameters }
        let limit = set.properties.contains(.highDuty) ? Self.highDutyLimit : nil
        set.deadline = (duration ?? limit).map { now + $0 }
        set.maximumEvents = maximumEvents
        set.events = 0
        if !set.isEnabled {
            set.isEnabled = true
            set.generation &+= 1
            outputs.append(.advertisingStarted(set.id))
        }
        advertisingSets[index] = set
    }

    /// The own address of a set; `nil` if the host has not set one.
    func address(of set: AdvertisingSet) -> DeviceAddress? {
        ownAddress(
            set.ownAddressType, random: set.isLegacyCommand ? randomAddress : set.randomAddress,
            towards: set.peerAddress)
    }

    /// The current advertising event of a set; `nil` if it is not advertising.
    func advertisingEvent(
        _ id: AdvertisingSet.ID, generation: UInt32, at now: MonotonicInstant
    ) -> AdvertisingEvent? {
        endAdvertising(dueAt: now)
        guard let index = setIndex(id), advertisingSets[index].isEnabled,
            advertisingSets[index].generation == generation,
            let address = address(of: advertisingSets[index])
        else { return nil }
        advertisingSets[index].events += 1
        let set = advertisingSets[index]
        // Scannable extended advertising has its data in the scan response.
        let carriesData = set.hasLegacyPDUs || !set.isScannable
        var pdu = AdvertisingPDU(
            advertiser: set.properties.contains(.anonymous) ? nil : address,
            target: set.isDirected ? target(of: set) : nil, properties: set.properties,
            data: carriesData && !(set.isDirected && set.hasLegacyPDUs) ? set.data : [])
        describe(&pdu, set)
        return AdvertisingEvent(pdu: pdu, period: set.period, isCounted: set.maximumEvents > 0)
    }

    private func describe(_ pdu: inout AdvertisingPDU, _ set: AdvertisingSet) {
        pdu.primaryPHY = set.primaryPHY
        guard !set.hasLegacyPDUs else { return }
        pdu.secondaryPHY = set.secondaryPHY
        pdu.sid = set.sid
        if set.properties.contains(.includesTransmitPower) {
            pdu.transmitPower = Self.transmitPower
        }
    }

    /// A peer with private addresses is addressed by the last one.
    private func target(of set: AdvertisingSet) -> DeviceAddress {
        guard set.ownAddressType.rawValue & 2 != 0,
            let index = resolvingList.index(of: set.peerAddress)
        else { return set.peerAddress }
        return resolvingList.entries[index].peerAddress ?? set.peerAddress
    }

    /// Handles the end of an advertising event, after which the limit of events may be reached.
    func advertisingEventEnded(_ id: AdvertisingSet.ID, at now: MonotonicInstant) {
        guard let index = setIndex(id), advertisingSets[index].isEnabled else { return }
        let set = advertisingSets[index]
        if set.maximumEvents > 0, set.events >= Int(set.maximumEvents) {
            terminate(index, .limitReached)
        }
    }

    /// Stops the sets whose time limit has passed.
    func endAdvertising(dueAt now: MonotonicInstant) {
        for index in advertisingSets.indices where advertisingSets[index].isEnabled {
            guard let deadline = advertisingSets[index].deadline, deadline <= now else { continue }
            terminate(index, .advertisingTimeout)
        }
    }

    private func terminate(_ index: Int, _ status: HCIStatus) {
        advertisingSets[index].isEnabled = false
        let set = advertisingSets[index]
        guard set.isLegacyCommand else {
            return emit(
                HCI.LEAdvertisingSetTerminated.layout(
                    status, set.id.rawValue, ConnectionHandle(rawValue: 0), set.completedEvents))
        }
        reportNoConnection(status, as: .peripheral, peer: set.peerAddress)
    }

    // MARK: Requests to an advertiser

    /// The scan response for a scanner; `nil` if there is none.
    func scanRequested(of id: AdvertisingSet.ID, by scanner: DeviceAddress) -> AdvertisingPDU? {
        guard let index = setIndex(id), advertisingSets[index].isEnabled,
            advertisingSets[index].isScannable, let address = address(of: advertisingSets[index])
        else { return nil }
        let set = advertisingSets[index]
        let identity = resolvedIdentity(of: scanner) ?? scanner
        guard set.filterPolicy & 1 == 0 || filterAcceptList.contains(identity) else { return nil }
        if set.notifiesScanRequests {
            emit(HCI.LEScanRequestReceived(set: set.id.rawValue, scanner: identity))
        }
        var pdu = AdvertisingPDU(
            advertiser: address, target: nil, properties: set.properties, data: set.scanResponse)
        describe(&pdu, set)
        pdu.isScanResponse = true
        return pdu
    }

    /// Becomes the Peripheral of an initiator; `nil` if it is refused.
    func connectRequested(
        of id: AdvertisingSet.ID, _ request: ConnectRequest
    ) -> ConnectionHandle? {
        guard let index = setIndex(id), advertisingSets[index].isEnabled,
            advertisingSets[index].isConnectable, links.count < abilities.maximumConnections,
            let address = address(of: advertisingSets[index])
        else { return nil }
        let set = advertisingSets[index]
        let identity = resolvedIdentity(of: request.initiator) ?? request.initiator
        guard set.filterPolicy & 2 == 0 || filterAcceptList.contains(identity),
            !set.isDirected || identity == set.peerAddress, !ignores(request.initiator)
        else { return nil }
        advertisingSets[index].isEnabled = false
        return connected(
            as: .peripheral, ownAddress: address, peerAddress: request.initiator,
            timing: request.timing, set: set)
    }
}
