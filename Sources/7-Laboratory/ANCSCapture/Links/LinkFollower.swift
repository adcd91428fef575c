internal import BluetoothLE
internal import LinuxIO

/// Follows one link: reassembles its PDUs and passes them to the follower of each protocol.
final class LinkFollower {
    /// The longest PDU that is reassembled, in octets; hosts use an ATT_MTU of up to 517. Longer ones of audio
    /// or files are only counted.
    private static let maximumPayload = 2048

    package let number: Int
    /// When the link was established; `nil` if that was before the capture.
    private let began: CaptureTime?
    private(set) var key: PeerMemory.Key?
    /// `nil` until the traffic of a link from before the capture tells it.
    private(set) var transport: CaptureEvent.Transport?
    /// The role of the local side; `nil` if the link was established before the capture.
    var role: LinkRole?
    private let adapter: UInt16
    private let shownAdapter: UInt16?
    private var pairing = PairingFollower()
    private var basicRate = BasicRateFollower()
    private var attributes: AttributesFollower
    private var sent = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var received = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var hasToldCut = false

    /// Creates the follower of a link, with what is already known about the peer.
    package init(
        number: Int, key: PeerMemory.Key?, _ transport: CaptureEvent.Transport?, isFromBefore: Bool,
        memory: PeerMemory.Memory?, adapter: UInt16, _ log: StoryLog
    ) {
        (self.transport, self.number, self.key, self.adapter) = (transport, number, key, adapter)
        shownAdapter = log.place.adapter
        began = isFromBefore ? nil : log.now
        attributes = AttributesFollower(memory)
    }

    /// The data of a packet of the link.
    package func receive(
        _ data: Span<UInt8>, _ boundary: ACLPacket.Boundary, from side: CaptureEvent.Side,
        _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        let before = enter(&log)
        defer { log.place = before }
        switch side {
        case .local:
            sent.receive(data, boundary: boundary)
            while let output = sent.pollOutput() { follow(output, side, &log, &peers) }
        case .remote:
            received.receive(data, boundary: boundary)
            while let output = received.pollOutput() { follow(output, side, &log, &peers) }
        }
    }

    /// A packet of the link that was not recorded to its end.
    func receiveCut(missing: Int, _ log: inout StoryLog) {
        guard !hasToldCut else { return }
        hasToldCut = true
        report(.cut(missing: missing), &log)
    }

    /// Encryption was switched on or off.
    package func encryptionChanged(_ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog) {
        let before = enter(&log)
        defer { log.place = before }
        if transport == .basicRate {
            basicRate.pairing.encryptionChanged(status, isEnabled: isEnabled, &log)
        } else {
            pairing.encryptionChanged(status, isEnabled: isEnabled, &log)
        }
    }

    /// The attributes of a side, and where ANCS is, as far as they are known.
    func map(of side: CaptureEvent.Side) -> GATTMap { attributes.map(of: side) }
    func handles(of side: CaptureEvent.Side) -> ANCSHandles? { attributes.handles(of: side) }

    /// Records an event of this link.
    package func report(_ event: CaptureEvent.Event, _ log: inout StoryLog) {
        let before = enter(&log)
        defer { log.place = before }
        log.report(event)
    }

    /// The link was disconnected: records the reason, if known, and how long it lasted.
    package func disconnected(_ reason: HCIStatus?, _ log: inout StoryLog) {
        report(.disconnected(reason, duration: began.map { log.now - $0 }), &log)
    }

    /// The link or the capture ended.
    package func end(
        _ ending: CaptureEvent.Ending, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        let before = enter(&log)
        pairing.end(&log)
        attributes.end(ending, &log)
        basicRate.end(&log)
        log.place = before
        guard let key else { return }
        peers.remember(
            PeerMemory.Memory(
                connection: number, maps: attributes.maps, handles: attributes.handles), of: key)
    }

    /// Attributes further events to this link; returns the place of the earlier ones.
    private func enter(_ log: inout StoryLog) -> CaptureEvent.Place {
        exchange(&log.place, with: CaptureEvent.Place(adapter: shownAdapter, connection: number))
    }

    private func follow(
        _ output: L2CAPReassembler.Output, _ side: CaptureEvent.Side, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) {
        switch output {
        case .pdu(let pdu): follow(pdu, side, &log, &peers)
        // The PDU began before the capture, or in a packet that was not recorded whole.
        case .dropped(.continuationWithoutStart): break
        case .dropped(.incomplete(let count)):
            // On BR/EDR, audio that is too late is discarded.
            if transport == .lowEnergy {
                log.report(.unreadable(channel: "L2CAP", octets: count))
            } else {
                basicRate.count(nil, octets: count)
            }
        case .dropped(.excess(let channel, let count)), .dropped(.tooLong(let channel, let count)):
            if Self.transport(of: channel) == transport ?? .basicRate {
                log.report(.unreadable(channel: "L2CAP", octets: count))
            } else if transport != .lowEnergy {
                basicRate.count(channel, octets: count)
            }
        }
    }

