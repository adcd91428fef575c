internal import OpenSSLSecurity
internal import BluetoothLE

/// What earlier connections in a capture show about a peer that connects again.
struct PeerMemory: Sendable {
    /// Identifies a peer, as seen from one adapter. What its server has may differ between BR/EDR and LE.
    package struct Key: Hashable, Sendable {
        package var adapter: UInt16
        package var address: DeviceAddress
        package var transport = CaptureEvent.Transport.lowEnergy

        /// The same peer on the other transport. Over BR/EDR a device has its public identity address.
        var onOtherTransport: Key {
            var other = self
            other.transport = transport == .lowEnergy ? .basicRate : .lowEnergy
            return other
        }
    }

    /// What is known about a peer.
    struct Memory: Sendable {
        /// The number of the connection.
        package var connection: Int
        /// The attributes of the peer's server and of the local one.
        var maps: [CaptureEvent.Side: GATTMap]
        package var handles: [CaptureEvent.Side: ANCSHandles]
    }

    private struct Identity: Sendable {
        var resolvingKey: UInt128
        var address: DeviceAddress
    }

    private static let maximumIdentities = 64
    private static let maximumAdvised = 64
    private var advised = BoundedDictionary<Key, Bool>(limit: maximumAdvised)
    private var memories = BoundedDictionary<Key, Memory>(limit: 128)
    private var identities: [Identity] = []
    private let toolbox = OpenSSLToolbox()

    package subscript(key: Key) -> Memory? { memories[key] }

    /// The number of the latest connection with a peer, on either transport.
    func latestConnection(with key: Key) -> Int? {
        [memories[key], memories[key.onOtherTransport]].compactMap { $0?.connection }.max()
    }

    /// Whether it is the first time that advice is due about a peer; one without an address is always new.
    mutating func isFirstAdvice(about key: Key?) -> Bool {
        guard let key else { return true }
        guard advised[key] == nil else { return false }
        advised.set(true, for: key)
        return true
    }

    package mutating func remember(_ memory: Memory, of key: Key) { memories.set(memory, for: key) }

    /// A resolving key became known, from pairing or from the host's resolving list.
    mutating func learn(_ address: DeviceAddress, resolvingKey: UInt128) {
        guard resolvingKey != 0 else { return }
        identities.removeAll { $0.resolvingKey == resolvingKey || $0.address == address }
        if identities.count == Self.maximumIdentities { identities.removeFirst() }
        identities.append(Identity(resolvingKey: resolvingKey, address: address))
    }

    /// The identity behind an address: the address itself, or that of the device whose key made it.
    package func identity(of address: DeviceAddress) -> DeviceAddress? {
        if address.canBeIdentity { return address }
        guard address.randomKind == .resolvablePrivate else { return nil }
        let keys = identities.map(\.resolvingKey)
        return PrivateAddress.resolve(address, with: keys, using: toolbox)
            .map { identities[$0].address }
    }
}
