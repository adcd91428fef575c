package import BlueZ
internal import JSONText

/// The file in which it is kept which bonds of bluetoothd are accepted: `accepted.json`, mode 0600 in a directory of
/// mode 0700, replaced atomically. Programs that share it change only what they have decided.
package struct BondMemory: Equatable, Sendable {
    /// The path of the file.
    package let path: String

    /// The file in a directory, which is created when there is something to keep.
    package init(directory: String) { path = directory + "/accepted.json" }

    /// What is kept; `nil` without a file.
    package func read() throws(StoreFailure) -> [BondIdentity: Bool]? {
        guard let list = try PrivateFile.list("bonds", path: path) else { return nil }
        var decisions: [BondIdentity: Bool] = [:]
        for entry in list {
            guard let adapter = entry["adapter"]?.string, let address = entry["address"]?.string,
                let type = entry["type"]?.string, let isAccepted = entry["accepted"]?.boolean
            else { throw .unreadable(path: path, reason: "a member is missing or invalid") }
            decisions[BondIdentity(adapter: adapter, address: address, type: type)] = isAccepted
        }
        return decisions
    }

    /// Keeps a decision about a bond, or nothing about it; without a bond, only that there are no others. A file of
    /// something else is not changed.
    package func keep(_ bond: BondIdentity?, _ isAccepted: Bool?) throws(StoreFailure) {
        var decisions = try read() ?? [:]
        if let bond { decisions[bond] = isAccepted }
        let list = decisions.sorted {
            ($0.key.adapter, $0.key.address) < ($1.key.adapter, $1.key.address)
        }
        .map { bond, isAccepted -> JSONValue in
            [
                "adapter": .string(bond.adapter), "address": .string(bond.address),
                "type": .string(bond.type), "accepted": .boolean(isAccepted),
            ]
        }
        try PrivateFile.write(path: path, "bonds", list)
    }
}
