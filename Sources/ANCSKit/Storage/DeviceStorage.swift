internal import BluetoothLE

/// Where a device keeps its ``DeviceState``, and the part of it that never changes. The bonds are the
/// host's: whenever those change, they are stored.
struct DeviceStorage: Sendable {
    /// The state at the start.
    let initial: DeviceState
    private let store: BondStore?

    /// Reads the state, or makes that of a new device; without a store it lives as long as the run.
    init(_ store: BondStore?) throws(DeviceError) {
        do throws(BondStore.Failure) {
            initial = try store?.load() ?? .new()
        } catch { throw .storage(error) }
        self.store = store
    }

    /// Stores the bonds as they are now.
    func save(bonds: [BondRecord]) throws(BondStore.Failure) {
        guard let store else { return }
        var state = initial
        state.bonds = bonds
        try store.save(state)
    }
}
