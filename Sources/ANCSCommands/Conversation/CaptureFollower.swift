internal import BluetoothLE
internal import LinuxIO

/// Follows a capture record by record and says what happened in it. What it keeps is bounded, however
/// long the capture is.
struct CaptureFollower {
    /// No host has more controllers; the records of others are not followed.
    private static let maximumAdapters = 8

    private let format: CaptureFormat
    private var log = StoryLog()
    private var adapters: [UInt16: AdapterFollower] = [:]
    private var peers = PeerMemory()
    /// Whether a packet made no sense, which is a sign of a damaged file.
    private(set) var hasMalformed = false

    init(format: CaptureFormat) { self.format = format }

    /// How many connections and sessions there were.
    var counts: (connections: Int, sessions: Int) { (log.connectionCount, log.sessionCount) }

    /// What a record tells.
    mutating func receive(_ record: CaptureReader.Record) -> [Happening] {
        log.now = record.time
        log.place = Happening.Place(
            adapter: format == .btsnoop(.monitor) ? record.adapter : nil)
        if record.lost > 0 {
            log.tell(.lost(count: Int(record.lost)))
            for index in adapters.keys { adapters[index]?.lostRecords() }
        }
        switch record.content {
        case .packet(let packet, let direction, let missing):
            follow(packet, direction, missing, record)
        case .adapterAdded(let address, let name):
            endAdapter(record.adapter)
            log.tell(.adapter(.added(address, name: name)))
        case .adapterRemoved:
            endAdapter(record.adapter)
            log.tell(.adapter(.removed))
        case .adapterAddress(let address): log.tell(.adapter(.address(address)))
        case .empty:
            hasMalformed = true
            log.tell(.malformed(layer: "record", offset: record.offset))
        case .other: break
        }
        return log.drain()
    }

    /// The capture ended: what is still open is told.
    mutating func finish() -> [Happening] {
        for index in adapters.keys.sorted() { adapters[index]?.end(.capture, &log, &peers) }
        adapters = [:]
        return log.drain()
    }

    private mutating func follow(
        _ packet: HCIPacket, _ direction: CaptureReader.Direction, _ missing: Int,
        _ record: CaptureReader.Record
    ) {
        let known = adapters.removeValue(forKey: record.adapter)
        guard known != nil || adapters.count < Self.maximumAdapters else { return }
        var adapter = known ?? AdapterFollower(index: record.adapter)
        let isWellFormed = adapter.receive(packet, direction, missing: missing, &log, &peers)
        adapters[record.adapter] = adapter
        guard !isWellFormed else { return }
        hasMalformed = true
        let layer =
            switch packet {
            case .command: "HCI command"
            case .acl: "ACL packet"
            case .event: "HCI event"
            }
        log.tell(.malformed(layer: layer, offset: record.offset))
    }

    private mutating func endAdapter(_ index: UInt16) {
        var adapter = adapters.removeValue(forKey: index)
        adapter?.end(.link, &log, &peers)
    }
}
