internal import ANCSCapture
internal import BluetoothLE

/// Redacts what flows over one link: the packets of ACL data are put together to PDUs before anything of them is judged,
/// and what is incomplete stays zero.
struct LinkRedaction {
    /// A PDU of L2CAP that is being put together.
    private struct Part {
        var octets: [UInt8] = []
        var spots = Spots()
    }

    private var parts: [CaptureEvent.Side: Part] = [:]
    /// By the side of the server.
    private var servers: [CaptureEvent.Side: ServerRedaction] = [:]
    private var enhanced = EnhancedBearers()
    /// The ATT_MTU of each bearer, if it is not the smallest, and those that clients have proposed.
    private var (mtus, proposals): ([Int: Int], [Int: Int]) = ([:], [:])

    /// A packet of ACL data without its header of four octets; `spots` are where its octets stand.
    mutating func receive(
        _ data: [UInt8], _ spots: Spots, boundary: ACLPacket.Boundary, from side: CaptureEvent.Side,
        in link: LinkKnowledge, _ redaction: inout Redaction
    ) {
        if boundary != .continuing { drop(side, &redaction) }
        guard boundary != .continuing || parts[side] != nil else { return }
        redaction.held.hold(spots)
        parts[side, default: Part()].octets += data
        parts[side, default: Part()].spots += spots
        guard let part = parts[side], part.octets.count >= 4 else { return }
        let count = Int(part.octets[0]) | Int(part.octets[1]) << 8
        guard part.octets.count >= 4 + count else { return }
        if part.octets.count == 4 + count {
            redaction.held.set(part.octets.prefix(4), at: part.spots)
            let channel = L2CAPChannelID(
                rawValue: UInt16(part.octets[2]) | UInt16(part.octets[3]) << 8)
            follow(
                Array(part.octets.dropFirst(4)), part.spots[4...], channel, side, link, &redaction)
        }
        drop(side, &redaction)
    }

    /// The link ended: what is incomplete waits no longer.
    mutating func end(_ redaction: inout Redaction) {
        drop(.local, &redaction)
        drop(.remote, &redaction)
        enhanced.end(&redaction)
        for side in [CaptureEvent.Side.local, .remote] { servers[side]?.end(&redaction) }
    }

    private mutating func drop(_ side: CaptureEvent.Side, _ redaction: inout Redaction) {
        guard let part = parts.removeValue(forKey: side) else { return }
        redaction.held.release(part.spots)
    }

    private mutating func follow(
        _ pdu: [UInt8], _ spots: Spots, _ channel: L2CAPChannelID, _ side: CaptureEvent.Side,
        _ link: LinkKnowledge, _ redaction: inout Redaction
    ) {
        switch channel {
        case .attributeProtocol: attributes(pdu, spots, on: 0, side, link, &redaction)
        // Over BR/EDR too: Core Vol 3, Part A, 2.1.
        case .securityManager, L2CAPChannelID(rawValue: 7):
            redaction.held.set(Self.security(pdu, &redaction), at: spots)
        case .leSignalling:
            redaction.held.set(Self.signalling(pdu), at: spots)
            enhanced.signalled(pdu, from: side, &redaction)
        // Of other channels nothing is known to be harmless.
        default:
            let unit = enhanced.receive(pdu, spots, on: channel.rawValue, from: side, &redaction)
            guard let unit else { break }
            attributes(unit.octets, unit.spots, on: unit.bearer, side, link, &redaction)
            redaction.held.release(unit.spots)
        }
    }

    /// A PDU of ATT. Clients send even opcodes, servers odd ones: Core Vol 3, Part F, 3.4.8.
    private mutating func attributes(
        _ pdu: [UInt8], _ spots: Spots, on bearer: Int, _ side: CaptureEvent.Side,
        _ link: LinkKnowledge, _ redaction: inout Redaction
    ) {
        guard let opcode = pdu.first else { return }
        if opcode == 0x02 || opcode == 0x03, pdu.count >= 3 {
            let size = Int(pdu[1]) | Int(pdu[2]) << 8
            if opcode == 0x02 {
                proposals[bearer] = size
            } else {
                mtus[bearer] = min(size, proposals[bearer] ?? size)
            }
        }
        let server = (opcode & 1 == 1) == (side == .local) ? CaptureEvent.Side.local : .remote
        // The smallest: Core Vol 3, Part G, 5.2.1 and 5.3.1.
        let mtu = max(mtus[bearer] ?? 0, bearer == 0 ? 23 : 64)
        servers[server, default: ServerRedaction()].receive(
            pdu, spots, on: bearer, ServerKnowledge(link: link, side: server, mtu: mtu), &redaction)
    }

    /// Pairing: what the devices can do and who they are, none of what keys are made of. Core Vol 3, Part H, 3.
    private static func security(_ pdu: [UInt8], _ redaction: inout Redaction) -> [UInt8] {
        let rest = pdu.dropFirst()
        switch pdu.first {
        // Pairing Request and Response; Pairing Failed, Security Request, Keypress Notification
        case 0x01 where rest.count == 6, 0x02 where rest.count == 6, 0x05 where rest.count == 1,
            0x0B where rest.count == 1, 0x0E where rest.count == 1:
            return pdu
        case 0x08 where rest.count == 16: return [0x08] + redaction.resolvingKey(rest)
        case 0x09 where rest.count == 7:
            return [0x09, pdu[1]] + redaction.address(rest.dropFirst(), isRandom: pdu[1] & 1 == 1)
        case let code?: return [code] + [UInt8](repeating: 0, count: rest.count)
        case nil: return []
        }
    }

    /// The commands of signalling on LE, which have numbers alone, and at most so many octets after their length. Core
    /// Vol 3, Part A, 4.
    private static let commands: [UInt8: Int] = [
        0x01: 6, 0x06: 4, 0x07: 4, 0x12: 8, 0x13: 2, 0x14: 10, 0x15: 10, 0x16: 4, 0x17: 18,
        0x18: 18, 0x19: 14, 0x1A: 2,
    ]

    private static func signalling(_ pdu: [UInt8]) -> [UInt8] {
        let kept = pdu.prefix(4 + (pdu.first.flatMap { commands[$0] } ?? 0))
        return kept + [UInt8](repeating: 0, count: pdu.count - kept.count)
    }
}

/// What is known about a link while its packets are redacted.
struct LinkKnowledge {
    /// What the analysis has found out so far; `nil` if it does not follow the link.
    var link: CapturedLink?
    /// Where ANCS turns out to be later.
    var handles: [CaptureEvent.Side: ANCSHandles]
}

/// What is known about the server of one side.
struct ServerKnowledge {
    var link: LinkKnowledge
    var side: CaptureEvent.Side
    /// The ATT_MTU.
    var mtu: Int

    private var handles: ANCSHandles? { link.link?.handles(on: side) ?? link.handles[side] }

    func characteristic(at handle: AttributeHandle) -> ANCSCharacteristic? {
        handles?.characteristic(valueAt: handle)
            ?? link.handles[side]?.characteristic(valueAt: handle)
    }

    func isConfiguration(_ handle: AttributeHandle) -> Bool {
        handles?.characteristic(configuredAt: handle) != nil
            || link.link?.isConfiguration(handle, on: side) ?? false
    }

    func isMedia(_ uuid: UInt128, at handle: AttributeHandle) -> Bool {
        self.uuid(valueAt: handle)?.rawValue == uuid
    }

    func uuid(valueAt handle: AttributeHandle) -> BluetoothUUID? {
        link.link?.uuid(valueAt: handle, on: side)
    }
}
