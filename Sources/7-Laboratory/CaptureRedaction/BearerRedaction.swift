internal import ANCSCapture

/// Redacts the PDUs of one bearer of ATT: structure and UUIDs, and of values those that are known.
struct BearerRedaction {
    /// How many parts of a long value are held at most.
    private static let maximumPrepared = 128
    /// The longest value in octets: Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    /// Where in a long value a part stands.
    private struct Prepared {
        var offset: Int
        var octets: [UInt8]
        var spots: Spots
    }

    /// A value that is being read in parts.
    private struct Reading {
        var handle: AttributeHandle
        var server: ServerKnowledge
        var octets: [UInt8] = []
        var spots = Spots()
    }

    let context: ServerContext
    private var request: [UInt8] = []
    private var prepared: [Prepared] = []
    private var preparedHandle: AttributeHandle?
    private var reading: Reading?

    init(context: ServerContext) { self.context = context }

    /// PDUs of numbers alone, and how many octets they have: MTU, Error, Find Information Request, Read, Read Blob
    /// Requests, Write, Execute Write Responses, Confirmation.
    private static let counts: [UInt8: Int] = [
        0x01: 5, 0x02: 3, 0x03: 3, 0x04: 5, 0x0A: 3, 0x0C: 5, 0x13: 1, 0x18: 2, 0x19: 1, 0x1E: 1,
    ]

    mutating func receive(
        _ pdu: [UInt8], _ spots: Spots, _ server: ServerKnowledge, _ redaction: inout Redaction
    ) {
        guard let opcode = pdu.first else { return }
        if opcode & 1 == 0, ![0x52, 0xD2, 0x1E].contains(opcode) {
            request = pdu
            if requested?.offset != reading?.octets.count || requested?.handle != reading?.handle {
                endReading(&redaction)
            }
        }
        /// Sets the octets from this one on.
        func set(_ octets: some Sequence<UInt8>, from start: Int = 0) {
            redaction.held.set(octets, at: spots[start...])
        }
        if let count = Self.counts[opcode] { set(pdu.prefix(count)) }
        switch opcode {
        case 0x01: endReading(&redaction)
        case 0x05 where pdu.count >= 2:
            set(Array(pdu.prefix(2)) + redaction.rows(pdu.dropFirst(2), pdu[1] == 1 ? 2 : 16))
        case 0x06 where pdu.count >= 7:
            set(pdu.prefix(7))
            if pdu[5] == 0x00, pdu[6] == 0x28 {
                set(redaction.uuids(pdu.dropFirst(7), ofCount: max(pdu.count - 7, 1)), from: 7)
            }
        // Handles: Find By Type Value Response, Read Multiple Requests
        case 0x07, 0x0E, 0x20: set(pdu.prefix(1 + (pdu.count - 1) / 2 * 2))
        case 0x08 where pdu.count >= 7, 0x10 where pdu.count >= 7:
            set(Array(pdu.prefix(5)) + redaction.names.uuid(for: Array(pdu.dropFirst(5))))
        case 0x09 where pdu.count >= 2, 0x11 where pdu.count >= 2: set(list(pdu, &redaction))
        case 0x0B, 0x0D:
            set([opcode])
            read(Array(pdu.dropFirst()), spots[1...], server, &redaction)
        case 0x12, 0x52, 0xD2, 0x1B, 0x1D:
            guard let target = Self.handle(pdu, 1) else { break }
            set(pdu.prefix(3))
            // A signature follows the value.
            let whole = Array(pdu.dropFirst(3).dropLast(opcode == 0xD2 ? 12 : 0))
            let isSent = opcode == 0x1B || opcode == 0x1D
            if !isSent { written(whole, to: target, server) }
            pass(whole, spots[3..<3 + whole.count], target, server, isSent: isSent, &redaction)
        case 0x16, 0x17: prepare(pdu, spots, &redaction)
        case 0x18: execute(isWritten: pdu.dropFirst().first == 1, server, &redaction)
        case 0x21, 0x23: several(pdu, spots, server, &redaction)
        default: set([opcode])
        }
    }

    /// The link ended.
    mutating func end(_ redaction: inout Redaction) {
        endReading(&redaction)
        releasePrepared(&redaction)
    }

    private static func handle(_ pdu: [UInt8], _ index: Int) -> AttributeHandle? {
        guard pdu.count >= index + 2 else { return nil }
        return AttributeHandle(UInt16(pdu[index]) | UInt16(pdu[index + 1]) << 8)
    }

