internal import AMS
internal import ANCSCapture
internal import BluetoothLE

/// Redacts what a client and a server say to one another over the Attribute Protocol: structure and UUIDs, and of values
/// those that are known.
struct ServerRedaction {
    /// Where in a long value a part stands.
    private struct Prepared {
        var offset: Int
        var octets: [UInt8]
        var spots: [Spot]
    }

    private var request: [UInt8] = []
    private var prepared: [Prepared] = []
    private var preparedHandle: AttributeHandle?
    private var answers = AnswerRedaction()
    /// The attribute of AMS that was written to Entity Attribute last, to be read.
    private var mediaAttribute: [UInt8] = []

    mutating func receive(
        _ pdu: [UInt8], _ spots: [Spot], _ server: ServerKnowledge, _ redaction: inout Redaction,
        _ held: inout HeldRecords
    ) {
        guard let opcode = pdu.first else { return }
        if opcode & 1 == 0, ![0x52, 0xD2, 0x1E].contains(opcode) { request = pdu }
        /// Sets the octets from this one on.
        func set(_ octets: [UInt8], from start: Int = 0) {
            held.set(octets, at: spots.dropFirst(start))
        }
        func handle(_ index: Int) -> AttributeHandle? {
            pdu.count >= index + 2
                ? AttributeHandle(UInt16(pdu[index]) | UInt16(pdu[index + 1]) << 8) : nil
        }
        switch opcode {
        // MTU, Error, Find Information Request, Find By Type Value Response, Read, Read Blob, Read Multiple
        // Requests, Write Response, Execute Write Response, Confirmation
        case 0x01, 0x02, 0x03, 0x04, 0x07, 0x0A, 0x0C, 0x0E, 0x13, 0x19, 0x1E, 0x20: set(pdu)
        case 0x05 where pdu.count >= 2:
            set(Array(pdu.prefix(2)) + redaction.rows(pdu.dropFirst(2), pdu[1] == 1 ? 2 : 16))
        case 0x06 where pdu.count >= 7:
            set(Array(pdu.prefix(7)))
            if pdu[5] == 0x00, pdu[6] == 0x28 {
                set(redaction.uuids(pdu.dropFirst(7), ofCount: max(pdu.count - 7, 1)), from: 7)
            }
        case 0x08 where pdu.count >= 7, 0x10 where pdu.count >= 7:
            set(Array(pdu.prefix(5)) + redaction.names.uuid(for: Array(pdu.dropFirst(5))))
        case 0x09 where pdu.count >= 2, 0x11 where pdu.count >= 2: set(list(pdu, &redaction))
        case 0x0B, 0x0D:
            set([opcode])
            guard let read = requestedHandle else { break }
            set(value(Array(pdu.dropFirst()), at: read, server, isSent: true, &redaction), from: 1)
        case 0x12, 0x52, 0xD2, 0x1B, 0x1D:
            guard let target = handle(1) else { break }
            set(Array(pdu.prefix(3)))
            let octets = Array(pdu.dropFirst(3))
            if server.characteristic(at: target) == .dataSource, opcode == 0x1B {
                answers.receive(octets, Array(spots.dropFirst(3)), &redaction, &held)
            } else {
                if server.characteristic(at: target) == .controlPoint { answers.asked(octets) }
                if server.isMedia(AMSUUID.entityAttribute, at: target) { mediaAttribute = octets }
                let whole = opcode == 0xD2 ? Array(octets.dropLast(12)) : octets
                let isSent = opcode == 0x1B || opcode == 0x1D
                set(value(whole, at: target, server, isSent: isSent, &redaction), from: 3)
            }
        case 0x16, 0x17: prepare(pdu, spots, &held)
        case 0x18:
            set(pdu)
            execute(isWritten: pdu.dropFirst().first == 1, server, &redaction, &held)
        default: set([opcode])
        }
    }

    /// The link ended.
    mutating func end(_ redaction: inout Redaction, _ held: inout HeldRecords) {
        answers.end(&redaction, &held)
        releasePrepared(&held)
    }

    private var requestedHandle: AttributeHandle? {
        guard request.count >= 3, request[0] == 0x0A || request[0] == 0x0C else { return nil }
        return AttributeHandle(UInt16(request[1]) | UInt16(request[2]) << 8)
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
        case (AMSUUID.entityAttribute, true): redaction.media(mediaAttribute[...], octets)
        default: nil
        }
    }

    // MARK: Long writes

    /// A part of a long value is judged when it is written.
    private mutating func prepare(_ pdu: [UInt8], _ spots: [Spot], _ held: inout HeldRecords) {
        guard pdu.count >= 5 else { return }
        held.set(Array(pdu.prefix(5)), at: spots[...])
        let handle = AttributeHandle(UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
        if preparedHandle != handle || prepared.count >= 128 { releasePrepared(&held) }
        preparedHandle = handle
        let part = Prepared(
            offset: Int(pdu[3]) | Int(pdu[4]) << 8, octets: Array(pdu.dropFirst(5)),
            spots: Array(spots.dropFirst(5)))
        held.hold(part.spots)
        prepared.append(part)
    }

    private mutating func execute(
        isWritten: Bool, _ server: ServerKnowledge, _ redaction: inout Redaction,
        _ held: inout HeldRecords
    ) {
        defer { releasePrepared(&held) }
        guard isWritten, let handle = preparedHandle else { return }
        var whole: [UInt8] = []
        for part in prepared where part.offset == whole.count { whole += part.octets }
        if server.characteristic(at: handle) == .controlPoint { answers.asked(whole) }
        let stand = value(whole, at: handle, server, &redaction)
        for part in prepared {
            let end = part.offset + part.octets.count
            // The echo of the server is the same part; one that says something else stays zero.
            guard end <= whole.count, Array(whole[part.offset..<end]) == part.octets else {
                continue
            }
            held.set(Array(stand[part.offset..<end]), at: part.spots[...])
        }
    }

    private mutating func releasePrepared(_ held: inout HeldRecords) {
        for part in prepared { held.release(part.spots) }
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
