internal import Octets

/// How much data is held that may be ahead of its event, and for how long. On USB, events and data have two
/// endpoints, and either may be first.
enum EarlyData {
    /// How far data may be ahead: 80 ms. The worst controller known is 10 ms ahead; 30 ms is what the virtual
    /// controllers do, and the rest is for a host that is busy.
    static let time = Duration.milliseconds(80)
    /// The number of handles for which data is held.
    static let handles = 4
    /// The number of packets, or of ATT PDUs, on one handle. A peer sends a few in that time, before it gets
    /// an answer.
    static let packets = 8
    /// The number of octets on one handle.
    static let octets = 2048
}

/// ACL data of handles for which no link is known: held, because the event about the link may still come.
///
/// Empty, and without a deadline, except in the moments after such data arrived or a link ended.
struct EarlyPackets {
    private struct Entry {
        let handle: ConnectionHandle
        /// When the event has not come in time.
        let deadline: MonotonicInstant
        /// `nil` for a handle of which nothing more is held.
        var packets: [ACLPacket]?
        var octets = 0
    }

    private var entries: [Entry] = []

    /// Data of an unknown handle arrived. If there is too much, all of it is dropped, so that a PDU is never
    /// completed with parts of another.
    mutating func receive(_ packet: ACLPacket, at now: MonotonicInstant) {
        handleTimeout(at: now)
        guard let index = index(of: packet.handle) else {
            guard entries.count < EarlyData.handles else { return }
            entries.append(
                Entry(handle: packet.handle, deadline: now + EarlyData.time, packets: []))
            return append(packet, at: entries.count - 1)
        }
        append(packet, at: index)
    }

    private mutating func append(_ packet: ACLPacket, at index: Int) {
        guard let count = entries[index].packets?.count else { return }
        entries[index].octets += packet.data.count
        if count < EarlyData.packets, entries[index].octets <= EarlyData.octets {
            entries[index].packets?.append(packet)
        } else {
            entries[index].packets = nil
        }
    }

    /// The link with this handle was established: takes its data, in their order.
    mutating func take(_ handle: ConnectionHandle, at now: MonotonicInstant) -> [ACLPacket] {
        handleTimeout(at: now)
        guard let index = index(of: handle) else { return [] }
        return entries.remove(at: index).packets ?? []
    }

    /// A link with this handle ended, or is not wanted: its event may be ahead of its last data, which must
    /// not become the first data of the next link.
    mutating func linkEnded(_ handle: ConnectionHandle, at now: MonotonicInstant) {
        entries.removeAll { $0.handle == handle || $0.deadline <= now }
        if entries.count == EarlyData.handles { entries.removeFirst() }
        entries.append(Entry(handle: handle, deadline: now + EarlyData.time, packets: nil))
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        entries.removeAll { $0.deadline <= now }
    }

    /// The controller was reset: no link of before exists.
    mutating func removeAll() { entries = [] }

    /// When data have to be dropped. A handle without data is forgotten later, without a wake-up.
    var nextDeadline: MonotonicInstant? {
        entries.reduce(nil) { $1.packets != nil ? .earliest($0, $1.deadline) : $0 }
    }

    private func index(of handle: ConnectionHandle) -> Int? {
        entries.firstIndex { $0.handle == handle }
    }
}

/// ATT PDUs that arrived while the encryption of their link was changing: held for its event, which decides
/// what they may access.
///
/// None is dropped. A PDU whose time is over, or for which there is no room, is handled with the protection
/// that the link had before, as are all if the change fails.
struct EarlyPDUs {
    private struct Entry {
        let pdu: [UInt8]
        let deadline: MonotonicInstant
    }

    private var entries = Queue<Entry>()
    private var octets = 0

    var isEmpty: Bool { entries.isEmpty }

    /// When the first PDU is due, whether the event has come or not.
    var nextDeadline: MonotonicInstant? { entries.first?.deadline }

    mutating func append(_ pdu: [UInt8], at now: MonotonicInstant) {
        entries.append(Entry(pdu: pdu, deadline: now + EarlyData.time))
        octets += pdu.count
    }

    /// Takes the next PDU that is to be handled with the current protection of the link.
    mutating func popFirst(whileChanging isChanging: Bool, at now: MonotonicInstant) -> [UInt8]? {
        guard !entries.isEmpty, let first = entries.first else { return nil }
        let hasRoom = entries.count <= EarlyData.packets && octets <= EarlyData.octets
        if isChanging, hasRoom, first.deadline > now { return nil }
        octets -= first.pdu.count
        return entries.popFirst()?.pdu
    }
}
