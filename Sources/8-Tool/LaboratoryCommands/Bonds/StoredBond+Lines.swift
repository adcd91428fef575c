internal import BluetoothLE
internal import DeviceCommandKit
package import Kinds

// What `ancs bonds` prints.

extension StoredBond {
    /// The lines of `ancs bonds`.
    package static let schema = LineSchema(
        "bonds", "One object per line on standard output. No line has a key.",
        [
            LineKind("bond", "a bond, without its keys: only their names", form),
            LineKind("peer", "a known peer that is not bonded", BondsCommand.acquaintance),
            LineKind("removed", "a bond was removed, or a peer forgotten", BondsCommand.removal),
        ])

    /// Everything except the keys.
    static let form = ObjectForm<StoredBond>(
        .text("device", BondStore.Device.words, \.device.title),
        .init("peer", .peerAddress, \.peer.json),
        .text("identifier?", .identifier, \.identifier?.text), .text("name?", \.name),
        .init("local", .peerAddress, \.record.bond.localIdentityAddress.json),
        .flag("secureConnections", \.record.bond.usesSecureConnections),
        .flag("authenticated", \.record.bond.isAuthenticated),
        .number("keySize", .integer(in: 7...16), \.record.bond.keySize),
        .texts("keys", .list(of: .words(keys.map(\.name)))) { bond in
            keys.filter { $0.isIn(bond.record.bond) }.map(\.name)
        },
        .objects("services?", service, \.record.remoteDatabase?.services),
        .objects("subscriptions", subscription, \.record.clientConfiguration.descriptors))

    /// The names of the keys that a bond can have.
    private static let keys: [(name: String, isIn: @Sendable (Bond) -> Bool)] = [
        ("localLTK", { $0.localLongTermKey != nil }), ("peerLTK", { $0.peerLongTermKey != nil }),
        ("localIRK", { $0.localIdentityResolvingKey != nil }),
        ("peerIRK", { $0.identityResolvingKey != nil }),
        ("localCSRK", { $0.localSignatureResolvingKey != nil }),
        ("peerCSRK", { $0.signatureResolvingKey != nil }),
    ]

    private static let service = ObjectForm<RemoteDatabase.Service>(
        .text("uuid", .uuid, \.uuid.text), .text("name?") { AssignedNumbers.service($0.uuid) },
        .init("first", .handle, \.range.first.json), .init("last", .handle, \.range.last.json),
        .flag("primary", \.isPrimary))

    private static let subscription = ObjectForm<ClientConfiguration.Descriptor>(
        .init("handle", .handle, \.handle.json),
        .flag("notification") { $0.value.contains(.notification) },
        .flag("indication") { $0.value.contains(.indication) })

    /// A row of the list.
    fileprivate var row: Line {
        Line("bond", Self.form.members(of: self), servicesText, .item)
            .after(peer.text, peer.kindText, name ?? "", key(isWhole: false))
    }

    /// Everything about the bond except the keys, and where it is stored.
    func lines(at path: String) -> [Line] {
        func line(_ title: String, _ texts: [String]) -> Line {
            Line(told: texts[0], .item, below: texts.dropFirst().map { .text($0) }).after(title)
        }
        let bond = record.bond
        return [Line("bond", Self.form.members(of: self), title, .plain)]
            + (identifier.map { [line("identifier", [$0.text])] } ?? []) + [
                line("bonded with", ["\(device.title) \(bond.localIdentityAddress.textAndKind)"]),
                line("kept in", [path]), line("key", [key(isWhole: true)]),
                line(
                    "privacy",
                    [
                        bond.identityResolvingKey == nil
                            ? "always on air with this address"
                            : "recognized by its private addresses too"
                    ]), line("services", serviceTexts), line("subscriptions", subscriptionTexts),
            ]
    }