    /// A value that a client writes or a server sends, whole in one PDU.
    private func pass(
        _ octets: [UInt8], _ spots: Spots, _ handle: AttributeHandle, _ server: ServerKnowledge,
        isSent: Bool, _ redaction: inout Redaction
    ) {
        guard server.characteristic(at: handle) != .dataSource || !isSent else {
            return context.answers.receive(octets, spots, &redaction)
        }
        redaction.held.set(value(octets, at: handle, server, isSent: isSent, &redaction), at: spots)
    }

    /// A client writes what is answered later.
    private func written(_ octets: [UInt8], to handle: AttributeHandle, _ server: ServerKnowledge) {
        if server.characteristic(at: handle) == .controlPoint { context.answers.asked(octets) }
        if server.isMedia(AMSUUID.entityAttribute, at: handle) { context.mediaAttribute = octets }
    }

    /// The values of a Read Multiple Variable Response or a Multiple Handle Value Notification, which names the handles
    /// itself.
    private func several(
        _ pdu: [UInt8], _ spots: Spots, _ server: ServerKnowledge, _ redaction: inout Redaction
    ) {
        let isNotified = pdu[0] == 0x23
        redaction.held.set(pdu.prefix(1), at: spots)
        guard isNotified || request.first == 0x20 else { return }
        var (index, number) = (1, 0)
        while true {
            let handle = isNotified ? Self.handle(pdu, index) : Self.handle(request, 1 + 2 * number)
            let start = index + (isNotified ? 4 : 2)
            guard let handle, pdu.count >= start else { return }
            let end = start + Int(pdu[start - 2]) + Int(pdu[start - 1]) << 8
            guard pdu.count >= end else { return }
            redaction.held.set(pdu[index..<start], at: spots[index...])
            pass(
                Array(pdu[start..<end]), spots[start..<end], handle, server,
                isSent: true, &redaction)
            (index, number) = (end, number + 1)
        }
    }

    // MARK: Lists

    /// The rows of a Read By Type or Read By Group Type Response: handles are kept, UUIDs replaced, of other values only
    /// the Device Name is shown as its mask.
    private func list(_ pdu: [UInt8], _ redaction: inout Redaction) -> [UInt8] {
        let size = Int(pdu[1])
        let kind = request.count >= 7 ? UInt16(request[5]) | UInt16(request[6]) << 8 : 0
        let isShort = request.count == 7
        var made = Array(pdu.prefix(2))
        var rest = pdu.dropFirst(2)
        while size >= 2, rest.count >= size {
            let row = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            switch (isShort, kind) {
            case (true, 0x2800), (true, 0x2801):
                made += row.prefix(4) + redaction.names.uuid(for: Array(row.dropFirst(4)))
            case (true, 0x2802):
                made += row.prefix(6) + redaction.names.uuid(for: Array(row.dropFirst(6)))
            case (true, 0x2803):
                made += row.prefix(5) + redaction.names.uuid(for: Array(row.dropFirst(5)))
            case (true, 0x2A00): made += row.prefix(2) + TextMask.masked(Array(row.dropFirst(2)))
            default: made += row.prefix(2) + [UInt8](repeating: 0, count: size - 2)
            }
        }
        return made + [UInt8](repeating: 0, count: rest.count)
    }

    // MARK: Values

