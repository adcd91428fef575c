import BluetoothLE
import Octets
import Testing

extension L2CAPReassembler {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }
}

@Suite struct L2CAPReassemblerTests {
    static let pdu = L2CAPPDU(channel: .attributeProtocol, payload: [0x02, 0x05, 0x02])
    static let octets: [UInt8] = [0x03, 0x00, 0x04, 0x00, 0x02, 0x05, 0x02]

    @Test("a PDU is read as it is written, and no prefix of it is one")
    func pdu() throws {
        #expect(Self.pdu.octets == Self.octets)
        #expect(try L2CAPPDU(decoding: Self.octets.span) == Self.pdu)
        for count in Self.octets.indices {
            #expect(throws: DecodingError.self) {
                _ = try L2CAPPDU(decoding: Array(Self.octets[..<count]).span)
            }
        }
    }

    @Test("a PDU cut anywhere is the same PDU", arguments: 0...octets.count)
    func cut(at position: Int) {
        var reassembler = L2CAPReassembler()
        reassembler.receive(Array(Self.octets[..<position]).span, boundary: .first)
        if position < Self.octets.count {
            #expect(reassembler.drain().isEmpty)
            reassembler.receive(Array(Self.octets[position...]).span, boundary: .continuing)
        }
        #expect(reassembler.drain() == [.pdu(Self.pdu)])
    }

    @Test("a PDU octet by octet is the same PDU, twice")
    func dripFeed() {
        var reassembler = L2CAPReassembler()
        for _ in 0..<2 {
            for (index, octet) in Self.octets.enumerated() {
                reassembler.receive([octet].span, boundary: index == 0 ? .first : .continuing)
            }
        }
        #expect(reassembler.drain() == [.pdu(Self.pdu), .pdu(Self.pdu)])
    }

    @Test("both kinds of beginning are a beginning")
    func boundaries() {
        var reassembler = L2CAPReassembler()
        let handle = ConnectionHandle(rawValue: 1)
        for boundary in [ACLPacket.Boundary.first, .firstNonFlushable, .complete] {
            reassembler.receive(
                ACLPacket(handle: handle, boundary: boundary, data: Self.octets))
        }
        #expect(reassembler.drain() == [.pdu(Self.pdu), .pdu(Self.pdu), .pdu(Self.pdu)])
    }

    @Test("an empty payload and an unknown channel are a PDU")
    func empty() {
        var reassembler = L2CAPReassembler()
        reassembler.receive([0x00, 0x00, 0x40, 0x00].span, boundary: .first)
        #expect(
            reassembler.drain() == [
                .pdu(L2CAPPDU(channel: L2CAPChannelID(rawValue: 0x0040), payload: []))
            ])
    }

    @Test("a continuation of nothing is dropped, once for all that follows it")
    func continuationWithoutStart() {
        var reassembler = L2CAPReassembler()
        reassembler.receive(Self.octets.span, boundary: .continuing)
        reassembler.receive(Self.octets.span, boundary: .continuing)
        reassembler.receive(Self.octets.span, boundary: .first)
        #expect(reassembler.drain() == [.dropped(.continuationWithoutStart), .pdu(Self.pdu)])
    }

    @Test("a new PDU in the middle of another drops the other")
    func startInTheMiddle() {
        var reassembler = L2CAPReassembler()
        reassembler.receive(Array(Self.octets[..<5]).span, boundary: .first)
        reassembler.receive(Self.octets.span, boundary: .first)
        #expect(reassembler.drain() == [.dropped(.incomplete(received: 5)), .pdu(Self.pdu)])
    }

    @Test("more octets than the PDU has drop it, in one fragment and in two")
    func excess() {
        var reassembler = L2CAPReassembler()
        reassembler.receive((Self.octets + [0xFF]).span, boundary: .first)
        reassembler.receive(Array(Self.octets[..<6]).span, boundary: .first)
        reassembler.receive([0x02, 0xFF, 0xFF].span, boundary: .continuing)
        reassembler.receive(Self.octets.span, boundary: .first)
        #expect(
            reassembler.drain() == [
                .dropped(.excess(channel: .attributeProtocol, count: 1)),
                .dropped(.excess(channel: .attributeProtocol, count: 2)), .pdu(Self.pdu),
            ])
    }

    @Test("a PDU longer than the limit is dropped at its header and not collected")
    func tooLong() {
        var reassembler = L2CAPReassembler(configuration: .init(maximumPayload: 3))
        reassembler.receive([0x04, 0x00, 0x06, 0x00].span, boundary: .first)
        reassembler.receive([1, 2, 3, 4].span, boundary: .continuing)
        reassembler.receive(Self.octets.span, boundary: .first)
        #expect(
            reassembler.drain() == [
                .dropped(.tooLong(channel: .securityManager, length: 4)), .pdu(Self.pdu),
            ])
    }
}
