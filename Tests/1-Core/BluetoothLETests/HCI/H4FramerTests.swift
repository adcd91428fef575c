import BluetoothLE
import Octets
import Testing

extension H4Framer {
    /// What octets complete that arrive in these pieces.
    mutating func outputs(of pieces: [[UInt8]]) -> [Output] {
        var outputs: [Output] = []
        for piece in pieces {
            var rest = piece.span
            while let output = next(from: &rest) { outputs.append(output) }
        }
        return outputs
    }
}

@Suite struct H4FramerTests {
    static let event: [UInt8] = [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    static let acl: [UInt8] = [0x40, 0x20, 0x03, 0x00, 0xAA, 0xBB, 0xCC]
    static let command: [UInt8] = [0x03, 0x0C, 0x00]
    static let stream: [UInt8] = [0x04] + event + [0x02] + acl + [0x01] + command
    static let packets: [H4Framer.Output] = [
        .packet(.event(event)), .packet(.acl(acl)), .packet(.command(command)),
    ]

    @Test("packets cut anywhere are the same packets", arguments: 0...stream.count)
    func cut(at position: Int) {
        var framer = H4Framer()
        let pieces = [Array(Self.stream[..<position]), Array(Self.stream[position...])]
        #expect(framer.outputs(of: pieces) == Self.packets)
    }

    /// What programs for version 0.1 call.
    @available(*, deprecated)
    @Test("packets that are polled are the same packets")
    func polled() {
        var framer = H4Framer()
        framer.receive(Self.stream.span)
        for packet in Self.packets { #expect(framer.pollOutput() == packet) }
        #expect(framer.pollOutput() == nil)
    }

    @Test("packets octet by octet are the same packets")
    func dripFeed() {
        var framer = H4Framer()
        #expect(framer.outputs(of: Self.stream.map { [$0] }) == Self.packets)
    }

    @Test("a received packet equals the sent one")
    func encoding() {
        var framer = H4Framer()
        let sent = Self.packets.compactMap { output -> [UInt8]? in
            if case .packet(let packet) = output { packet.octets } else { nil }
        }
        #expect(framer.outputs(of: sent) == Self.packets)
    }

    @Test("synchronous and isochronous packets are skipped by their length")
    func skipping() {
        let synchronous: [UInt8] = [0x03, 0x40, 0x00, 0x02, 0x04, 0x04]
        let isochronous: [UInt8] = [0x05, 0x40, 0x00, 0x03, 0xC0, 0x04, 0x04, 0x04]
        let empty: [UInt8] = [0x05, 0x40, 0x00, 0x00, 0x00]
        var framer = H4Framer()
        let octets = synchronous + isochronous + empty + Self.stream
        #expect(framer.outputs(of: octets.map { [$0] }) == Self.packets)
        #expect(framer.outputs(of: [octets]) == Self.packets)
    }

    @Test("an empty event and an empty ACL packet are packets")
    func empty() {
        var framer = H4Framer()
        let octets: [UInt8] = [0x04, 0xFF, 0x00, 0x02, 0x40, 0x00, 0x00, 0x00]
        #expect(
            framer.outputs(of: [octets]) == [
                .packet(.event([0xFF, 0x00])), .packet(.acl([0x40, 0x00, 0x00, 0x00])),
            ])
    }

    @Test("an unknown indicator loses the stream for good")
    func unknownIndicator() {
        var framer = H4Framer()
        let octets = [0x04] + Self.event + [0x06] + Self.stream
        #expect(
            framer.outputs(of: [octets, Self.stream]) == [
                .packet(.event(Self.event)), .failed(.unknownIndicator(0x06)),
            ])
    }

    @Test("a packet longer than the limit loses the stream before it is stored")
    func tooLong() {
        var framer = H4Framer(configuration: .init(maximumLength: 1024))
        let outputs = framer.outputs(of: [[0x02, 0x40, 0x20, 0x01, 0x04]])
        #expect(outputs == [.failed(.tooLong(indicator: 0x02, length: 1025))])
    }

    @Test("every octet but the five indicators is refused")
    func indicators() {
        for indicator in UInt8.min...UInt8.max {
            var framer = H4Framer()
            let outputs = framer.outputs(of: [[indicator]])
            if (1...5).contains(indicator) {
                #expect(outputs.isEmpty)
            } else {
                #expect(outputs == [.failed(.unknownIndicator(indicator))])
            }
        }
    }
}
