internal import BluetoothLE
internal import HCITransports

/// Follows the Host Controller Interface of one controller and keeps track of its links.
struct AdapterFollower {
    /// The largest number of links, more than controllers have. Beyond it, the oldest is no longer followed.
    private static let maximumLinks = 32

    /// The controller's number in the capture.
    package let index: UInt16
    private(set) var links: [ConnectionHandle: LinkFollower] = [:]
    /// What is known about peers of BR/EDR.
    package var basicRate = BasicRatePeers()
    /// Handles of links that ended in the capture and were not reused. Data that was already on its way when
    /// the link ended may still follow. A handle has 12 bits, which bounds the set.
    private var endedLinks: Set<ConnectionHandle> = []
    private var advertising = AdvertisingFollower()
    /// The peer that the host asked to connect to.
    private var wantedPeer: DeviceAddress?

    package init(index: UInt16) { self.index = index }

    /// Some records are missing, so links may have changed unseen.
    mutating func lostRecords() { endedLinks = [] }

    /// Follows a packet. Returns `false` if it is malformed.
    package mutating func receive(
        _ packet: HCIPacket, _ direction: CaptureReader.Direction, missing: Int,
        _ log: inout StoryLog, _ peers: inout PeerMemory
    ) -> Bool {
        do throws(DecodingError) {
            switch packet {
            case .command(let body):
                guard missing == 0 else { break }
                try follow(HCICommandPacket(decoding: body.span), &log, &peers)
            case .event(let body):
                guard missing == 0 else { break }
                try follow(HCIEvent(decoding: body.span), &log, &peers)
            case .acl(let body):
                try follow(data: body, direction == .sent ? .local : .remote, missing, &log, &peers)
            }
            return true
        } catch { return false }
    }

    /// The capture ended or the adapter disappeared, which ends all of its links.
    package mutating func end(
        _ ending: CaptureEvent.Ending, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        for link in links.values.sorted(byNumber: { UInt64($0.number) }) {
            finish(link, ending, &log, &peers)
        }
        endedLinks.formUnion(links.keys)
        links = [:]
    }

    /// A link, the adapter or the capture ended.
    private mutating func finish(
        _ link: LinkFollower, _ ending: CaptureEvent.Ending, reason: HCIStatus? = nil,
        _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        link.end(ending, &log, &peers)
        if ending != .capture { link.disconnected(reason, &log) }
        if link.isNamelessPhone { basicRate.hasNamelessPhone = true }
        advise(about: link, &log, &peers)
    }

    // MARK: Commands

    private mutating func follow(
        _ packet: HCICommandPacket, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) throws(DecodingError) {
        let parameters = packet.parameters.span
        for begun in try advertising.receive(packet) { log.report(.advertising(begun)) }
        switch packet.opcode {
        case .reset:
            guard !links.isEmpty else { break }
            log.report(.controllerReset)
            end(.link, &log, &peers)
        case .disconnect:
            let command = try HCI.Disconnect(decoding: parameters)
            links[command.handle]?.report(.disconnecting, &log)
        case .leCreateConnection:
            let command = try HCI.LECreateConnection(decoding: parameters)
            wantedPeer = command.filterPolicy == 0 ? command.peerAddress : nil
        case .leExtendedCreateConnection:
            let command = try HCI.LEExtendedCreateConnection(decoding: parameters)
            wantedPeer = command.filterPolicy == 0 ? command.peerAddress : nil
        case .leConnectionUpdate:
            let command = try HCI.LEConnectionUpdate(decoding: parameters)
            links[command.handle]?.changeRequested(command.parameters, &log)
        case .leRemoteConnectionParameterRequestReply:
            let command = try HCI.LERemoteConnectionParameterRequestReply(decoding: parameters)
            links[command.handle]?.report(.parametersAnswered(isAccepted: true), &log)
        case .leRemoteConnectionParameterRequestNegativeReply:
            let command = try HCI.LERemoteConnectionParameterRequestNegativeReply(
                decoding: parameters)
            links[command.handle]?.report(.parametersAnswered(isAccepted: false), &log)
        case .leLongTermKeyRequestNegativeReply:
            let command = try HCI.LELongTermKeyRequestNegativeReply(decoding: parameters)
            links[command.handle]?.report(.keyMissing, &log)
        case Self.addDeviceToResolvingList:
            var rest = parameters
            let kind = DeviceAddress.Kind(rawValue: try rest.takeUInt8())
            let address = DeviceAddress(try rest.takeUInt48(), kind: kind ?? .random)
            peers.learn(address, resolvingKey: try rest.takeUInt128())
        default: try followBasicRate(packet, &log, &peers)
        }
    }

