internal import BluetoothLE

/// The state of initiating.
struct InitiatingState {
    /// The peer to connect to; `nil` for any on the filter accept list.
    var peer: DeviceAddress?
    var ownAddressType: OwnAddressType
    var timing: LinkTiming
    var rhythm: ListeningRhythm
    /// Whether the commands are extended: only extended initiators connect to extended advertisers.
    var isExtended: Bool
}

// Connecting, and the filter accept list. Core Vol 4, Part E, 7.8.12 to 7.8.17 and 7.8.66.
extension VirtualController {
    func runConnecting(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .leCreateConnection:
            begin(packet) { (command: HCI.LECreateConnection) throws(HCIStatus) in
                try use(.legacy)
                try initiate(
                    to: command.filterPolicy == 0 ? command.peerAddress : nil,
                    policy: command.filterPolicy, as: command.ownAddressType, command.parameters,
                    ListeningRhythm(interval: command.scanInterval, window: command.scanWindow))
            }
        case .leExtendedCreateConnection:
            begin(packet) { (command: HCI.LEExtendedCreateConnection) throws(HCIStatus) in
                try use(.extended)
                guard let entry = command.entries.first else { throw .invalidCommandParameters }
                try initiate(
                    to: command.filterPolicy == 0 ? command.peerAddress : nil,
                    policy: command.filterPolicy, as: command.ownAddressType, entry.parameters,
                    ListeningRhythm(interval: entry.scanInterval, window: entry.scanWindow))
            }
        case .leCreateConnectionCancel:
            perform(packet) { (_: HCI.LECreateConnectionCancel) throws(HCIStatus) in
                guard let initiator else { throw .commandDisallowed }
                stopInitiating()
                reportNoConnection(
                    .unknownConnectionIdentifier, as: .central,
                    peer: initiator.peer ?? DeviceAddress(0, kind: .public))
            }
        case .leReadFilterAcceptListSize, .leClearFilterAcceptList,
            .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList:
            runFilterAcceptList(packet)
        default: return false
        }
        return true
    }

    private func initiate(
        to peer: DeviceAddress?, policy: UInt8, as ownAddressType: OwnAddressType,
        _ parameters: ConnectionParameters, _ rhythm: ListeningRhythm
    ) throws(HCIStatus) {
        guard initiator == nil else { throw .commandDisallowed }
        guard policy <= 1, ownAddressType.rawValue <= 3, parameters.fault == nil,
            rhythm.isValid(upTo: commandFamily == .extended ? 0xFFFF : 0x4000),
            ownAddress(ownAddressType, random: randomAddress, towards: peer) != nil
        else { throw .invalidCommandParameters }
        guard links.count < abilities.maximumConnections else { throw .connectionLimitExceeded }
        if let peer, links.contains(where: { $0.peer == peer || $0.peerAddress == peer }) {
            throw .connectionAlreadyExists
        }
        let wasListening = isListening
        initiator = InitiatingState(
            peer: peer, ownAddressType: ownAddressType, timing: LinkTiming(parameters),
            rhythm: rhythm, isExtended: commandFamily == .extended)
        if !wasListening { outputs.append(.listeningChanged) }
    }

    private func stopInitiating() {
        initiator = nil
        if !isListening { outputs.append(.listeningChanged) }
    }

    /// The connect request for an advertising PDU; `nil` for none.
    func connect(to pdu: AdvertisingPDU, at now: MonotonicInstant) -> ConnectRequest? {
        guard let initiator, initiator.rhythm.listens(at: now), !pdu.isScanResponse,
            pdu.properties.contains(.connectable), let address = pdu.advertiser,
            initiator.isExtended || pdu.properties.contains(.legacy),
            pdu.target.map({ isOwn($0) }) ?? true
        else { return nil }
        let identity = resolvedIdentity(of: address)
        if identity == nil, ignores(address) { return nil }
        let known = identity ?? address
        guard
            initiator.peer.map({ $0 == known || $0 == address })
                ?? filterAcceptList.contains(known),
            !links.contains(where: { $0.peer == known }),
            let own = ownAddress(
                initiator.ownAddressType, random: randomAddress, towards: known)
        else { return nil }
        return ConnectRequest(initiator: own, timing: initiator.timing)
    }

    /// The request was sent: this side of the link exists.
    func connectRequestSent(_ request: ConnectRequest, to address: DeviceAddress)
        -> ConnectionHandle
    {
        stopInitiating()
        return connected(
            as: .central, ownAddress: request.initiator, peerAddress: address,
            timing: request.timing)
    }

    // MARK: Filter accept list

    private func runFilterAcceptList(_ packet: HCICommandPacket) {
        switch packet.opcode {
        case .leReadFilterAcceptListSize:
            complete(packet) { (_: HCI.LEReadFilterAcceptListSize) in
                .init(status: .success, size: UInt8(min(abilities.filterAcceptListSize, 255)))
            }
        case .leClearFilterAcceptList:
            perform(packet) { (_: HCI.LEClearFilterAcceptList) throws(HCIStatus) in
                try checkFilterIsFree()
                filterAcceptList = []
            }
        case .leAddDeviceToFilterAcceptList:
            perform(packet) { (command: HCI.LEAddDeviceToFilterAcceptList) throws(HCIStatus) in
                try checkFilterIsFree()
                guard !filterAcceptList.contains(command.address) else { return }
                guard filterAcceptList.count < abilities.filterAcceptListSize else {
                    throw .memoryCapacityExceeded
                }
                filterAcceptList.append(command.address)
            }
        default:
            perform(packet) {
                (command: HCI.LERemoveDeviceFromFilterAcceptList) throws(HCIStatus) in
                try checkFilterIsFree()
                filterAcceptList.removeAll { $0 == command.address }
            }
        }
    }

    /// The list must not change while it is in use. Core Vol 4, Part E, 7.8.15.
    private func checkFilterIsFree() throws(HCIStatus) {
        let isUsed =
            advertisingSets.contains { $0.isEnabled && $0.filterPolicy != 0 }
            || scanner.isEnabled && scanner.filterPolicy & 1 != 0
            || initiator.map { $0.peer == nil } ?? false
        guard !isUsed else { throw .commandDisallowed }
    }
}
