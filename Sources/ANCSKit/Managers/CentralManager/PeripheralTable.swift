/// The objects that stand for devices, one for each. A device that is, or is to be, connected keeps its
/// object; any other one has it for as long as the app does.
struct PeripheralTable {
    private struct Entry {
        weak var peripheral: Peripheral?
    }

    private var entries: [PeerIdentifier: Entry] = [:]
    private var holds: [PeerIdentifier: Peripheral] = [:]
    /// How many entries there may be before those that nobody holds are dropped.
    private var limit = 64

    subscript(identifier: PeerIdentifier) -> Peripheral? { entries[identifier]?.peripheral }

    /// The object of a device that is connected.
    subscript(connected identifier: PeerIdentifier) -> Peripheral? {
        guard let peripheral = holds[identifier],
            peripheral.assumeIsolated({ $0.state }) == .connected
        else { return nil }
        return peripheral
    }

    /// The objects that stay, in an order that is always the same.
    var held: [Peripheral] {
        holds.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    /// The object of a device, or a new one.
    mutating func find(
        _ identifier: PeerIdentifier, orMake make: () -> Peripheral
    ) -> Peripheral {
        if let known = self[identifier] { return known }
        let peripheral = make()
        entries[identifier] = Entry(peripheral: peripheral)
        if entries.count > limit {
            entries = entries.filter { $0.value.peripheral != nil }
            limit = max(64, 2 * entries.count)
        }
        return peripheral
    }

    /// The object stays, whether the app keeps it or not.
    mutating func hold(_ peripheral: Peripheral) { holds[peripheral.identifier] = peripheral }

    mutating func release(_ identifier: PeerIdentifier) { holds[identifier] = nil }

    /// A device has another identifier. Where both had an object, the one that is held stays; the other
    /// one is none any more. Returns the object that has another identifier now.
    mutating func move(_ identifier: PeerIdentifier, to other: PeerIdentifier) -> Peripheral? {
        guard let peripheral = entries.removeValue(forKey: identifier)?.peripheral else {
            return nil
        }
        let isHeld = holds.removeValue(forKey: identifier) != nil
        if let known = self[other] {
            guard isHeld else { return nil }
            known.assumeIsolated { $0.state = .disconnected }
        }
        entries[other] = Entry(peripheral: peripheral)
        if isHeld { holds[other] = peripheral }
        return peripheral
    }
}
