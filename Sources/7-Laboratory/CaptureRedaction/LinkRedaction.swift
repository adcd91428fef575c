internal import ANCSCapture
internal import BluetoothLE

/// Redacts what flows over one link: the packets of ACL data are put together to PDUs before anything of them is judged,
/// and what is incomplete stays zero.
struct LinkRedaction {
    /// A PDU of L2CAP that is being put together.
    private struct Part {
        var octets: [UInt8] = []
        var spots: [Spot] = []
    }

    private var parts: [CaptureEvent.Side: Part] = [:]
    /// By the side of the server.
    private var servers: [CaptureEvent.Side: ServerRedaction] = [:]

    /// A packet of ACL data without its header of four octets; `spots` are where its octets stand.
    mutating func receive(
        _ data: [UInt8], _ spots: [Spot], boundary: ACLPacket.Boundary,
        from side: CaptureEvent.Side,
        in link: LinkKnowledge, _ redaction: inout Redaction, _ held: inout HeldRecords
    ) {
        if boundary != .continuing { drop(side, &held) }
        guard boundary != .continuing || parts[side] != nil else { return }
        held.hold(spots)
        parts[side, default: Part()].octets += data
        parts[side, default: Part()].spots += spots
        guard let part = parts[side], part.octets.count >= 4 else { return }
        let count = Int(part.octets[0]) | Int(part.octets[1]) << 8
        guard part.octets.count >= 4 + count else { return }
        if part.octets.count == 4 + count {
            held.set(Array(part.octets.prefix(4)), at: part.spots[..<4])
            let channel = L2CAPChannelID(
                rawValue: UInt16(part.octets[2]) | UInt16(part.octets[3]) << 8)
            follow(
                Array(part.octets.dropFirst(4)), Array(part.spots.dropFirst(4)), channel, side,
                link,
                &redaction, &held)
        }
        drop(side, &held)
    }

    /// The link ended: what is incomplete waits no longer.
    mutating func end(_ redaction: inout Redaction, _ held: inout HeldRecords) {
        drop(.local, &held)
        drop(.remote, &held)
        for side in [CaptureEvent.Side.local, .remote] { servers[side]?.end(&redaction, &held) }
    }

    private mutating func drop(_ side: CaptureEvent.Side, _ held: inout HeldRecords) {
        guard let part = parts.removeValue(forKey: side) else { return }
        held.release(part.spots)
    }

    private mutating func follow(
        _ pdu: [UInt8], _ spots: [Spot], _ channel: L2CAPChannelID, _ side: CaptureEvent.Side,
        _ link: LinkKnowledge, _ redaction: inout Redaction, _ held: inout HeldRecords
    ) {
        switch channel {
        case .attributeProtocol:
            // Clients send even opcodes, servers odd ones. Core Vol 3, Part F, 3.4.8.
            guard let opcode = pdu.first else { return }
            let isOfServer = opcode & 1 == 1
            let server = isOfServer == (side == .local) ? CaptureEvent.Side.local : .remote
            servers[server, default: ServerRedaction()].receive(
                pdu, spots, ServerKnowledge(link: link, side: server), &redaction, &held)
        // Over BR/EDR too: Core Vol 3, Part A, 2.1.
        case .securityManager, L2CAPChannelID(rawValue: 7):
            held.set(Self.security(pdu, &redaction), at: spots[...])
        case .leSignalling: held.set(Self.signalling(pdu), at: spots[...])
        // Of other channels nothing is known to be harmless.
        default: break
        }
    }

    /// Pairing: what the devices can do and who they are, none of what keys are made of. Core Vol 3, Part H, 3.
    private static func security(_ pdu: [UInt8], _ redaction: inout Redaction) -> [UInt8] {
        let rest = pdu.dropFirst()
        switch pdu.first {
        // Pairing Request and Response, Pairing Failed, Security Request, Keypress Notification
        case 0x01, 0x02, 0x05, 0x0B, 0x0E: return pdu
        case 0x08 where rest.count == 16: return [0x08] + redaction.resolvingKey(rest)
        case 0x09 where rest.count == 7:
            return [0x09, pdu[1]] + redaction.address(rest.dropFirst(), isRandom: pdu[1] & 1 == 1)
        case let code?: return [code] + [UInt8](repeating: 0, count: rest.count)
        case nil: return []
        }
    }

    /// Signalling on LE: its commands have numbers alone. Core Vol 3, Part A, 4.
    private static func signalling(_ pdu: [UInt8]) -> [UInt8] {
        let known: ClosedRange<UInt8> = 0x01...0x1A
        guard let code = pdu.first, known.contains(code), code != 0x08, code != 0x09,
            pdu.count <= 24
        else {
            return pdu.prefix(4) + [UInt8](repeating: 0, count: max(pdu.count - 4, 0))
        }
        return pdu
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
