internal import BluetoothLE
package import HCITransports
/// Follows a capture record by record and reports what happened in it. Its memory use is bounded, however
/// long the capture is.
package struct CaptureFollower {
    /// The largest number of controllers, more than any host has. Records of further ones are ignored.
    private static let maximumAdapters = 8

    private let format: CaptureFormat
    private var log = StoryLog()
    /// In the order of their first records.
    private var adapters: [AdapterFollower] = []
    private var peers = PeerMemory()
    private var audio = CaptureEvent.NotShown(what: "speech and other audio", packets: 0, octets: 0)
    /// Whether a packet was malformed, which suggests a damaged file.
    private(set) var hasMalformed = false

    package init(format: CaptureFormat) { self.format = format }

    /// The number of connections and of sessions so far.
    var counts: (connections: Int, sessions: Int) { (log.connectionCount, log.sessionCount) }

    /// Removes and returns what happened first.
    package mutating func pollEvent() -> CaptureEvent? { log.popFirst() }

    /// The link at a handle of a controller; `nil` if none is followed.
    package func link(at handle: ConnectionHandle, of adapter: UInt16) -> CapturedLink? {
        adapters.first { $0.index == adapter }?.links[handle].map(CapturedLink.init)
    }

    /// Follows a record.
    package mutating func receive(_ record: CaptureReader.Record) {
        log.now = record.time
        log.place = CaptureEvent.Place(adapter: hasAdapters(record) ? record.adapter : nil)
        if record.lost > 0 {
            log.report(.lost(count: Int(record.lost)))
            for place in adapters.indices { adapters[place].lostRecords() }
        }
        switch record.content {
        case .packet(let packet, let direction, let missing):
            follow(packet, direction, missing, record)
        case .adapterAdded(let address, let name):
            endAdapter(record.adapter)
            log.report(.adapter(.added(address, name: name)))
        case .adapterRemoved:
            endAdapter(record.adapter)
            log.report(.adapter(.removed))
        case .adapterAddress(let address): log.report(.adapter(.address(address)))
        case .empty:
            hasMalformed = true
            log.report(.malformed(layer: "record", offset: record.offset))
        case .audio(let octets):
            audio.packets += 1
            audio.octets += octets
        case .other: break
        }
    }

    /// The capture ended: reports everything that is still open.
    mutating func finish() {
        adapters.sort { $0.index < $1.index }
        for place in adapters.indices { adapters[place].end(.capture, &log, &peers) }
        adapters = []
        guard audio.packets > 0 else { return }
        log.place = CaptureEvent.Place()
        log.report(.notShown([audio]))
    }

    private mutating func follow(
        _ packet: HCIPacket, _ direction: CaptureReader.Direction, _ missing: Int,
        _ record: CaptureReader.Record
    ) {
        guard let place = place(of: record.adapter) else { return }
        let isWellFormed = adapters[place]
            .receive(packet, direction, missing: missing, &log, &peers)
        guard !isWellFormed else { return }
        hasMalformed = true
        let layer =
            switch packet {
            case .command: "HCI command"
            case .acl: "ACL packet"
            case .event: "HCI event"
            }
        log.report(.malformed(layer: layer, offset: record.offset))
    }

    /// Whether a record is of one of several adapters, as far as that is known.
    private func hasAdapters(_ record: CaptureReader.Record) -> Bool {
        switch format {
        case .btsnoop(.monitor), .pcap(.monitor): true
        case .pcapng: record.adapter > 0 || adapters.count > 1
        case .btsnoop, .pcap, .packetLogger: false
        }
    }

    /// The position of an adapter, which is followed from now on; `nil` if there are too many.
    private mutating func place(of index: UInt16) -> Int? {
        if let place = adapters.firstIndex(where: { $0.index == index }) { return place }
        guard adapters.count < Self.maximumAdapters else { return nil }
        adapters.append(AdapterFollower(index: index))
        return adapters.count - 1
    }

    private mutating func endAdapter(_ index: UInt16) {
        guard let place = adapters.firstIndex(where: { $0.index == index }) else { return }
        var adapter = adapters.remove(at: place)
        adapter.end(.link, &log, &peers)
    }
}
