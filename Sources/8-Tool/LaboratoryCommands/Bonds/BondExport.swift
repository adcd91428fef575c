package import ANCSKit
internal import BluetoothLE
internal import DeviceCommandKit

/// Writes a bond with its keys in a form that another machine can import.
package enum BondExport {
    /// The bond cannot be exported, because the importing side would ignore it.
    package struct Impossible: Error { var reason: String }

    /// The bond file with this bond alone. Stored as `bonds.json` or `phone.json` on another machine, it
    /// makes that machine appear as this device to the peer.
    package static func json(of bond: StoredBond, of state: DeviceState) -> String {
        var state = state
        state.bonds = [bond.record]
        state.peers.removeAll { $0.identity != bond.peer }
        return state.json.text + "\n"
    }

    // MARK: BlueZ

    /// The `info` file of BlueZ (doc/settings-storage.txt; for details that it leaves open,
    /// `store_ltk_group`, `store_irk`, `store_csrk` and `get_ltk` in BlueZ's source).
    ///
    /// Keys are written least significant octet first, as the kernel stores them and as they are sent over
    /// the air.
    package static func bluez(_ stored: StoredBond) throws(Impossible) -> String {
        let bond = stored.record.bond
        guard bond.identityAddress.canBeIdentity else {
            throw Impossible(
                reason: "the peer has no identity address, and BlueZ ignores bonds without one")
        }
        let keys = longTermKeys(of: bond)
        guard !keys.isEmpty else { throw Impossible(reason: "it has no long term key") }
        var lines = introduction(to: bond) + general(stored) + keys
        if let key = bond.identityResolvingKey {
            lines += ["", "[IdentityResolvingKey]", "Key=\(text(key))"]
        }
        lines += signatureKey("LocalSignatureKey", bond.localSignatureResolvingKey, of: bond)
        lines += signatureKey("RemoteSignatureKey", bond.signatureResolvingKey, of: bond)
        return lines.joined(separator: "\n") + "\n"
    }

    /// A comment that says where the file belongs. The peer knows this side by an address, which the
    /// importing adapter must have; BlueZ names the directory of an adapter with a static random address
    /// after that address.
    private static func introduction(to bond: Bond) -> [String] {
        let local = bond.localIdentityAddress
        let adapter = (local.kind == .random ? "static-" : "") + local.text
        let directory = "/var/lib/bluetooth/\(adapter)"
        var lines = [
            "# Stop bluetoothd, then put this at \(directory)/\(bond.identityAddress.text)/info, mode 0600.",
            "# The peer looks for \(local.text) (\(local.kindText)), which must be the address of",
            "# the adapter.",
        ]
        if let key = bond.localIdentityResolvingKey, key != 0 {
            lines += [
                "# If the adapter uses private addresses, add to [General] of \(directory)/identity:",
                "# IdentityResolvingKey=\(text(key).lowercased())",
            ]
        }
        return lines + [""]
    }

    private static func general(_ stored: StoredBond) -> [String] {
        var lines = ["[General]"]
        if let name = stored.name { lines.append("Name=\(escaped(name))") }
        let services = stored.record.remoteDatabase?.services ?? []
        lines += [
            "AddressType=\(stored.peer.kind == .random ? "static" : "public")",
            "SupportedTechnologies=LE;", "Trusted=false", "Blocked=false",
        ]
        if !services.isEmpty {
            let uuids = services.map { $0.uuid.longText.lowercased() + ";" }
            lines.append("Services=" + uuids.joined())
        }
        return lines
    }

    /// `LongTermKey` is used while the adapter is the Central, `PeripheralLongTermKey` while it is the
    /// Peripheral. Older versions of BlueZ call the latter `SlaveLongTermKey`; newer ones write and read
    /// both. A key of LE Secure Connections serves both roles and is stored in the latter, as the kernel
    /// reports it.
    private static func longTermKeys(of bond: Bond) -> [String] {
        let peripheral = ["PeripheralLongTermKey", "SlaveLongTermKey"]
        if bond.usesSecureConnections {
            guard let key = bond.localLongTermKey ?? bond.peerLongTermKey else { return [] }
            return peripheral.flatMap { group($0, key, of: bond) }
        }
        return (bond.peerLongTermKey.map { group("LongTermKey", $0, of: bond) } ?? [])
            + (bond.localLongTermKey.map { key in
                peripheral.flatMap { group($0, key, of: bond) }
            } ?? [])
    }

    /// `Authenticated` is the key type of the kernel's management interface: 0 and 1 for legacy pairing, 2
    /// and 3 for P-256 keys; the odd ones are authenticated.
    private static func group(_ name: String, _ key: Bond.LongTermKey, of bond: Bond) -> [String] {
        let type = (bond.usesSecureConnections ? 2 : 0) + (bond.isAuthenticated ? 1 : 0)
        return [
            "", "[\(name)]", "Key=\(text(key.value))", "Authenticated=\(type)",
            "EncSize=\(bond.keySize)", "EDiv=\(key.ediversifier)", "Rand=\(key.random)",
        ]
    }

    private static func signatureKey(_ name: String, _ key: UInt128?, of bond: Bond) -> [String] {
        guard let key else { return [] }
        return [
            "", "[\(name)]", "Key=\(text(key))", "Counter=0",
            "Authenticated=\(bond.isAuthenticated)",
        ]
    }

    /// Hexadecimal digits, least significant octet first.
    private static func text(_ key: UInt128) -> String {
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * $0)) }
        return Hexadecimal.text(octets).uppercased()
    }

    /// Escapes a value for a key file (GLib, `g_key_file_set_string`) and cuts it to the 248 octets that
    /// BlueZ accepts.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let next: String
            switch scalar {
            case "\\": next = #"\\"#
            case "\n": next = #"\n"#
            case "\r": next = #"\r"#
            case "\t": next = #"\t"#
            case " " where text.isEmpty: next = #"\s"#
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: next = "\u{FFFD}"
            default: next = String(scalar)
            }
            guard text.utf8.count + next.utf8.count <= 248 else { break }
            text += next
        }
        return text
    }
}

extension BluetoothUUID {
    /// The 36-character form of any UUID.
    var longText: String {
        guard shortValue != nil else { return text }
        return "0000\(text)-0000-1000-8000-00805F9B34FB"
    }
}