    /// The kind of link that has this fixed channel, of those that are followed.
    package static func transport(of channel: L2CAPChannelID) -> CaptureEvent.Transport? {
        switch channel {
        case .attributeProtocol, .securityManager, .leSignalling: .lowEnergy
        case BasicRateFollower.signalling, BasicRateFollower.securityManager: .basicRate
        default: nil
        }
    }

    private func follow(
        _ pdu: L2CAPPDU, _ side: CaptureEvent.Side, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        if transport == nil, let transport = Self.transport(of: pdu.channel) {
            settle(transport, &log)
        }
        switch (transport, pdu.channel) {
        case (.lowEnergy, .attributeProtocol): attributes.receive(pdu.payload, side, &log)
        case (.lowEnergy, .securityManager), (.basicRate, BasicRateFollower.securityManager):
            followSecurity(pdu.payload, side, &log, &peers)
        case (.basicRate, let channel), (nil, let channel):
            basicRate.count(channel, octets: pdu.payload.count)
        case (.lowEnergy, .leSignalling): followSignalling(pdu.payload, side, &log)
        case (.lowEnergy, _): break
        }
    }

    /// A Peripheral requests connection parameters, or its Central answers. Core Vol 3, Part A, 4.20 and 4.21.
    private func followSignalling(
        _ payload: [UInt8], _ side: CaptureEvent.Side, _ log: inout StoryLog
    ) {
        switch LESignalling.parameterMessage(in: payload.span) {
        case .request(let wanted)?: log.report(.parametersWanted(by: side, wanted))
        case .response(let isAccepted)?: log.report(.parametersAnswered(isAccepted: isAccepted))
        case nil: break
        }
    }

    /// The local host has its controller change the parameters. A Peripheral thereby asks for that; a Central
    /// decides, and the result is all there is to say. Core Vol 4, Part E, 7.8.18.
    func changeRequested(_ wanted: ConnectionParameters, _ log: inout StoryLog) {
        if role == .peripheral { report(.parametersWanted(by: .local, wanted), &log) }
    }

    /// It turns out which kind of link this is that was established before the capture.
    private func settle(_ found: CaptureEvent.Transport, _ log: inout StoryLog) {
        guard transport == nil else { return }
        transport = found
        log.report(.transport(found))
    }

    private func followSecurity(
        _ payload: [UInt8], _ side: CaptureEvent.Side, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) {
        guard let command = try? SecurityManagerPDU(decoding: payload.span) else {
            log.report(.unreadable(channel: "SMP", octets: payload.count))
            return
        }
        let transport = transport ?? .lowEnergy
        guard let identity = pairing.receive(command, from: side, over: transport, &log),
            side == .remote
        else { return }
        // Over BR/EDR the peer's address is its identity already.
        if transport == .lowEnergy {
            key = PeerMemory.Key(adapter: adapter, address: identity.address)
        }
        if let resolvingKey = identity.resolvingKey {
            peers.learn(identity.address, resolvingKey: resolvingKey)
        }
    }
}

// MARK: BR/EDR

extension LinkFollower {
    /// What the controller says about pairing on this link.
    func followPairing(
        _ log: inout StoryLog, _ follow: (inout BasicRatePairing, inout StoryLog) -> Void
    ) {
        guard transport != .lowEnergy else { return }
        let before = enter(&log)
        defer { log.place = before }
        settle(.basicRate, &log)
        follow(&basicRate.pairing, &log)
    }

    /// What the peer says it is.
    func learn(_ deviceClass: DeviceClass?) {
        basicRate.deviceClass = deviceClass ?? basicRate.deviceClass
    }

    /// Whether this is an LE link with ANCS whose ends are known by private addresses alone, or by none.
    var isNamelessPhone: Bool {
        transport == .lowEnergy && !(key?.address.canBeIdentity ?? false)
            && !attributes.handles.isEmpty
    }

    /// The peer's address becomes known.
    func learn(_ known: PeerMemory.Key) { key = key ?? known }

    /// Says what to do if an iPhone came over BR/EDR alone.
    func advise(name: String?, ownName: String?, _ log: inout StoryLog, _ peers: inout PeerMemory) {
        guard transport == .basicRate, !pairing.hasDerivedKeys,
            let verdict = basicRate.verdict(name: name, key?.address, ownName: ownName),
            peers.isFirstAdvice(about: key)
        else { return }
        report(.basicRate(verdict), &log)
    }
}
