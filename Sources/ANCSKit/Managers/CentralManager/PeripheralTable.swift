/// The objects that stand for devices, one for each. A device that is, or is to be, connected keeps its
/// object; any other one has it for as long as the app does.
struct PeripheralTable {
    private struct Entry {
        weak var peripheral: Peripheral?
    }

    private var entries: [PeerKey: Entry] = [:]
    private var holds: Set<Peripheral> = []
    /// How many entries there may be before those that nobody holds are dropped.
    private var limit = 64

    subscript(peer: PeerKey) -> Peripheral? { entries[peer]?.peripheral }

    /// The object of a device that is connected.
    subscript(connected peer: PeerKey) -> Peripheral? {
        guard let peripheral = self[peer], peripheral.assumeIsolated({ $0.state }) == .connected
        else { return nil }
        return peripheral
    }

    /// The objects that stay, in an order that is always the same.
    var held: [Peripheral] { holds.sorted { $0.peer.rawValue < $1.peer.rawValue } }

    /// A device that had none has an object.
    mutating func insert(_ peripheral: Peripheral) {
        entries[peripheral.peer] = Entry(peripheral: peripheral)
        guard entries.count > limit else { return }
        entries = entries.filter { $0.value.peripheral != nil }
        limit = max(64, 2 * entries.count)
    }

    /// The object stays, whether the app keeps it or not.
    mutating func hold(_ peripheral: Peripheral) { holds.insert(peripheral) }

    mutating func release(_ peripheral: Peripheral) { holds.remove(peripheral) }

    /// A device turned out to be another one as well. Where both had an object, its own stays if it is held,
    /// else the other one's; the one that does not stay is none any more.
    mutating func merge(_ other: PeerKey, into peer: PeerKey) {
        guard let known = entries.removeValue(forKey: other)?.peripheral else { return }
        guard let own = self[peer], holds.contains(own) else {
            entries[peer] = Entry(peripheral: known)
            return
        }
        holds.remove(known)
        known.assumeIsolated { $0.state = .disconnected }
    }
}
