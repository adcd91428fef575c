internal import BluetoothLE
package import JSONText

/// The state as JSON: keys are in hexadecimal, most significant digit first.
extension DeviceState {
    /// The name of a member that is missing or invalid.
    struct FormatError: Error { var member: String }

    private static var version: Int { 1 }

    /// The contents of the file, including keys.
    package var json: JSONValue {
        [
            "version": .integer(Self.version), "identity": Self.json(of: identityAddress),
            "irk": .string(Hexadecimal.text(identityResolvingKey, octets: 16)),
            "digestKey": .string(Hexadecimal.text(digestKey, octets: 16)),
            "bonds": .array(bonds.map(Self.json)), "peers": .array(peers.map(\.json)),
        ]
    }

    init(json: JSONValue) throws(FormatError) {
        guard json["version"]?.integer == Self.version else { throw FormatError(member: "version") }
        identityAddress = try Self.address(json["identity"], "identity")
        guard identityAddress.canBeIdentity else { throw FormatError(member: "identity") }
        // Earlier versions had no key, and distributed none.
        identityResolvingKey = try Self.key(json["irk"], "irk") ?? 0
        digestKey = try Self.key(json["digestKey"], "digestKey") ?? 0
        guard let list = json["bonds"]?.array else { throw FormatError(member: "bonds") }
        bonds = []
        for element in list { bonds.append(try Self.record(element)) }
        // Earlier versions had none.
        guard let list = json["peers"].map({ $0.array }) ?? [] else {
            throw FormatError(member: "peers")
        }
        // A bond is worth more than data that can be discovered again.
        peers = list.suffix(KnownPeer.limit).compactMap { KnownPeer(json: $0) }
    }

    // MARK: Bonds

    private static func json(of record: BondRecord) -> JSONValue {
        let bond = record.bond
        func text(_ key: UInt128?) -> JSONValue? {
            key.map { .string(Hexadecimal.text($0, octets: 16)) }
        }
        return .object(present: [
            "peer": json(of: bond.identityAddress), "local": json(of: bond.localIdentityAddress),
            "keySize": .integer(bond.keySize), "authenticated": .boolean(bond.isAuthenticated),
            "secureConnections": .boolean(bond.usesSecureConnections),
            "peerIRK": text(bond.identityResolvingKey),
            "localIRK": text(bond.localIdentityResolvingKey),
            "peerCSRK": text(bond.signatureResolvingKey),
            "localCSRK": text(bond.localSignatureResolvingKey),
            "localLTK": bond.localLongTermKey.map(json), "peerLTK": bond.peerLongTermKey.map(json),
            "client": .string(Hexadecimal.text(record.clientConfiguration.octets)),
            "database": record.remoteDatabase.map { .string(Hexadecimal.text($0.octets)) },
        ])
    }

    private static func record(_ json: JSONValue) throws(FormatError) -> BondRecord {
        guard let keySize = json["keySize"]?.integer, (7...16).contains(keySize) else {
            throw FormatError(member: "keySize")
        }
        guard let isAuthenticated = json["authenticated"]?.boolean else {
            throw FormatError(member: "authenticated")
        }
        guard let usesSecureConnections = json["secureConnections"]?.boolean else {
            throw FormatError(member: "secureConnections")
        }
        let bond = Bond(
            identityAddress: try address(json["peer"], "peer"),
            identityResolvingKey: try key(json["peerIRK"], "peerIRK"),
            localIdentityAddress: try address(json["local"], "local"),
            localIdentityResolvingKey: try key(json["localIRK"], "localIRK"),
            localLongTermKey: try longTermKey(json["localLTK"], "localLTK"),
            peerLongTermKey: try longTermKey(json["peerLTK"], "peerLTK"), keySize: keySize,
            isAuthenticated: isAuthenticated, usesSecureConnections: usesSecureConnections,
            signatureResolvingKey: try key(json["peerCSRK"], "peerCSRK"),
            localSignatureResolvingKey: try key(json["localCSRK"], "localCSRK"))
        var record = BondRecord(bond: bond)
        // A bond is worth more than data that can be discovered again.
        if let octets = json["client"]?.string.flatMap(Hexadecimal.octets),
            let client = try? ClientConfiguration(decoding: octets.span)
        {
            record.clientConfiguration = client
        }
        if let octets = json["database"]?.string.flatMap(Hexadecimal.octets) {
            record.remoteDatabase = try? RemoteDatabase(decoding: octets.span)
        }
        return record
    }

    // MARK: Fields

    static func json(of address: DeviceAddress) -> JSONValue {
        [
            "address": .string(address.text),
            "random": .boolean(address.kind == .random),
        ]
    }

    static func address(_ json: JSONValue?, _ member: String) throws(FormatError) -> DeviceAddress {
        guard let text = json?["address"]?.string, let isRandom = json?["random"]?.boolean,
            let address = DeviceAddress(text: text, kind: isRandom ? .random : .public)
        else { throw FormatError(member: member) }
        return address
    }

    private static func json(of key: Bond.LongTermKey) -> JSONValue {
        [
            "value": .string(Hexadecimal.text(key.value, octets: 16)),
            "ediv": .integer(Int(key.ediversifier)),
            "rand": .string(Hexadecimal.text(UInt128(key.random), octets: 8)),
        ]
    }

    private static func longTermKey(
        _ json: JSONValue?, _ member: String
    ) throws(FormatError) -> Bond.LongTermKey? {
        guard let json else { return nil }
        guard let value = try key(json["value"], member), let rand = try key(json["rand"], member),
            let ediv = json["ediv"]?.integer, let ediversifier = UInt16(exactly: ediv),
            let random = UInt64(exactly: rand)
        else { throw FormatError(member: member) }
        return Bond.LongTermKey(value: value, ediversifier: ediversifier, random: random)
    }

    private static func key(_ json: JSONValue?, _ member: String) throws(FormatError) -> UInt128? {
        guard let json else { return nil }
        guard let octets = json.string.flatMap(Hexadecimal.octets), octets.count <= 16,
            !octets.isEmpty
        else { throw FormatError(member: member) }
        return octets.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
