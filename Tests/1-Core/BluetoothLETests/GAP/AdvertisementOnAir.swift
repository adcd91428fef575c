import BluetoothLE

/// What a receiver makes of the octets of an advertisement, read by the letter of the Core
/// Specification Supplement and with nothing of the encoder's.
struct AdvertisementOnAir {
    /// One AD structure.
    struct Field: Equatable {
        var type: UInt8
        var contents: [UInt8]
    }

    /// The fields of a PDU, or `nil` where it is not a sequence of them to its last octet.
    static func fields(of octets: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        var position = 0
        while position < octets.count {
            let length = Int(octets[position])
            guard length > 0, position + length < octets.count else { return nil }
            fields.append(
                Field(
                    type: octets[position + 1],
                    contents: Array(octets[(position + 2)..<(position + 1 + length)])))
            position += 1 + length
        }
        return fields
    }

    var data: [Field]
    var scanResponse: [Field]

    init?(_ plan: AdvertisementPlan) {
        guard let data = Self.fields(of: plan.advertisementOctets),
            let scanResponse = Self.fields(of: plan.scanResponseOctets)
        else { return nil }
        self.data = data
        self.scanResponse = scanResponse
    }

    var all: [Field] { data + scanResponse }

    static let widths: [UInt8: Int] = [
        0x02: 2, 0x03: 2, 0x04: 4, 0x05: 4, 0x06: 16, 0x07: 16, 0x14: 2, 0x1F: 4, 0x15: 16,
    ]

    /// The UUIDs of a list, or `nil` where the contents are none.
    static func uuids(of field: Field) -> [UInt128]? {
        guard let width = widths[field.type], field.contents.count % width == 0 else { return nil }
        return stride(from: 0, to: field.contents.count, by: width).map { start in
            let octets = field.contents[start..<(start + width)]
            let value = octets.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
            return width == 16 ? value : value << 96 | 0x1000_8000_0080_5F9B_34FB
        }
    }

    static func isList(_ field: Field) -> Bool { (0x02...0x07).contains(field.type) }
    static func isIncomplete(_ field: Field) -> Bool { [0x02, 0x04, 0x06].contains(field.type) }
    static func isSolicitation(_ field: Field) -> Bool { [0x14, 0x1F, 0x15].contains(field.type) }
    static func isName(_ field: Field) -> Bool { field.type == 0x08 || field.type == 0x09 }

    /// The filter of 112 bits of these UUIDs, computed over octets.
    static func filter(of uuids: [UInt128]) -> [UInt8] {
        var filter = [UInt8](repeating: 0, count: 14)
        for uuid in uuids {
            var hash: UInt64 = 14_695_981_039_346_656_037
            for octet in withUnsafeBytes(of: uuid.bigEndian, Array.init) {
                hash = (hash ^ UInt64(octet)) &* 1_099_511_628_211
            }
            hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
            hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
            hash ^= hash >> 33
            for _ in 0..<7 {
                let (rest, bit) = hash.quotientAndRemainder(dividingBy: 112)
                filter[Int(bit / 8)] |= 1 << (bit % 8)
                hash = rest
            }
        }
        return filter
    }
}
