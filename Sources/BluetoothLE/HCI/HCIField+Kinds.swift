package import Octets

// MARK: - Numbers

extension HCIField where Self: FixedWidthInteger & UnsignedInteger {
    package var encodedCount: Int { Self.bitWidth / 8 }

    package func encode(into output: inout OutputSpan<UInt8>) { output.append(littleEndian: self) }
}

extension UInt8: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) { self = try rest.takeUInt8() }
}

extension UInt16: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt16()
    }
}

extension UInt64: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt64()
    }
}

extension UInt128: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt128()
    }
}

/// A power in dBm, in two's complement.
extension Int8: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self.init(bitPattern: try rest.takeUInt8())
    }

    package var encodedCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(bitPattern: self))
    }
}

/// 0 or 1; bits above the lowest are ignored.
extension Bool: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt8() & 1 != 0
    }

    package var encodedCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) { output.append(self ? 1 : 0) }
}

// MARK: - Codes, masks and times

/// A number with a meaning, encoded as the number.
package protocol HCICode: HCIDecodableField {
    /// The type of the number; inferred.
    associatedtype Number: HCIDecodableField
    init(rawValue: Number)
    var rawValue: Number { get }
}

extension HCICode {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self.init(rawValue: try rest.take())
    }

    package var encodedCount: Int { rawValue.encodedCount }

    package func encode(into output: inout OutputSpan<UInt8>) { rawValue.encode(into: &output) }
}

extension AdvertisingChannels: HCICode {}
extension AdvertisingEventProperties: HCICode {}
extension AdvertisingType: HCICode {}
extension ConnectionHandle: HCICode {}
extension ConnectionInterval: HCICode {}
extension HCIOpcode: HCICode {}
extension HCIStatus: HCICode {}
extension LEFeatures: HCICode {}
extension LinkRole: HCICode {}
extension OwnAddressType: HCICode {}
extension PHY: HCICode {}
extension PHYs: HCICode {}
extension SupervisionTimeout: HCICode {}

/// 32 octets, least significant first.
extension P256Scalar: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let low = try rest.takeUInt128()
        self.init(high: try rest.takeUInt128(), low: low)
    }

    package var encodedCount: Int { 32 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: low)
        output.append(littleEndian: high)
    }
}

/// The coordinates, x first.
extension P256PublicKey: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(x: rest.take(), y: rest.take())
    }

    package var encodedCount: Int { 64 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        x.encode(into: &output)
        y.encode(into: &output)
    }
}

/// 3 octets, as in extended advertising; see ``short`` for others.
extension AdvertisingInterval: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self.init(rawValue: try rest.takeUInt24())
    }

    package var encodedCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: rawValue, octets: 3)
    }

    /// The 2 octets of legacy advertising and scanning.
    var short: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    init(short: UInt16) { self.init(rawValue: UInt32(short)) }
}

extension ConnectionParameters: HCIStructure {
    package static let layout = inOrder(Self.init) {
        ($0.intervalMinimum, $0.intervalMaximum, $0.latency, $0.supervisionTimeout)
    }
}

extension SupportedCommands: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(decoding: rest)
        try rest.skip(encodedCount)
    }

    package var encodedCount: Int { 64 }

    package func encode(into output: inout OutputSpan<UInt8>) { output.append(octets: octets) }
}

// MARK: - Addresses

/// Type and address, in the order of HCI. Bit 1 of the type says that the controller resolved the address to
/// an identity; other bits are ignored, because events about failed connections have arbitrary values.
extension DeviceAddress: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let type = try rest.takeUInt8()
        self.init(try rest.takeUInt48(), kind: type & 1 == 0 ? .public : .random)
    }

    package var encodedCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(kind.rawValue)
        untyped.encode(into: &output)
    }

    /// The 6 octets of an address whose type is known or encoded elsewhere.
    package var untyped: UntypedAddress { UntypedAddress(rawValue: rawValue) }
}

/// The 6 octets of an address.
package struct UntypedAddress: HCIDecodableField {
    var rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        rawValue = try rest.takeUInt48()
    }

    /// The address, whose kind is known.
    package func address(_ kind: DeviceAddress.Kind) -> DeviceAddress {
        DeviceAddress(rawValue, kind: kind)
    }

    package var encodedCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: rawValue, octets: 6)
    }
}

/// The address of an advertiser; `nil`, type 0xFF, if it is anonymous. Bit 1 of the type says that the
/// controller resolved a private address to this identity.
struct HeardAddress: HCIDecodableField {
    var address: DeviceAddress?
    var isResolved: Bool

    init(_ address: DeviceAddress?, isResolved: Bool) {
        self.address = address
        self.isResolved = isResolved
    }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let type = rest.isEmpty ? 0 : rest[0]
        let address = try rest.take() as DeviceAddress
        self.address = type == 0xFF ? nil : address
        isResolved = type != 0xFF && type & 2 != 0
    }

    package var encodedCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(address.map { $0.kind.rawValue | (isResolved ? 2 : 0) } ?? 0xFF)
        UntypedAddress(rawValue: address?.rawValue ?? 0).encode(into: &output)
    }
}

// MARK: - Entries per PHY

/// The parameters of a command for scanning or initiating on one PHY.
package protocol HCIPHYEntry {
    /// The type of ``fields``; inferred.
    associatedtype Fields: HCIField
    /// LE 1M, LE 2M or LE Coded.
    var phy: PHY { get }
    /// The fields without the PHY, in the order of the specification.
    var fields: Fields { get }
    /// Takes the fields of an entry for a known PHY.
    init(on phy: PHY, from rest: inout Span<UInt8>) throws(DecodingError)
}

/// A bit mask of PHYs, followed by one entry per set bit.
package struct HCIEntryPerPHY<Entry: HCIPHYEntry>: HCIDecodableField {
    var entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let mask = try rest.takeUInt8()
        entries = []
        for phy in [PHY.le1M, .le2M, .leCoded] where mask & phy.bit != 0 {
            entries.append(try Entry(on: phy, from: &rest))
        }
    }

    package var encodedCount: Int { entries.reduce(1) { $0 + $1.fields.encodedCount } }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(entries.reduce(0) { $0 | $1.phy.bit })
        for entry in entries { entry.fields.encode(into: &output) }
    }
}

extension PHY {
    /// The bit of the PHY in a mask; 0 for an unknown PHY.
    fileprivate var bit: UInt8 { (1...3).contains(rawValue) ? 1 << (rawValue - 1) : 0 }
}

// MARK: - Data

/// The number of significant octets, and 31 octets of legacy advertising data. Longer data are cut, so
/// callers have to check the length.
package struct LegacyAdvertisingData: HCIDecodableField {
    private static let size = 31
    var octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let count = Int(try rest.takeUInt8())
        guard count <= Self.size else { throw .invalid(available: rest.count) }
        octets = try rest.takeOctets(Self.size)
        octets.removeLast(Self.size - count)
    }

    package var encodedCount: Int { 1 + Self.size }

    package func encode(into output: inout OutputSpan<UInt8>) {
        let count = min(octets.count, Self.size)
        output.append(UInt8(truncatingIfNeeded: count))
        for index in 0..<Self.size { output.append(index < count ? octets[index] : 0) }
    }
}
