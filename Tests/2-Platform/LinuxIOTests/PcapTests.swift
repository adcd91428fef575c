import BluetoothLE
import Octets
import Testing

@testable import HCITransports
@testable import LinuxIO

@Suite struct PcapTests {
    @Test("without a direction, fragments of both sides are distinguished by their flags")
    func inference() {
        let octets = L2CAPPDU(
            channel: .attributeProtocol, payload: [UInt8](repeating: 7, count: 40)
        )
        .octets
        // The host's PDU in three fragments, with a whole one of the controller in between; then the other way.
        let pieces: [(ArraySlice<UInt8>, ACLPacket.Boundary, BtsnoopWriter.Direction)] = [
            (octets[..<27], .firstNonFlushable, .sent), (octets[..<44], .first, .received),
            (octets[27..<40], .continuing, .sent), (octets[40...], .continuing, .sent),
            (octets[..<27], .first, .received), (octets[..<44], .firstNonFlushable, .sent),
            (octets[27...], .continuing, .received),
        ]
        var inferred = InferredDirection()
        for (data, boundary, direction) in pieces {
            let packet = ACLPacket(
                handle: ConnectionHandle(rawValue: 0x40), boundary: boundary, data: Array(data))
            #expect(inferred.direction(of: packet.octets[...]) == direction)
        }
    }

    @Test("packets that are too short for a header have a direction too", arguments: 0...5)
    func shortPackets(_ count: Int) {
        var inferred = InferredDirection()
        let packet = [0x40, 0x20, 9, 0, 1].prefix(count) as ArraySlice<UInt8>
        #expect(inferred.direction(of: packet) == .received)
    }

    @Test(
        "times of pcapng in every resolution are read, and impossible ones are clamped",
        arguments: [
            (6, 0, 1_795_253_400_000_001, 1_795_253_400_000_001), (9, 0, 1_999, 1),
            (0, 0, 3, 3_000_000), (3, -1, 5, -995_000), (0x8A, 0, 1024, 1_000_000),
            (0x7F, 0, .max, 0), (0xFF, 0, .max, 0), (0, .max, .max, .max), (0, .min, 0, .min),
            (19, 0, .max, 1_844_674),
        ] as [(UInt8, Int64, UInt64, Int64)])
    func resolutions(_ resolution: UInt8, _ offset: Int64, _ stamp: UInt64, _ microseconds: Int64) {
        let clock = PcapngClock(resolution: resolution, offset: offset)
        #expect(clock.time(stamp).microsecondsSince1970 == microseconds)
    }
}
