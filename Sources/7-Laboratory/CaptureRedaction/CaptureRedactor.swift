internal import ANCSCapture
internal import BluetoothLE
package import HCITransports
internal import LinuxIO

/// Makes a capture that can be sent: the same packets at the same intervals, without what people wrote, what they and
/// their devices are called, and without keys. What is not known to be harmless becomes zeros.
///
/// A file is read twice: by ``CaptureClues`` first, which find out what is only seen later. Of packets that come just
/// now, see ``LiveRedaction``, nothing is known but what came before.
package struct CaptureRedactor {
    /// The time of the first packet of a redacted capture: 2026-01-01, 00:00, UTC.
    private static let start = CaptureTime(microsecondsSince1970: 1_767_225_600_000_000)

    /// How many links are followed at once; the data of further ones are zeros.
    private static let maximumLinks = 32

    private struct Key: Hashable {
        var adapter: UInt16
        var handle: ConnectionHandle
    }

    private let clues: CaptureClues?
    /// The keys so far, without clues.
    private var keys = ResolvingKeys()
    private var follower: CaptureFollower
    private var redaction: Redaction
    private var links: [Key: LinkRedaction] = [:]
    /// How many packets are left out, as they say only that other people's devices advertise.
    package private(set) var strangers = 0
    private var hasBegun = false
    private var isAtEnd = false

    /// A redactor at the beginning of a capture. With one seed, two captures that differ in nothing but what is redacted
    /// have one result. `maximumAge`: how long a record waits for what decides about it.
    package init(
        _ format: CaptureFormat, clues: CaptureClues?, seed: UInt64, maximumAge: Duration? = nil
    ) {
        self.clues = clues
        follower = CaptureFollower(format: format)
        redaction = Redaction(
            names: Pseudonyms(seed: seed), held: HeldRecords(maximumAge: maximumAge))
        for key in clues?.keys.all ?? [] { redaction.names.learn(key) }
    }

    /// Takes a record. What is no packet goes.
    package mutating func receive(_ record: CaptureReader.Record) {
        follower.receive(record)
        while follower.pollEvent() != nil {}
        // Of what was lost it is not known which link it ended.
        if record.content == .adapterRemoved || record.lost > 0 {
            endLinks { $0.adapter == record.adapter }
        }
        guard case .packet(let packet, let direction, let missing) = record.content else { return }
        if let clues, case .event(let event) = packet,
            clues.partners.isOfStrangers(event, keys: clues.keys.all)
        {
            strangers += 1
            return
        }
        if !hasBegun { redaction.shift = Self.start - record.time }
        (hasBegun, isAtEnd) = (true, false)
        if clues == nil {
            keys.receive(packet)
            for key in keys.all { redaction.names.learn(key) }
        }
        let number = redaction.held.next
        redaction.held.append(
            RedactedRecord(
                time: record.time + redaction.shift, adapter: record.adapter, direction: direction,
                octets: [packet.indicator] + body(of: packet, isWhole: missing == 0),
                missing: missing))
        switch packet {
        case .command(let body):
            if body.starts(with: [0x03, 0x0C]) { endLinks { $0.adapter == record.adapter } }
        case .event(let body): endLink(of: body, record.adapter)
        case .acl(let body):
            if missing == 0 { receive(acl: body, direction, record.adapter, number) }
        }
    }

    /// What is known at once of a packet: of data, the header.
    private mutating func body(of packet: HCIPacket, isWhole: Bool) -> [UInt8] {
        switch packet {
        case .command(let body) where isWhole: redaction.command(body)
        case .event(let body) where isWhole: redaction.event(body)
        case .command(let body), .event(let body): [UInt8](repeating: 0, count: body.count)
        case .acl(let body): body.prefix(4) + [UInt8](repeating: 0, count: max(body.count - 4, 0))
        }
    }

    /// The capture has ended, or pauses.
    package mutating func finish() {
        endLinks { _ in true }
        isAtEnd = true
    }

    /// The next record of the redacted capture.
    package mutating func pollOutput() -> RedactedRecord? { redaction.held.pop(isAtEnd: isAtEnd) }

    private mutating func receive(
        acl body: [UInt8], _ direction: CaptureReader.Direction, _ adapter: UInt16, _ number: Int
    ) {
        var data = body.span
        guard let header = try? ACLPacket.Header(taking: &data) else { return }
        let key = Key(adapter: adapter, handle: header.handle)
        let link = follower.link(at: header.handle, of: adapter)
        let knowledge = LinkKnowledge(
            link: link, handles: link.flatMap { clues?.handles[$0.number] } ?? [:])
        guard links[key] != nil || links.count < Self.maximumLinks else { return }
        // One octet for the indicator, four for the header.
        let spots = Spots(record: number, offset: 5, count: body.count - 4)
        links[key, default: LinkRedaction()].receive(
            Array(body.dropFirst(4)), spots, boundary: header.boundary,
            from: direction == .sent ? .local : .remote, in: knowledge, &redaction)
    }

    /// A link ends, or another one has its handle: what is incomplete waits no longer.
    private mutating func endLink(of event: [UInt8], _ adapter: UInt16) {
        guard event.count >= 6 else { return }
        let place: Int
        switch (event[0], event[2]) {
        // HCI_Disconnection_Complete, HCI_Connection_Complete
        case (0x05, 0), (0x03, 0): place = 3
        // HCI_LE_Connection_Complete, and the enhanced ones
        case (0x3E, 0x01), (0x3E, 0x0A), (0x3E, 0x29): place = 4
        default: return
        }
        let handle = ConnectionHandle(
            rawValue: (UInt16(event[place]) | UInt16(event[place + 1]) << 8) & 0xFFF)
        endLinks { $0 == Key(adapter: adapter, handle: handle) }
    }

    private mutating func endLinks(_ isMeant: (Key) -> Bool) {
        // In order, so that what stands for a name does not depend on that of a set.
        let meant = links.keys.filter(isMeant)
        for key in meant.sorted(by: {
            ($0.adapter, $0.handle.rawValue) < ($1.adapter, $1.handle.rawValue)
        }) {
            var link = links.removeValue(forKey: key)
            link?.end(&redaction)
        }
    }
}

/// What they follow are objects, so they stay where they were made.
@available(*, unavailable) extension CaptureRedactor: Sendable {}

@available(*, unavailable) extension CaptureClues: Sendable {}
