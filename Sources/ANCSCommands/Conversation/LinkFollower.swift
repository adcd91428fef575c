internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Follows one LE link: puts its PDUs together and gives them to those who understand them.
final class LinkFollower {
    /// The longest PDU of the fixed channels that is put together; hosts use ATT_MTU up to 517.
    private static let maximumPayload = 2048

    let number: Int
    /// `nil` where the connection was made before the capture began.
    private let began: CaptureTime?
    private(set) var key: PeerMemory.Key?
    private let adapter: UInt16
    private let shownAdapter: UInt16?
    private var pairing = PairingFollower()
    private var servers: [Happening.Side: ServerFollower]
    private var sent = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var received = L2CAPReassembler(configuration: .init(maximumPayload: maximumPayload))
    private var hasToldCut = false
    private var mtu = 23

    /// A link, with what is known of the peer from before.
    init(
        number: Int, key: PeerMemory.Key?, isFromBefore: Bool, memory: PeerMemory.Memory?,
        adapter: UInt16, _ log: StoryLog
    ) {
        self.number = number
        self.key = key
        self.adapter = adapter
        shownAdapter = log.place.adapter
        began = isFromBefore ? nil : log.now
        servers = [:]
        for side in [Happening.Side.local, .remote] {
            servers[side] = ServerFollower(
                side: side, map: memory?.maps[side] ?? GATTMap(), handles: memory?.handles[side],
                from: memory?.connection)
        }
    }

    /// A packet of the link.
    func receive(
        _ packet: ACLPacket, from side: Happening.Side, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) {
        enter(&log) { log in
            switch side {
            case .local:
                sent.receive(packet)
                while let output = sent.pollOutput() { follow(output, side, &log, &peers) }
            case .remote:
                received.receive(packet)
                while let output = received.pollOutput() { follow(output, side, &log, &peers) }
            }
        }
    }

    /// A packet of the link whose end was not recorded.
    func receiveCut(missing: Int, _ log: inout StoryLog) {
        guard !hasToldCut else { return }
        hasToldCut = true
        tell(.cut(missing: missing), &log)
    }

    /// Encryption was switched.
    func encryptionChanged(_ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog) {
        enter(&log) { log in pairing.encryptionChanged(status, isEnabled: isEnabled, &log) }
    }

    /// Tells something of this link.
    func tell(_ event: Happening.Event, _ log: inout StoryLog) {
        enter(&log) { log in log.tell(event) }
    }

    /// The link is gone: tells how, if that is known, and for how long it was there.
    func disconnected(_ reason: HCIStatus?, _ log: inout StoryLog) {
        tell(.disconnected(reason, duration: began.map { log.now - $0 }), &log)
    }

    /// The link or the capture ended.
    func end(_ ending: Happening.Ending, _ log: inout StoryLog, _ peers: inout PeerMemory) {
        enter(&log) { log in
            pairing.end(&log)
            for side in [Happening.Side.local, .remote] { servers[side]?.end(ending, &log) }
        }
        guard let key else { return }
        peers.remember(
            PeerMemory.Memory(
                connection: number, maps: servers.mapValues(\.map),
                handles: servers.compactMapValues(\.handles)),
            of: key)
    }

    private func enter(_ log: inout StoryLog, _ body: (inout StoryLog) -> Void) {
        let before = log.place
        log.place = Happening.Place(adapter: shownAdapter, connection: number)
        body(&log)
        log.place = before
    }

    private func follow(
        _ output: L2CAPReassembler.Output, _ side: Happening.Side, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) {
        switch output {
        case .pdu(let pdu): follow(pdu, side, &log, &peers)
        // The beginning is before the capture, or in a packet that was not recorded whole.
        case .dropped(.continuationWithoutStart): break
        case .dropped(.incomplete(let count)):
            log.tell(.unreadable(channel: "L2CAP", octets: count))
        case .dropped(.excess(let channel, let count)), .dropped(.tooLong(let channel, let count)):
            guard Self.isFollowed(channel) else { break }
            log.tell(.unreadable(channel: "L2CAP", octets: count))
        }
    }

    /// The channels that only LE links have; connection-oriented ones carry what is not followed.
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
                log.tell(.unreadable(channel: "SMP", octets: pdu.payload.count))
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

    /// Clients ask the server of the other side; servers tell of their own.
    private func followAttributes(
        _ pdu: [UInt8], _ side: Happening.Side, _ log: inout StoryLog
    ) {
        do throws(DecodingError) {
            if let request = try ATTClientPDU(decoding: pdu.span) {
                servers[side.other]?.receive(request, &log)
            } else if let response = try ATTServerPDU(decoding: pdu.span) {
                servers[side]?.receive(response, &log)
            }
        } catch {
            log.tell(.unreadable(channel: "ATT", octets: pdu.count))
        }
        let agreed = servers.values.reduce(mtu) { max($0, $1.mtu) }
        if agreed != mtu { log.tell(.mtu(agreed)) }
        mtu = agreed
    }
}
