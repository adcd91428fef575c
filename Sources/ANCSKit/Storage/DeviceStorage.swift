internal import BluetoothLE
internal import LinuxIO

/// Where a device keeps its ``DeviceState``, and the part of it that never changes. The bonds are the
/// host's, the peers its owner's: whenever those change, they are stored together.
///
/// The file is locked from the beginning to ``close()``: of two runs with one file, the later one would
/// overwrite what the other one has stored.
struct DeviceStorage: Sendable {
    /// The state at the start.
    let initial: DeviceState
    /// The source of whatever else is to be secret.
    let toolbox: OpenSSLToolbox
    private let store: BondStore?
    private let lock: FileLock?

    /// Reads the state, or makes that of a new device; without a store it lives as long as the run.
    init(_ store: BondStore?, toolbox: OpenSSLToolbox) throws(DeviceError) {
        var toolbox = toolbox
        do throws(BondStore.Failure) {
            lock = try store?.lock()
            if let store {
                initial = try store.load(using: &toolbox)
            } else {
                initial = .new(using: &toolbox)
            }
        } catch { throw .storage(error) }
        self.toolbox = toolbox
        self.store = store
    }

    /// What stands for a peer where its address should not be shown: 16 hexadecimal digits, the same in
    /// every run, which nobody can turn back who does not have the key.
    func digest(of address: DeviceAddress) -> String {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> ($0 * 8)) }
        let digest = toolbox.aesCMAC(
            key: initial.digestKey, message: [address.kind.rawValue] + octets)
        return DeviceState.hexadecimal(digest >> 64, octets: 8)
    }

    /// Stores the bonds and the peers as they are now.
    func save(bonds: [BondRecord], peers: [KnownPeer]) throws(BondStore.Failure) {
        guard let store else { return }
        var state = initial
        state.bonds = bonds
        state.peers = peers
        try store.save(state)
    }

    /// Nothing more is stored; another run may have the file.
    func close() { lock?.release() }
}
