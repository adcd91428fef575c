// swift-format-ignore-file
// The code of Sources/1-Core/Octets/Octets.docc/Octets-on-the-wire.md.
import Octets

struct BatteryReport: OctetEncodable {
    var handle: UInt16
    var level: UInt8

    init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        handle = try rest.takeUInt16()
        level = try rest.takeUInt8()
        try rest.expectEnd()
    }

    var encodedCount: Int { 3 }

    func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: handle)
        output.append(level)
    }
}
