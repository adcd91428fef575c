internal import ANCSCapture

/// The channels of a link that carry ATT beside the fixed one (EATT): which they are, and what their frames are
/// together. Core Vol 3, Part A, 3.4.3 and 4.22 to 4.26; Part F, 3.2.11.
struct EnhancedBearers {
    /// How many directions of channels are followed; a further channel stays zero.
    private static let maximum = 16
    private static let attributeProtocol: UInt16 = 0x0027

    /// A channel as PDUs from one side name it.
    private struct Channel: Hashable {
        var sender: CaptureEvent.Side
        var id: UInt16
    }

    /// A value that is being put together.
    struct Unit {
        let bearer: Int
        fileprivate let count: Int
        fileprivate(set) var octets: [UInt8] = []
        fileprivate(set) var spots = Spots()
    }

    /// The channels of the requests that are open, by the side that asked and the identifier.
    private var asked: [Channel: [UInt16]] = [:]
    private var bearers: [Channel: Int] = [:]
    private var units: [Channel: Unit] = [:]
    private var last = 0

    /// Follows a command of signalling.
    mutating func signalled(
        _ command: [UInt8], from side: CaptureEvent.Side, _ redaction: inout Redaction
    ) {
        guard command.count >= 8 else { return }
        func numbers(from index: Int) -> [UInt16] {
            stride(from: index, to: command.count - 1, by: 2).map {
                UInt16(command[$0]) | UInt16(command[$0 + 1]) << 8
            }
        }
        let identifier = UInt16(command[1])
        switch command[0] {
        // L2CAP_CREDIT_BASED_CONNECTION_REQ: SPSM, MTU, MPS, credits, and the channels of the side that asks
        case 0x17:
            let ids = numbers(from: 12)
            let isOfATT = numbers(from: 4).first == Self.attributeProtocol
            asked[Channel(sender: side, id: identifier)] = isOfATT ? ids : nil
        // L2CAP_CREDIT_BASED_CONNECTION_RSP: MTU, MPS, credits, result, and the channels of the other side
        case 0x18:
            let theirs = asked.removeValue(forKey: Channel(sender: side.other, id: identifier))
            for (id, other) in zip(numbers(from: 12), theirs ?? []) where id != 0 {
                guard bearers.count < Self.maximum else { break }
                last += 1
                bearers[Channel(sender: side.other, id: id)] = last
                bearers[Channel(sender: side, id: other)] = last
            }
        // L2CAP_DISCONNECTION_REQ and RSP: the numbers may mean something else from now on, so no channel is a bearer.
        case 0x06, 0x07: end(&redaction)
        default: break
        }
    }

    /// A frame of a channel: all of what it completes, whose spots the caller releases.
    mutating func receive(
        _ frame: [UInt8], _ spots: Spots, on id: UInt16, from side: CaptureEvent.Side,
        _ redaction: inout Redaction
    ) -> Unit? {
        let channel = Channel(sender: side, id: id)
        guard let bearer = bearers[channel] else { return nil }
        var start = 0
        if units[channel] == nil {
            guard frame.count >= 2 else { return nil }
            redaction.held.set(frame.prefix(2), at: spots)
            start = 2
            units[channel] = Unit(bearer: bearer, count: Int(frame[0]) | Int(frame[1]) << 8)
        }
        guard var unit = units.removeValue(forKey: channel) else { return nil }
        let part = spots[start...]
        redaction.held.hold(part)
        unit.octets += frame[start...]
        unit.spots += part
        guard unit.octets.count <= unit.count else {
            redaction.held.release(unit.spots)
            return nil
        }
        guard unit.octets.count == unit.count else {
            units[channel] = unit
            return nil
        }
        return unit
    }

    /// There are no bearers any more: what is incomplete waits no longer.
    mutating func end(_ redaction: inout Redaction) {
        for unit in units.values { redaction.held.release(unit.spots) }
        (asked, bearers, units) = ([:], [:], [:])
    }
}
