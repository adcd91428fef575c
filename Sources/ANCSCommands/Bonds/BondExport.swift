internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// A bond with its keys, as another machine takes it.
enum BondExport {
    /// A bond that the other side would ignore.
    struct Impossible: Error {
        var reason: String
    }

    /// The file of the bonds with this one alone: with it as `bonds.json` or `phone.json`, another
    /// machine is this device for that peer.
    static func json(of bond: StoredBond, of state: DeviceState) -> String {
        var state = state
        state.bonds = [bond.record]
        state.peers.removeAll { $0.identity != bond.peer }
        return state.json.text + "\n"
    }

    // MARK: BlueZ

    /// `info` of BlueZ (doc/settings-storage.txt; `store_ltk_group`, `store_irk`, `store_csrk` and
    /// `get_ltk` of its sources say what the document leaves open).
    ///
    /// Keys are written least significant octet first, as the kernel has them and the air carries them.
    static func bluez(_ stored: StoredBond) throws(Impossible) -> String {
        let bond = stored.record.bond
        guard bond.identityAddress.canBeIdentity else {
            throw Impossible(reason: "the peer gave no identity address, and BlueZ ignores others")
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

    /// Where the file belongs. The peer knows this side by an address, which the other adapter must
    /// have; BlueZ names the directory of an adapter with a static random address accordingly.
    private static func introduction(to bond: Bond) -> [String] {
        let local = bond.localIdentityAddress
        let adapter = (local.kind == .random ? "static-" : "") + local.text
        let directory = "/var/lib/bluetooth/\(adapter)"
        var lines = [
            "# While bluetoothd is stopped: \(directory)/\(bond.identityAddress.text)/info, mode 0600.",
            "# The peer looks for \(local.text) (\(local.kindText)): that has to be the address of",
            "# the adapter.",
        ]
        if let key = bond.localIdentityResolvingKey, key != 0 {
            lines += [
                "# If the adapter uses private addresses, \(directory)/identity has, in [General],",
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

    /// `LongTermKey` encrypts while the adapter is Central, `PeripheralLongTermKey` while it is
    /// Peripheral, which older versions call `SlaveLongTermKey`; newer ones write and read both. A
    /// key of LE Secure Connections serves both roles, and is kept as the kernel reports it: in the
    /// latter.
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

    /// `Authenticated` is the type of the key in the kernel's management interface: 0 and 1 for legacy
    /// pairing, 2 and 3 for P-256 keys, the odd ones authenticated.
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

    /// Least significant octet first.
    private static func text(_ key: UInt128) -> String {
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * $0)) }
        return Hexadecimal.text(octets).uppercased()
    }

    /// A value of a key file (GLib, `g_key_file_set_string`): on one line, and no more than the 248
    /// octets for which BlueZ has room.
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
    /// The 36-character form, whether there is a shorter one or not.
    var longText: String {
        guard shortValue != nil else { return text }
        return "0000\(text)-0000-1000-8000-00805F9B34FB"
    }
}