    /// What stands for a value; zeros for one that is not known.
    private func value(
        _ octets: [UInt8], at handle: AttributeHandle, _ server: ServerKnowledge,
        isSent: Bool = false, _ redaction: inout Redaction
    ) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: octets.count)
        if server.isConfiguration(handle) { return octets.count == 2 ? octets : zeros }
        switch server.characteristic(at: handle) {
        case .notificationSource: return octets.count == 8 ? octets : zeros
        case .controlPoint: return redaction.command(ofANCS: octets)
        case .dataSource: return zeros
        case nil: break
        }
        guard let uuid = server.uuid(valueAt: handle) else { return zeros }
        if let media = media(octets, uuid, isSent: isSent, &redaction) { return media }
        switch (uuid.shortValue, octets.count) {
        case (0x2A00, _): return TextMask.masked(octets)
        // Current Time
        case (0x2A2B, 10): return redaction.clock(octets)
        // Service Changed, Appearance, the preferred connection parameters, Client Supported Features
        case (0x2A05, 4), (0x2A01, 2), (0x2A04, 8), (0x2B29, 1): return octets
        default: return zeros
        }
    }

    /// A value of AMS: commands, registrations and headers are kept, values are masked; `nil` if it is none. `isSent`:
    /// the server sent it.
    private func media(
        _ octets: [UInt8], _ uuid: BluetoothUUID, isSent: Bool, _ redaction: inout Redaction
    ) -> [UInt8]? {
        switch (uuid.rawValue, isSent) {
        case (AMSUUID.remoteCommand, _): octets.count <= 32 ? octets : nil
        case (AMSUUID.entityUpdate, false), (AMSUUID.entityAttribute, false):
            octets.count <= 8 ? octets : nil
        case (AMSUUID.entityUpdate, true):
            octets.prefix(3) + redaction.media(octets.prefix(2), Array(octets.dropFirst(3)))
        case (AMSUUID.entityAttribute, true): redaction.media(context.mediaAttribute[...], octets)
        default: nil
        }
    }

    // MARK: Long reads

    /// What a Read or Read Blob Request asks for: of which attribute, and from which octet on.
    private var requested: (handle: AttributeHandle, offset: Int)? {
        guard let handle = Self.handle(request, 1) else { return nil }
        switch (request[0], request.count) {
        case (0x0A, _): return (handle, 0)
        case (0x0C, 5...): return (handle, Int(request[3]) | Int(request[4]) << 8)
        default: return nil
        }
    }

    /// A part of a value was read. It is judged with those before it; one whose beginning is missing stays zero.
    private mutating func read(
        _ octets: [UInt8], _ spots: Spots, _ server: ServerKnowledge, _ redaction: inout Redaction
    ) {
        guard let requested else { return }
        if requested.offset == 0 {
            endReading(&redaction)
            reading = Reading(handle: requested.handle, server: server)
        }
        guard var open = reading, open.handle == requested.handle,
            open.octets.count == requested.offset
        else { return }
        redaction.held.hold(spots)
        open.octets += octets
        open.spots += spots
        reading = open
        // The last part has less than there is room for: Core Vol 3, Part G, 4.8.3.
        if octets.count < server.mtu - 1 || open.octets.count >= Self.maximumValue {
            endReading(&redaction)
        }
    }

    private mutating func endReading(_ redaction: inout Redaction) {
        guard let open = reading else { return }
        reading = nil
        let stand = value(open.octets, at: open.handle, open.server, isSent: true, &redaction)
        redaction.held.set(stand, at: open.spots)
        redaction.held.release(open.spots)
    }

    // MARK: Long writes

    /// A part of a long value is judged when it is written.
    private mutating func prepare(_ pdu: [UInt8], _ spots: Spots, _ redaction: inout Redaction) {
        guard pdu.count >= 5 else { return }
        redaction.held.set(Array(pdu.prefix(5)), at: spots)
        let handle = AttributeHandle(UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
        if preparedHandle != handle || prepared.count >= Self.maximumPrepared {
            releasePrepared(&redaction)
        }
        preparedHandle = handle
        let part = Prepared(
            offset: Int(pdu[3]) | Int(pdu[4]) << 8, octets: Array(pdu.dropFirst(5)),
            spots: spots[5...])
        redaction.held.hold(part.spots)
        prepared.append(part)
    }

    private mutating func execute(
        isWritten: Bool, _ server: ServerKnowledge, _ redaction: inout Redaction
    ) {
        defer { releasePrepared(&redaction) }
        guard isWritten, let handle = preparedHandle else { return }
        var whole: [UInt8] = []
        for part in prepared where part.offset == whole.count { whole += part.octets }
        written(whole, to: handle, server)
        let stand = value(whole, at: handle, server, &redaction)
        for part in prepared {
            let end = part.offset + part.octets.count
            // The echo of the server is the same part; one that says something else stays zero.
            guard end <= whole.count, Array(whole[part.offset..<end]) == part.octets else {
                continue
            }
            redaction.held.set(stand[part.offset..<end], at: part.spots)
        }
    }

    private mutating func releasePrepared(_ redaction: inout Redaction) {
        for part in prepared { redaction.held.release(part.spots) }
        (prepared, preparedHandle) = ([], nil)
    }
}

extension Redaction {
    /// The value of an attribute of AMS, which its entity and its number name (M9 to M11).
    fileprivate mutating func media(_ attribute: ArraySlice<UInt8>, _ octets: [UInt8]) -> [UInt8] {
        switch Array(attribute) {
        case [0, 3]: names.app(for: octets)
        case [0, 1]: octets.prefix(1) + TextMask.maskedNumber(Array(octets.dropFirst()))
        case [0, 2], [1, 0], [1, 1], [1, 2], [1, 3], [2, 3]: TextMask.maskedNumber(octets)
        default: TextMask.masked(octets)
        }
    }

    /// Rows of a handle and a UUID.
    fileprivate mutating func rows(_ octets: ArraySlice<UInt8>, _ size: Int) -> [UInt8] {
        var (rest, made) = (octets, [UInt8]())
        while rest.count >= size + 2 {
            made += rest.prefix(2) + names.uuid(for: Array(rest.dropFirst(2).prefix(size)))
            rest = rest.dropFirst(size + 2)
        }
        return made + [UInt8](repeating: 0, count: rest.count)
    }
}
