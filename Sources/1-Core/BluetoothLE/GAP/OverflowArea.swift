/// The service UUIDs that do not fit into an advertisement, as a filter that says of a UUID whether it *may*
/// be among them. As in Core Bluetooth, only a scanner for such a service finds it.
///
/// The format is our own, because that of iOS is not published: Manufacturer Specific Data (Supplement, Part
/// A, 1.4) of company 0xFFFF, which the Bluetooth SIG assigns to no company.
///
///     octet  0       1       2..3        4       5..18
///            Length  0xFF    0xFFFF      0x4F    112 bits, bit n is bit n % 8 of octet 5 + n / 8
///            (18)            (company)   (marker)
///
/// A UUID sets up to 7 bits. The 64-bit FNV-1a hash of its 16 octets, most significant first, is mixed with
/// the finalizer of MurmurHash3 and gives seven digits in base 112, the last digit first.
///
/// For a UUID that is not in a filter of n UUIDs, the answer is wrong with a probability of about (1 -
/// (111/112)^(7n))^7: 1 in 38 000 for four UUIDs, 1 in 670 for eight, 1 in 24 for sixteen. For a UUID that is
/// in it, the answer is always right.
public struct OverflowArea: Equatable, Sendable {
    /// The size on air in octets, including the two of the header.
    public static let size = 19

    /// The identifier for devices without a company. Assigned Numbers, 7.1.
    private static let company: UInt16 = 0xFFFF
    private static let marker: UInt8 = 0x4F
    private static let octetCount = 14
    private static let bitCount: UInt64 = 112
    private static let bitsOfUUID = 7

    private var bits: UInt128 = 0

    /// The overflow area of these UUIDs.
    public init(_ uuids: [BluetoothUUID]) { for uuid in uuids { bits |= Self.bits(of: uuid) } }

    /// The overflow area in an AD structure; `nil` if the structure is not one.
    public init?(_ structure: AdvertisingData.Structure) {
        guard case .manufacturerData(company: Self.company, let data) = structure,
            data.count == 1 + Self.octetCount, data[0] == Self.marker
        else { return nil }
        bits = data[1...].reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The AD structure with the overflow area.
    public var structure: AdvertisingData.Structure {
        .manufacturerData(
            company: Self.company,
            [Self.marker]
                + (0..<Self.octetCount).map { UInt8(truncatingIfNeeded: bits >> UInt128(8 * $0)) })
    }

    /// Whether a UUID may be in the area; `false` is certain.
    public func mayContain(_ uuid: BluetoothUUID) -> Bool {
        let wanted = Self.bits(of: uuid)
        return bits & wanted == wanted
    }

    private static func bits(of uuid: BluetoothUUID) -> UInt128 {
        var digits = hash(of: uuid)
        var bits: UInt128 = 0
        for _ in 0..<bitsOfUUID {
            bits |= 1 << UInt128(digits % bitCount)
            digits /= bitCount
        }
        return bits
    }

    private static func hash(of uuid: BluetoothUUID) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for position in (0..<16).reversed() {
            hash ^= UInt64(truncatingIfNeeded: uuid.rawValue >> UInt128(8 * position)) & 0xFF
            hash &*= 0x0000_0100_0000_01B3
        }
        // FNV alone hardly mixes the last octets into the upper bits.
        hash ^= hash >> 33
        hash &*= 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 33
        hash &*= 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 33
    }
}

extension AdvertisingData {
    /// The overflow area; `nil` if there is none.
    public var overflowArea: OverflowArea? {
        for structure in structures { if let area = OverflowArea(structure) { return area } }
        return nil
    }
}