    /// The kind of key. A list does not mention the size of a full-size key.
    private func key(isWhole: Bool) -> String {
        let bond = record.bond
        let origin = bond.usesSecureConnections ? "Secure Connections" : "legacy pairing"
        let protection =
            bond.isAuthenticated
            ? "authenticated"
            : isWhole ? "Just Works: not protected against a man in the middle" : "Just Works"
        let size = isWhole || bond.keySize < 16 ? ", \(bond.keySize) octets" : ""
        return "\(origin), \(protection)" + size
    }

    /// The services of the peer: the important ones first, then in the order of their handles.
    private var servicesText: String {
        guard let database = record.remoteDatabase else { return "not discovered" }
        let own: Set<BluetoothUUID> = [.genericAccess, .genericAttribute]
        let names = database.services.map(\.uuid).filter { !own.contains($0) }
        let ancs = BluetoothUUID(ANCSUUID.service)
        let sorted = names.filter { $0 == ancs } + names.filter { $0 != ancs }
        return sorted.isEmpty
            ? "none" : sorted.map(AssignedNumbers.serviceText).joined(separator: ", ")
    }

    private var serviceTexts: [String] {
        guard let database = record.remoteDatabase else { return ["not discovered"] }
        guard !database.services.isEmpty else { return ["none"] }
        return database.services.map { service in
            let name = AssignedNumbers.service(service.uuid).map { " \($0)" } ?? ""
            let kind = service.isPrimary ? "" : " (secondary)"
            return "\(service.range.first.text)–\(service.range.last.text) \(service.uuid.text)"
                + name + kind
        }
    }

    private var subscriptionTexts: [String] {
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

extension BondsCommand.StoredDevice {
    /// The columns of the list.
    static let columns: [TextTable.Column] = [
        .init("PEER"), .init("KIND"), .init("NAME", minimumWidth: 8),
        .init("KEY", minimumWidth: 18), .init("SERVICES", minimumWidth: 8),
    ]

    /// The device, then its bonds, then the peers that it knows without a bond.
    var lines: [Line] {
        let count = bonds.isEmpty ? "no bonds" : counted(bonds.count, "bond")
        let heading = "\(device.title) \(state.identityAddress.textAndKind) · \(count) · \(path)"
        return [Line(told: heading, .plain)] + bonds.map(\.row)
            + acquaintances.map { peer in
                Line("peer", BondsCommand.acquaintance.members(of: (device, peer)), "", .item)
                    .after(
                        peer.address.text, peer.address.kindText, peer.name ?? "", "not bonded")
            }
    }
}

extension BondsCommand {
    /// A peer that is not bonded.
    fileprivate static let acquaintance = ObjectForm<(device: BondStore.Device, peer: KnownPeer)>(
        .text("device", BondStore.Device.words, \.device.title),
        .init("peer", .peerAddress, \.peer.address.json),
        .text("identifier", .identifier, \.peer.identifier.text), .text("name?", \.peer.name))

    fileprivate static let removal = ObjectForm<(device: BondStore.Device, peer: DeviceAddress)>(
        .text("device", BondStore.Device.words, \.device.title),
        .init("peer", .peerAddress, \.peer.json))

    /// The removal of a peer, and what it means for the user.
    static func lines(
        ofRemoval peer: DeviceAddress, from device: BondStore.Device, _ sentences: String...
    ) -> [Line] {
        [Line("removed", removal.members(of: (device, peer)), sentences[0], .plain)]
            + sentences.dropFirst().map { Line(told: $0, .plain) }
    }
}

extension StoredBond {
    var linesOfRemoval: [Line] {
        BondsCommand.lines(
            ofRemoval: peer, from: device, "removed \(title) from the \(device.title)",
            "The peer still has its key. It cannot connect again until it forgets this device too.")
    }
}

extension KnownPeer {
    /// It had no bond.
    func linesOfRemoval(from device: BondStore.Device) -> [Line] {
        BondsCommand.lines(
            ofRemoval: address, from: device,
            "the \(device.title) no longer knows \(address.text)" + (name.map { ", \($0)" } ?? ""))
    }
}

extension BondStore.Device {
    fileprivate static let words = SchemaFragment.words(["accessory", "phone"])
}
