import BluetoothLE
import Octets

/// What the accessory keeps across a restart: its identity and its bonds.
struct DeviceState {
    /// The static random address that phones know it by. Core Vol 6, Part B, 1.3.2.1.
    var identityAddress: DeviceAddress
    /// The bonded phones, the one that was used last at the end.
    var bonds: [BondRecord]

    /// A new device.
    init(using toolbox: inout some SecurityToolbox) {
        let random = UInt64(truncatingIfNeeded: toolbox.random128())
        identityAddress = DeviceAddress(random & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
        bonds = []
    }
}

/// The plain form: the address, the count of bonds u8, the bonds. What the services of a phone are is found out
/// again on each link, and nothing of this accessory is signed: neither is kept.
extension DeviceState: OctetEncodable {
    init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        identityAddress = try rest.takeAddress()
        bonds = []
        for _ in 0..<(try rest.takeUInt8()) { bonds.append(try rest.takeBondRecord()) }
        try rest.expectEnd()
    }

    var encodedCount: Int { bonds.reduce(7 + 1) { $0 + $1.keptCount } }

    func encode(into output: inout OutputSpan<UInt8>) {
        output.append(identityAddress)
        output.append(UInt8(truncatingIfNeeded: bonds.count))
        for record in bonds { output.append(record) }
    }
}

/// A bond: 7 octets of each identity address, the key size u8, flags u8, the keys that the flags name, 2 octets
/// that say how long the client's configuration is, and the configuration.
extension BondRecord {
    fileprivate struct Flags: OptionSet {
        var rawValue: UInt8
        static let isAuthenticated = Flags(rawValue: 1 << 0)
        static let usesSecureConnections = Flags(rawValue: 1 << 1)
        static let hasResolvingKey = Flags(rawValue: 1 << 2)
        static let hasLocalResolvingKey = Flags(rawValue: 1 << 3)
        static let hasPeerKey = Flags(rawValue: 1 << 4)
        static let hasLocalKey = Flags(rawValue: 1 << 5)
    }

    fileprivate var flags: Flags {
        var flags: Flags = []
        if bond.isAuthenticated { flags.insert(.isAuthenticated) }
        if bond.usesSecureConnections { flags.insert(.usesSecureConnections) }
        if bond.identityResolvingKey != nil { flags.insert(.hasResolvingKey) }
        if bond.localIdentityResolvingKey != nil { flags.insert(.hasLocalResolvingKey) }
        if bond.peerLongTermKey != nil { flags.insert(.hasPeerKey) }
        if bond.localLongTermKey != nil { flags.insert(.hasLocalKey) }
        return flags
    }

    fileprivate var keptCount: Int {
        var count = 7 + 7 + 1 + 1 + 2 + clientConfiguration.encodedCount
        if bond.identityResolvingKey != nil { count += 16 }
        if bond.localIdentityResolvingKey != nil { count += 16 }
        if bond.peerLongTermKey != nil { count += 26 }
        if bond.localLongTermKey != nil { count += 26 }
        return count
    }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(_ address: DeviceAddress) {
        append(address.kind.rawValue)
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            append(UInt8(truncatingIfNeeded: address.rawValue >> shift))
        }
    }

    fileprivate mutating func append(_ key: Bond.LongTermKey) {
        append(littleEndian: key.value)
        append(littleEndian: key.ediversifier)
        append(littleEndian: key.random)
    }

    fileprivate mutating func append(_ record: BondRecord) {
        let bond = record.bond
        append(bond.identityAddress)
        append(bond.localIdentityAddress)
        append(UInt8(truncatingIfNeeded: bond.keySize))
        append(record.flags.rawValue)
        if let key = bond.identityResolvingKey { append(littleEndian: key) }
        if let key = bond.localIdentityResolvingKey { append(littleEndian: key) }
        if let key = bond.peerLongTermKey { append(key) }
        if let key = bond.localLongTermKey { append(key) }
        append(littleEndian: UInt16(truncatingIfNeeded: record.clientConfiguration.encodedCount))
        record.clientConfiguration.encode(into: &self)
    }
}

extension Span<UInt8> {
    fileprivate mutating func takeAddress() throws(DecodingError) -> DeviceAddress {
        let kind: DeviceAddress.Kind = try takeUInt8() == 0 ? .public : .random
        return DeviceAddress(try takeUInt48(), kind: kind)
    }

    private mutating func takeKey() throws(DecodingError) -> Bond.LongTermKey {
        Bond.LongTermKey(
            value: try takeUInt128(), ediversifier: try takeUInt16(), random: try takeUInt64())
    }

    fileprivate mutating func takeBondRecord() throws(DecodingError) -> BondRecord {
        let identity = try takeAddress()
        let local = try takeAddress()
        let keySize = Int(try takeUInt8())
        let flags = BondRecord.Flags(rawValue: try takeUInt8())
        var bond = Bond(
            identityAddress: identity, localIdentityAddress: local, keySize: keySize,
            isAuthenticated: flags.contains(.isAuthenticated),
            usesSecureConnections: flags.contains(.usesSecureConnections))
        if flags.contains(.hasResolvingKey) { bond.identityResolvingKey = try takeUInt128() }
        if flags.contains(.hasLocalResolvingKey) {
            bond.localIdentityResolvingKey = try takeUInt128()
        }
        if flags.contains(.hasPeerKey) { bond.peerLongTermKey = try takeKey() }
        if flags.contains(.hasLocalKey) { bond.localLongTermKey = try takeKey() }
        let configuration = try takeOctets(Int(try takeUInt16()))
        return BondRecord(
            bond: bond,
            clientConfiguration: try ClientConfiguration(decoding: configuration.span))
    }
}