    /// `HCI_LE_Add_Device_To_Resolving_List`: identity address type and address, the peer's key, the local
    /// key. Core Vol 4, Part E, 7.8.38.
    private static let addDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)

    // MARK: Events

    private mutating func follow(
        _ event: HCIEvent, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) throws(DecodingError) {
        switch event {
        case .leConnectionComplete(let event):
            connected(
                event.status, event.handle, event.role, event.peerAddress, identity: nil,
                .init(
                    interval: event.interval, latency: event.latency,
                    supervisionTimeout: event.supervisionTimeout), &log, &peers)
        case .leEnhancedConnectionComplete(let event): connected(event, &log, &peers)
        case .disconnectionComplete(let event):
            disconnected(event.handle, event.status, event.reason, &log, &peers)
        case .encryptionChange(let event):
            links[event.handle]?.encryptionChanged(event.status, isEnabled: event.isEnabled, &log)
        case .encryptionChangeV2(let event):
            links[event.handle]?.encryptionChanged(event.status, isEnabled: event.isEnabled, &log)
        case .encryptionKeyRefreshComplete(let event):
            links[event.handle]?.encryptionChanged(event.status, isEnabled: true, &log)
        case .leConnectionUpdateComplete(let event):
            links[event.handle]?.report(
                event.status == .success
                    ? .parametersChanged(
                        .init(
                            interval: event.interval, latency: event.latency,
                            supervisionTimeout: event.supervisionTimeout))
                    : .parametersRefused(event.status), &log)
        case .leRemoteConnectionParameterRequest(let event):
            links[event.handle]?.report(.parametersWanted(by: .remote, event.parameters), &log)
        case .hardwareError(let event): log.report(.hardwareError(code: event.hardwareCode))
        case .unknown(let code, let parameters):
            try followBasicRate(code, parameters.span, &log, &peers)
        case .commandComplete, .commandStatus, .readRemoteVersionInformationComplete,
            .numberOfCompletedPackets, .dataBufferOverflow, .leAdvertisingReport,
            .leExtendedAdvertisingReport, .leReadRemoteFeaturesComplete, .leLongTermKeyRequest,
            .leDataLengthChange, .lePHYUpdateComplete,
            .leAdvertisingSetTerminated, .leChannelSelectionAlgorithm:
            break
        }
    }

    /// A link was established. Bit 1 of the address type says that the controller resolved a private address.
    private mutating func connected(
        _ event: HCI.LEEnhancedConnectionComplete, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        let kind: DeviceAddress.Kind = event.peerAddressType & 1 == 0 ? .public : .random
        let named = DeviceAddress(event.peerAddressValue, kind: kind)
        let isResolved = event.peerAddressType & 2 != 0
        let onAir =
            isResolved && event.peerResolvablePrivateAddress != 0
            ? DeviceAddress(event.peerResolvablePrivateAddress, kind: .random) : named
        connected(
            event.status, event.handle, event.role, onAir, identity: isResolved ? named : nil,
            .init(
                interval: event.interval, latency: event.latency,
                supervisionTimeout: event.supervisionTimeout), &log, &peers)
    }

    private mutating func connected(
        _ status: HCIStatus, _ handle: ConnectionHandle, _ role: LinkRole,
        _ address: DeviceAddress, identity: DeviceAddress?,
        _ parameters: CaptureEvent.LinkParameters, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        guard status == .success else {
            log.report(.connectingFailed(wantedPeer, status))
            return
        }
        let identity = identity ?? peers.identity(of: address)
        let key = PeerMemory.Key(adapter: index, address: identity ?? address)
        let facts = CaptureEvent.ConnectionFacts(
            address: address, identity: identity == address ? nil : identity, role: role,
            parameters: parameters, earlier: peers.latestConnection(with: key))
        let link = add(handle, key, .lowEnergy, isFromBefore: false, &log, &peers)
        link.role = role
        link.report(.connected(facts), &log)
    }

    /// Follows a link from now on.
    package mutating func add(
        _ handle: ConnectionHandle, _ key: PeerMemory.Key?, _ transport: CaptureEvent.Transport?,
        isFromBefore: Bool, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) -> LinkFollower {
        // The handle is reused: the end of the earlier link is not in the capture.
        let oldest = links.min { $0.value.number < $1.value.number }?.key
        let gone = links.count == Self.maximumLinks && links[handle] == nil ? oldest : handle
        let memory = key.flatMap { peers[$0] }
        if let gone, let link = links.removeValue(forKey: gone) {
            finish(link, gone == handle ? .link : .crowded, &log, &peers)
        }
        let link = LinkFollower(
            number: log.nextConnection(), key: key, transport, isFromBefore: isFromBefore,
            memory: memory, adapter: index, log)
        endedLinks.remove(handle)
        links[handle] = link
        return link
    }

    private mutating func disconnected(
        _ handle: ConnectionHandle, _ status: HCIStatus, _ reason: HCIStatus,
        _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        guard status == .success else { return }
        let link = links.removeValue(forKey: handle)
        endedLinks.insert(handle)
        if let link { finish(link, .link, reason: reason, &log, &peers) }
    }

    // MARK: Data

    private mutating func follow(
        data body: [UInt8], _ side: CaptureEvent.Side, _ missing: Int, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) throws(DecodingError) {
        guard missing == 0 else {
            guard body.count >= 2 else { return }
            let handle = ConnectionHandle(rawValue: UInt16(body[0]) | UInt16(body[1]) << 8)
            links[handle]?.receiveCut(missing: missing, &log)
            return
        }
        var data = body.span
        let header = try ACLPacket.Header(taking: &data)
        guard !endedLinks.contains(header.handle) else { return }
        let link = links[header.handle] ?? discover(header, data, &log, &peers)
        link?.receive(data, header.boundary, from: side, &log, &peers)
    }

    /// Recognizes a link that was established before the capture, by the beginning of a PDU: fixed channels
    /// tell which kind of link it is, and the others may be of either.
    private mutating func discover(
        _ header: ACLPacket.Header, _ data: Span<UInt8>, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) -> LinkFollower? {
        guard header.boundary != .continuing, data.count >= 4 else { return nil }
        let channel = L2CAPChannelID(rawValue: UInt16(data[2]) | UInt16(data[3]) << 8)
        let transport = LinkFollower.transport(of: channel)
        guard transport != nil || channel.rawValue >= BasicRateFollower.firstDynamic.rawValue else {
            return nil
        }
        let link = add(header.handle, nil, transport, isFromBefore: true, &log, &peers)
        link.report(.connected(CaptureEvent.ConnectionFacts(transport: transport)), &log)
        return link
    }
}
