/// The identifiers of peripherals that were kept in a directory by earlier runs, at bluetoothd or at a controller.
package enum StoredPeers {
    /// They; none if there is no directory, or what is in it cannot be read, which the adapter reports.
    package static func identifiers(in directory: String?) -> [PeerIdentifier] {
        guard let directory else { return [] }
        let atController = (try? BondStore(directory: directory).read())?.peers ?? []
        let atBlueZ = (try? BlueZPeerStore(directory: directory).read()) ?? []
        return atController.map(\.identifier) + atBlueZ.map(\.identifier)
    }
}
