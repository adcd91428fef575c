internal import ANCS
internal import ANCSEvents
internal import ANCSKit
internal import BluetoothLE
internal import BluetoothTypes
internal import CommandKit
internal import Terminal

/// The output of `ancs bonds`.
struct BondsReport: Sendable {
    /// The width of the terminal in columns; `nil` for other outputs.
    var width: Int?

    /// A device, then its bonds, then the peers that it knows without a bond, one line each.
    func list(_ device: BondsCommand.StoredDevice) -> [String] {
        var table = TextTable([
            .init("PEER"), .init("KIND"), .init("NAME", minimumWidth: 8),
            .init("KEY", minimumWidth: 18), .init("SERVICES", minimumWidth: 8),
        ])
        table.rows = device.bonds.map { bond in
            [
                bond.peer.text, bond.peer.kindText,
                bond.name.map(TerminalText.visible) ?? "", Self.key(of: bond.record.bond),
                Self.services(of: bond.record),
            ]
        }
        table.rows += device.acquaintances.map { peer in
            [
                peer.address.text, peer.address.kindText,
                peer.name.map(TerminalText.visible) ?? "", "not bonded", "",
            ]
        }
        let lines = table.lines(width: width, indent: "  ")
        return heading(device) + (table.rows.isEmpty ? [] : [lines.heading] + lines.rows)
    }

    /// Everything about a bond except the keys.
    func show(_ bond: StoredBond, of device: BondsCommand.StoredDevice) -> [String] {
        var facts: [(String, [String])] = [
            (
                "bonded with",
                ["\(bond.device.title) \(Self.text(bond.record.bond.localIdentityAddress))"]
            ),
            ("kept in", [TerminalText.visible(device.path)]),
            ("key", [Self.key(of: bond.record.bond, isWhole: true)]),
            ("privacy", [Self.privacy(of: bond.record.bond)]),
        ]
        if let identifier = bond.identifier {
            facts.insert(("identifier", [identifier.text]), at: 0)
        }
        facts.append(("services", Self.serviceLines(of: bond.record)))
        facts.append(("subscriptions", Self.subscriptions(of: bond.record)))
        let titleWidth = facts.reduce(0) { max($0, $1.0.count) } + 2
        return [bond.title]
            + facts.flatMap { name, values in
                values.enumerated().map { index, value in
                    "  " + TerminalText.padded(index == 0 ? name : "", to: titleWidth) + value
                }
            }
    }

    /// What the removal of a bond means for the user.
    func removed(_ bond: StoredBond) -> [String] {
        [
            "removed \(bond.title) from the \(bond.device.title)",
            "The peer still has its key. It cannot connect again until it forgets this device too.",
        ]
    }

    /// The line for a forgotten peer that had no bond.
    func forgotten(_ peer: KnownPeer, by device: BondStore.Device) -> String {
        let name = peer.name.map { ", \(TerminalText.visible($0))" } ?? ""
        return "the \(device.title) no longer knows \(peer.address.text)\(name)"
    }

    // MARK: Words

    private func heading(_ device: BondsCommand.StoredDevice) -> [String] {
        let count = device.bonds.count
        let bonds = count == 0 ? "no bonds" : counted(count, "bond")
        return [
            "\(device.device.title) \(Self.text(device.state.identityAddress)) · \(bonds) · "
                + TerminalText.visible(device.path)
        ]
    }

    private static func text(_ address: DeviceAddress) -> String {
        "\(address.text) (\(address.kindText))"
    }

    /// The kind of key. A list does not mention the size of a full-size key.
    private static func key(of bond: Bond, isWhole: Bool = false) -> String {
        let origin = bond.usesSecureConnections ? "Secure Connections" : "legacy pairing"
        let protection =
            bond.isAuthenticated
            ? "authenticated"
            : isWhole ? "Just Works: not protected against a man in the middle" : "Just Works"
        let size = isWhole || bond.keySize < 16 ? [", \(bond.keySize) octets"] : []
        return "\(origin), \(protection)" + size.joined()
    }

    private static func privacy(of bond: Bond) -> String {
        bond.identityResolvingKey == nil
            ? "always on air with this address"
            : "recognized by its private addresses too"
    }

    /// The services of the peer: the important ones first, then in the order of their handles.
    private static func services(of record: BondRecord) -> String {
        guard let database = record.remoteDatabase else { return "not discovered" }
        let own: Set<BluetoothUUID> = [.genericAccess, .genericAttribute]
        let names = database.services.map(\.uuid).filter { !own.contains($0) }
        let ancs = BluetoothUUID(ANCSUUID.service)
        let sorted = names.filter { $0 == ancs } + names.filter { $0 != ancs }
        return sorted.isEmpty
            ? "none" : sorted.map(AssignedNumbers.serviceText).joined(separator: ", ")
    }

    private static func serviceLines(of record: BondRecord) -> [String] {
        guard let database = record.remoteDatabase else { return ["not discovered"] }
        guard !database.services.isEmpty else { return ["none"] }
        return database.services.map { service in
            let name = AssignedNumbers.service(service.uuid).map { " \($0)" } ?? ""
            let kind = service.isPrimary ? "" : " (secondary)"
            return "\(service.range.first.text)–\(service.range.last.text) \(service.uuid.text)"
                + name + kind
        }
    }

    private static func subscriptions(of record: BondRecord) -> [String] {
        let descriptors = record.clientConfiguration.descriptors
        guard !descriptors.isEmpty else { return ["none"] }
        return descriptors.map { descriptor in
            let values: [(ClientCharacteristicConfiguration, String)] = [
                (.notification, "notifications"), (.indication, "indications"),
            ]
            let wanted = values.filter { descriptor.value.contains($0.0) }.map(\.1)
            return "\(descriptor.handle.text) \(wanted.joined(separator: ", "))"
        }
    }
}
