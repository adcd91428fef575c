internal import BluetoothLE

/// Which accessory has which name for the run: by its identity, or by the address that it is on air
/// with as long as that is all that is known.
struct AccessoryRegistry {
    /// An accessory that is or was there.
    struct Entry {
        let id: AccessoryID
        var address: DeviceAddress
        var identity: DeviceAddress?
        var name: String?

        var description: AccessoryDescription {
            AccessoryDescription(name: name, address: address.text, identity: identity?.text)
        }
    }

    /// How many are remembered.
    private static var limit: Int { 1024 }

    /// The one that was heard of last at the end.
    private(set) var entries: [Entry] = []
    private var lastID: UInt64 = 0

    /// The accessory with an address on air, an identity, or both; a new one where nobody has them.
    mutating func entry(
        address: DeviceAddress, identity: DeviceAddress?, name: String? = nil
    ) -> Entry {
        let index = entries.firstIndex {
            identity != nil && $0.identity == identity || $0.address == address
        }
        var entry: Entry
        if let index {
            entry = entries.remove(at: index)
        } else {
            lastID += 1
            entry = Entry(id: AccessoryID(rawValue: lastID), address: address)
        }
        entry.address = address
        entry.identity = identity ?? entry.identity
        entry.name = name ?? entry.name
        entries.append(entry)
        return entry
    }

    subscript(id: AccessoryID) -> Entry? { entries.first { $0.id == id } }

    /// An accessory is bonded: it keeps its name for the run, and nobody else has its identity.
    mutating func identify(_ id: AccessoryID, as identity: DeviceAddress) -> AccessoryID? {
        let earlier = entries.firstIndex { $0.identity == identity && $0.id != id }
        let forgotten = earlier.map { entries.remove(at: $0).id }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return forgotten }
        entries[index].identity = identity
        return forgotten
    }

    /// The bond of an accessory is gone.
    mutating func forget(_ id: AccessoryID) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].identity = nil
    }

    /// Forgets who was heard of longest ago and may be forgotten, where there are too many.
    mutating func prune(keeping isNeeded: (Entry) -> Bool) -> AccessoryID? {
        guard entries.count > Self.limit,
            let index = entries.firstIndex(where: { !isNeeded($0) })
        else { return nil }
        return entries.remove(at: index).id
    }
}
