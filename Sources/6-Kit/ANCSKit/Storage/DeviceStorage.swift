internal import BluetoothLE
internal import LinuxIO
internal import OpenSSLSecurity

/// Stores the ``DeviceState`` of a device, and has the parts that never change. The bonds belong to the host
/// and the peers to its owner; whenever either changes, both are stored.
///
/// The file is locked until ``close()``: if two processes used one file, the later would overwrite the
/// changes of the other.
struct DeviceStorage: Sendable {
    /// The state at the start.
    let initial: DeviceState
    /// The source of further secrets.
    let toolbox: OpenSSLToolbox
    private let store: BondStore?
    private let lock: FileLock?

    /// Reads the state, or creates that of a new device; without a store, it only exists in memory.
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

    /// Identifies a peer without showing its address: 16 hexadecimal digits, the same in every run, which
    /// cannot be reversed without the key.
    func digest(of address: DeviceAddress) -> String {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> ($0 * 8)) }
        let digest = toolbox.aesCMAC(
            key: initial.digestKey, message: [address.kind.rawValue] + octets)
        return Hexadecimal.text(digest >> 64, octets: 8)
    }

    /// Stores the current bonds and peers.
    func save(bonds: [BondRecord], peers: [KnownPeer]) throws(BondStore.Failure) {
        guard let store else { return }
        var state = initial
        state.bonds = bonds
        state.peers = peers
        try store.save(state)
    }

    /// Releases the file; nothing more is stored.
    func close() { lock?.release() }
}
