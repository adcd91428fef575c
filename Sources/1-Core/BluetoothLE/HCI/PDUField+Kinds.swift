package import Octets

// MARK: - Numbers

extension PDUField where Self: FixedWidthInteger & UnsignedInteger {
    package var encodedCount: Int { Self.bitWidth / 8 }

    package func encode(into output: inout OutputSpan<UInt8>) { output.append(littleEndian: self) }
}

extension UInt8: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) { self = try rest.takeUInt8() }
}

extension UInt16: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt16()
    }
}

extension UInt64: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt64()
    }
}

extension UInt128: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt128()
    }
}

/// A power in dBm, in two's complement.
extension Int8: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self.init(bitPattern: try rest.takeUInt8())
    }

    package var encodedCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(bitPattern: self))
    }
}

/// 0 or 1; bits above the lowest are ignored.
extension Bool: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try rest.takeUInt8() & 1 != 0
    }

    package var encodedCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) { output.append(self ? 1 : 0) }
}

// MARK: - Codes, masks and times

/// A number with a meaning, encoded as the number.
package protocol PDUCode: PDUDecodableField {
    /// The type of the number; inferred.
    associatedtype Number: PDUDecodableField
    init(rawValue: Number)
    var rawValue: Number { get }
}

extension PDUCode {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self.init(rawValue: try rest.take())
    }

    package var encodedCount: Int { rawValue.encodedCount }

    package func encode(into output: inout OutputSpan<UInt8>) { rawValue.encode(into: &output) }
}

extension AdvertisingChannels: PDUCode {}
extension AdvertisingEventProperties: PDUCode {}
extension AdvertisingType: PDUCode {}
extension ConnectionHandle: PDUCode {}
extension ConnectionInterval: PDUCode {}
extension HCIOpcode: PDUCode {}
extension HCIStatus: PDUCode {}
extension LEFeatures: PDUCode {}
extension LinkRole: PDUCode {}
extension OwnAddressType: PDUCode {}
extension PHY: PDUCode {}
extension PHYs: PDUCode {}
extension SupervisionTimeout: PDUCode {}

/// 32 octets, least significant first.
extension P256Scalar: PDUDecodableField {
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
extension P256PublicKey: PDUDecodableField {
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
extension AdvertisingInterval: PDUDecodableField {
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

extension ConnectionParameters: PDUStructure {
    package static let layout = inOrder(Self.init) {
        ($0.intervalMinimum, $0.intervalMaximum, $0.latency, $0.supervisionTimeout)
    }
}

extension SupportedCommands: PDUDecodableField {
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
extension DeviceAddress: PDUDecodableField {
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
package struct UntypedAddress: PDUDecodableField {
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
package struct HeardAddress: PDUDecodableField {
    var address: DeviceAddress?
    var isResolved: Bool

    package init(_ address: DeviceAddress?, isResolved: Bool) {
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
    associatedtype Fields: PDUField
    /// LE 1M, LE 2M or LE Coded.
    var phy: PHY { get }
    /// The fields without the PHY, in the order of the specification.
    var fields: Fields { get }
    /// Takes the fields of an entry for a known PHY.
    init(on phy: PHY, from rest: inout Span<UInt8>) throws(DecodingError)
}

/// A bit mask of PHYs, followed by one entry per set bit.
package struct HCIEntryPerPHY<Entry: HCIPHYEntry>: PDUDecodableField {
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
package struct LegacyAdvertisingData: PDUDecodableField {
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
