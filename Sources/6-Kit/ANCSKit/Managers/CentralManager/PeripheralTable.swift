internal import LinuxIO

/// The objects of devices, one for each. The object of a device that is connected or connecting is kept; any
/// other exists as long as the app holds it.
struct PeripheralTable {
    private struct Entry { weak var peripheral: Peripheral? }

    private var entries: [PeerKey: Entry] = [:]
    private var holds: Set<Peripheral> = []
    /// How many entries there may be before those without an object are dropped.
    private var limit = 64

    subscript(peer: PeerKey) -> Peripheral? { entries[peer]?.peripheral }

    /// The object of a connected device.
    subscript(connected peer: PeerKey) -> Peripheral? {
        guard let peripheral = self[peer], peripheral.assumeOnLoop({ $0.state }) == .connected
        else { return nil }
        return peripheral
    }

    /// The kept objects, in a deterministic order.
    var held: [Peripheral] { holds.sorted(byNumber: \.peer.rawValue) }

    /// Adds the object of a device that has none.
    mutating func insert(_ peripheral: Peripheral) {
        entries[peripheral.peer] = Entry(peripheral: peripheral)
        guard entries.count > limit else { return }
        entries = entries.filter { $0.value.peripheral != nil }
        limit = max(64, 2 * entries.count)
    }

    /// Keeps the object, even if the app does not.
    mutating func hold(_ peripheral: Peripheral) { holds.insert(peripheral) }

    mutating func release(_ peripheral: Peripheral) { holds.remove(peripheral) }

    /// Two devices turned out to be one. If both have an object, the device's own one remains if it is kept,
    /// otherwise the other one; the object that does not remain is invalid.
    mutating func merge(_ other: PeerKey, into peer: PeerKey) {
        guard let known = entries.removeValue(forKey: other)?.peripheral else { return }
        guard let own = self[peer], holds.contains(own) else {
            entries[peer] = Entry(peripheral: known)
            return
        }
        holds.remove(known)
        known.assumeOnLoop { $0.state = .disconnected }
    }
}
