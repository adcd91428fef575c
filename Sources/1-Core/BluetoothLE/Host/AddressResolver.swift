/// Finds the bonded peers behind addresses. Remembers the results, so that a busy place does not cost an AES
/// operation for each report and bond.
struct AddressResolver: Sendable {
    private struct Entry: Sendable {
        var address: DeviceAddress
        var identity: DeviceAddress?
    }

    /// How many addresses are remembered: as many as a ``Scanner`` remembers devices.
    private static let limit = 256

    private var entries: [Entry] = []
    /// The position of the oldest entry, once the table is full.
    private var oldest = 0

    /// The bonds have changed.
    mutating func removeAll() {
        entries = []
        oldest = 0
    }

    /// The identity address of the bonded peer that uses an address; `nil` for an unknown device.
    mutating func identity(
        of address: DeviceAddress, among bonds: [BondRecord], using toolbox: some SecurityToolbox
    ) -> DeviceAddress? {
        guard address.randomKind == .resolvablePrivate else {
            return bonds.contains { $0.bond.identityAddress == address } ? address : nil
        }
        if let known = entries.first(where: { $0.address == address }) { return known.identity }
        let record = bonds.first { record in
            guard let irk = record.bond.identityResolvingKey, irk != 0 else {
                // A peer without identity information is identified by the address that it had when it
                // bonded.
                return record.bond.identityAddress == address
            }
            return toolbox.resolves(address, irk: irk)
        }
        let identity = record?.bond.identityAddress
        remember(Entry(address: address, identity: identity))
        return identity
    }

    private mutating func remember(_ entry: Entry) {
        guard entries.count == Self.limit else { return entries.append(entry) }
        entries[oldest] = entry
        oldest = (oldest + 1) % Self.limit
    }
}
