import Octets
import Testing

@Suite("Taking fields from a span")
struct SpanTakingTests {
    @Test("fields are little endian and come in order")
    func littleEndian() throws {
        let octets: [UInt8] = Array(0x01...0x24)
        var rest = octets.span
        #expect(try rest.takeUInt8() == 0x01)
        #expect(try rest.takeUInt16() == 0x0302)
        #expect(try rest.takeUInt24() == 0x06_0504)
        #expect(try rest.takeUInt32() == 0x0A09_0807)
        #expect(try rest.takeUInt48() == 0x100F_0E0D_0C0B)
        #expect(try rest.takeUInt128() == 0x201F_1E1D_1C1B_1A19_1817_1615_1413_1211)
        #expect(try rest.takeOctets(3) == [0x21, 0x22, 0x23])
        #expect(throws: DecodingError.excess(count: 1)) { try rest.expectEnd() }
        #expect(rest.takeRest() == [0x24])
        try rest.expectEnd()
    }

    @Test("a short value is refused with the required length, and the cursor does not move")
    func truncated() throws {
        let octets: [UInt8] = [1, 2, 3]
        var rest = octets.span
        #expect(throws: DecodingError.truncated(needed: 4, available: 3)) {
            try rest.takeUInt32()
        }
        #expect(throws: DecodingError.truncated(needed: 4, available: 3)) { try rest.skip(4) }
        #expect(throws: DecodingError.truncated(needed: 4, available: 3)) {
            try rest.takeOctets(4)
        }
        #expect(try rest.takeUInt24() == 0x03_0201)
        #expect(throws: DecodingError.truncated(needed: 1, available: 0)) { try rest.takeUInt8() }
    }

    @Test("appended values are taken back unchanged")
    func roundTrip() throws {
        let octets = [UInt8](capacity: 27) { output in
            output.append(UInt8(0xFE))
            output.append(littleEndian: UInt64(0x0123_4567_89AB_CDEF))
            output.append(littleEndian: UInt128.max - 1)
            output.append(littleEndian: UInt32(0xFFAB_CDEF), octets: 2)
        }
        var rest = octets.span
        #expect(try rest.takeUInt8() == 0xFE)
        #expect(try rest.takeUInt64() == 0x0123_4567_89AB_CDEF)
        #expect(try rest.takeUInt128() == .max - 1)
        #expect(try rest.takeUInt16() == 0xCDEF)
        try rest.expectEnd()
    }
}

@Suite("Hexadecimal text")
struct HexadecimalTests {
    @Test("octets survive the way to text and back")
    func roundTrip() {
        let octets = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.octets(Hexadecimal.text(octets)) == octets)
        #expect(Hexadecimal.text([0x00, 0xAB, 0x0F]) == "00ab0f")
        #expect(Hexadecimal.octets("00AB0f") == [0x00, 0xAB, 0x0F])
        #expect(Hexadecimal.octets("") == [])
    }

    @Test("anything else is refused", arguments: ["0", "0g", " 00", "0x00", "٠٠"])
    func refused(text: String) {
        #expect(Hexadecimal.octets(text) == nil)
    }
}
