internal import BluetoothLE

/// Where a device keeps its ``DeviceState``, and the part of it that never changes. The bonds are the
/// host's: whenever those change, they are stored.
struct DeviceStorage: Sendable {
    /// The state at the start.
    let initial: DeviceState
    /// The source of whatever else is to be secret.
    let toolbox: OpenSSLToolbox
    private let store: BondStore?

    /// Reads the state, or makes that of a new device; without a store it lives as long as the run.
    init(_ store: BondStore?, toolbox: OpenSSLToolbox) throws(DeviceError) {
        var toolbox = toolbox
        do throws(BondStore.Failure) {
            if let store {
                initial = try store.load(using: &toolbox)
            } else {
                initial = .new(using: &toolbox)
            }
        } catch { throw .storage(error) }
        self.toolbox = toolbox
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
