internal import ANCSReceiver
internal import JSONText
internal import LinuxIO

/// The file with the identifiers of peers at bluetoothd, which keeps the bonds itself: `bluetoothd-peers.json`, mode
/// 0600 in a directory of mode 0700, replaced atomically. Several programs may use it at a time.
struct BlueZPeerStore: Equatable, Sendable {
    /// A peer that is remembered beyond a run, so that its identifier stays the same.
    struct Entry: Equatable, Sendable {
        /// Its identity address.
        var address: DeviceAddress
        /// Identifies it for programs.
        var identifier: PeerIdentifier
    }

    /// The path of the file.
    let path: String

    /// The file in a directory, which is created when there is something to keep.
    init(directory: String) { path = directory + "/bluetoothd-peers.json" }

    /// The peers, in the order of their last use; empty without a file.
    func read() throws(StoreFailure) -> [Entry] {
        let list = try PrivateFile.list("peers", path: path) ?? []
        // What cannot be read is discovered again.
        return list.suffix(KnownPeer.limit).compactMap(Entry.init)
    }

    /// Adds peers that were used. One whose address is there already keeps its identifier, which another program may
    /// have given it. Throws `IOError/Code/busy` while another program does the same, for milliseconds.
    func add(_ peers: [Entry]) throws(StoreFailure) {
        let lock: FileLock
        do throws(IOError) { lock = try FileLock(of: path) } catch { throw .io(error) }
        defer { lock.release() }
        var all = try read()
        for peer in peers {
            let before = all.firstIndex { $0.address == peer.address }
            all.append(before.map { all.remove(at: $0) } ?? peer)
        }
        try PrivateFile.write(path: path, "peers", all.suffix(KnownPeer.limit).map(\.json))
    }
}

extension BlueZPeerStore.Entry {
    fileprivate var json: JSONValue {
        [
            "identifier": .string(identifier.text),
            "identity": DeviceState.json(of: address),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let identifier = json["identifier"]?.string.flatMap(PeerIdentifier.init(text:)),
            let address = try? DeviceState.address(json["identity"], "identity"),
            address.canBeIdentity
        else { return nil }
        self.init(address: address, identifier: identifier)
    }
}
