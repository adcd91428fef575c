internal import DBus

/// A bond of bluetoothd: with which adapter, and which device.
package struct BondIdentity: Hashable, Sendable {
    /// The address of the adapter.
    package var adapter: String
    /// The identity address of the device.
    package var address: String
    /// The type of that address: `public` or `random`.
    package var type: String

    /// A bond of an adapter.
    package init(adapter: String, address: String, type: String) {
        (self.adapter, self.address, self.type) = (adapter, address, type)
    }
}

/// What was decided about bonds: whether a device may be received from. A decision is void when the bond is gone: the
/// next bond with the same identity may be anybody's.
struct BondBook: Equatable, Sendable {
    /// A bond whose device bluetoothd does not list.
    private struct Absence: Equatable, Sendable {
        var adapter: ObjectPath
        var until: MonotonicInstant
        /// Whether the device was removed, or has yet to appear since the adapter has.
        var wasRemoved: Bool
    }

    /// How long an adapter, or bluetoothd, may take to disappear after its devices: it removes them first, and that
    /// says nothing of their bonds. As long may its devices take to appear after it.
    static let patience = Duration.seconds(5)

    private(set) var decisions: [BondIdentity: Bool]
    /// The devices whose bonds were decided about.
    private var paths: [ObjectPath: BondIdentity] = [:]
    private var absences: [BondIdentity: Absence] = [:]
    /// The adapters that are there.
    private var adapters: Set<ObjectPath> = []

    init(_ decisions: [BondIdentity: Bool] = [:]) { self.decisions = decisions }

    mutating func decide(_ bond: BondIdentity, at path: ObjectPath?, isAccepted: Bool) {
        decisions[bond] = isAccepted
        if let path { paths[path] = bond }
    }

    /// The decision about a bond is void.
    mutating func void(_ bond: BondIdentity) {
        decisions[bond] = nil
        absences[bond] = nil
        for path in paths.keys where paths[path] == bond { paths[path] = nil }
    }

    /// An adapter appeared or, without an address, disappeared.
    mutating func adapterChanged(_ path: ObjectPath, address: String?, at now: MonotonicInstant) {
        guard let address else {
            adapters.remove(path)
            absences = absences.filter { $0.value.adapter != path }
            paths = paths.filter { !$0.key.isBelow(path) }
            return
        }
        guard adapters.insert(path).inserted else { return }
        for bond in decisions.keys where bond.adapter == address && !paths.values.contains(bond) {
            absences[bond] = Absence(adapter: path, until: now + Self.patience, wasRemoved: false)
        }
    }

    /// A device was added, changed or removed. Returns the bond that is gone, if it was decided about.
    mutating func deviceChanged(
        _ path: ObjectPath, _ bond: BondIdentity?, isPaired: Bool, at now: MonotonicInstant
    ) -> BondIdentity? {
        guard let bond else {
            guard let gone = paths.removeValue(forKey: path),
                let adapter = adapters.first(where: { path.isBelow($0) })
            else { return nil }
            absences[gone] = Absence(adapter: adapter, until: now + Self.patience, wasRemoved: true)
            return nil
        }
        guard decisions[bond] != nil else { return nil }
        if !isPaired || absences.removeValue(forKey: bond)?.wasRemoved == true { return bond }
        paths[path] = bond
        return nil
    }

    /// bluetoothd has ended.
    mutating func daemonEnded() { self = Self(decisions) }

    var nextDeadline: MonotonicInstant? {
        absences.values.map(\.until).reduce(nil, MonotonicInstant.earliest)
    }

    mutating func forgetAbsences() { absences = [:] }

    /// The bonds whose devices are gone for good.
    func overdue(at now: MonotonicInstant) -> [BondIdentity] {
        absences.filter { $0.value.until <= now }.map(\.key)
    }
}
