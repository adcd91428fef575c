internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Follows one LE link: reassembles its PDUs and passes them to the follower of each protocol.
final class LinkFollower {
    /// The longest PDU of the fixed channels that is reassembled, in octets; hosts use an ATT_MTU of up to
    /// 517.
    private static let maximumPayload = 2048

    let number: Int
    /// When the link was established; `nil` if that was before the capture.
    private let began: CaptureTime?
    private(set) var key: PeerMemory.Key?
    private let adapter: UInt16
    private let shownAdapter: UInt16?
    private var pairing = PairingFollower()
    private var localServer: ServerFollower
    private var remoteServer: ServerFollower
    private var sent = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var received = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var hasToldCut = false
    private var mtu = 23

    /// Creates the follower of a link, with what is already known about the peer.
    init(
        number: Int, key: PeerMemory.Key?, isFromBefore: Bool, memory: PeerMemory.Memory?,
        adapter: UInt16, _ log: StoryLog
    ) {
        self.number = number
        self.key = key
        self.adapter = adapter
        shownAdapter = log.place.adapter
        began = isFromBefore ? nil : log.now
        localServer = ServerFollower(side: .local, memory)
        remoteServer = ServerFollower(side: .remote, memory)
    }

    /// The data of a packet of the link.
    func receive(
        _ data: Span<UInt8>, _ boundary: ACLPacket.Boundary, from side: Happening.Side,
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
    func encryptionChanged(_ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog) {
        let before = enter(&log)
        defer { log.place = before }
        pairing.encryptionChanged(status, isEnabled: isEnabled, &log)
    }

    /// Records an event of this link.
    func report(_ event: Happening.Event, _ log: inout StoryLog) {
        let before = enter(&log)
        defer { log.place = before }
        log.report(event)
    }

    /// The link was disconnected: records the reason, if known, and how long it lasted.
    func disconnected(_ reason: HCIStatus?, _ log: inout StoryLog) {
        report(.disconnected(reason, duration: began.map { log.now - $0 }), &log)
    }

    /// The link or the capture ended.
    func end(_ ending: Happening.Ending, _ log: inout StoryLog, _ peers: inout PeerMemory) {
        let before = enter(&log)
        pairing.end(&log)
        localServer.end(ending, &log)
        remoteServer.end(ending, &log)
        log.place = before
        guard let key else { return }
        let maps = [Happening.Side.local: localServer.map, .remote: remoteServer.map]
        let handles = [Happening.Side.local: localServer.handles, .remote: remoteServer.handles]
        peers.remember(
            PeerMemory.Memory(
                connection: number, maps: maps, handles: handles.compactMapValues(\.self)),
            of: key)
    }

    /// Attributes further events to this link; returns the place of the earlier ones.
    private func enter(_ log: inout StoryLog) -> Happening.Place {
        exchange(&log.place, with: Happening.Place(adapter: shownAdapter, connection: number))
    }

    private func follow(
        _ output: L2CAPReassembler.Output, _ side: Happening.Side, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) {
        switch output {
        case .pdu(let pdu): follow(pdu, side, &log, &peers)
        // The PDU began before the capture, or in a packet that was not recorded whole.
        case .dropped(.continuationWithoutStart): break
        case .dropped(.incomplete(let count)):
            log.report(.unreadable(channel: "L2CAP", octets: count))
        case .dropped(.excess(let channel, let count)), .dropped(.tooLong(let channel, let count)):
            guard Self.isFollowed(channel) else { break }
            log.report(.unreadable(channel: "L2CAP", octets: count))
        }
    }

    /// Whether this is one of the fixed channels of LE, the only ones that are followed.
    static func isFollowed(_ channel: L2CAPChannelID) -> Bool {
        channel == .attributeProtocol || channel == .securityManager || channel == .leSignalling
    }

    private func follow(
        _ pdu: L2CAPPDU, _ side: Happening.Side, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        switch pdu.channel {
        case .attributeProtocol: followAttributes(pdu.payload, side, &log)
        case .securityManager:
            guard let command = try? SecurityManagerPDU(decoding: pdu.payload.span) else {
                log.report(.unreadable(channel: "SMP", octets: pdu.payload.count))
                return
            }
            guard let identity = pairing.receive(command, from: side, &log) else { return }
            guard side == .remote else { return }
            key = PeerMemory.Key(adapter: adapter, address: identity.address)
            if let resolvingKey = identity.resolvingKey {
                peers.learn(identity.address, resolvingKey: resolvingKey)
            }
        default: break
        }
    }

    /// Clients send requests to the server on the other side; servers notify values of their own.
    private func followAttributes(
        _ pdu: [UInt8], _ side: Happening.Side, _ log: inout StoryLog
    ) {
        do throws(DecodingError) {
            if let request = try ATTClientPDU(decoding: pdu.span) {
                switch side {
                case .local: remoteServer.receive(request, &log)
                case .remote: localServer.receive(request, &log)
                }
            } else if let response = try ATTServerPDU(decoding: pdu.span) {
                switch side {
                case .local: localServer.receive(response, &log)
                case .remote: remoteServer.receive(response, &log)
                }
            }
        } catch {
            log.report(.unreadable(channel: "ATT", octets: pdu.count))
        }
        let agreed = max(mtu, localServer.mtu, remoteServer.mtu)
        if agreed != mtu { log.report(.mtu(agreed)) }
        mtu = agreed
    }
}
