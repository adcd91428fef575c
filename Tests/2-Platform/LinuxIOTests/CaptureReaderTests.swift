import BluetoothLE
@testable import HCITransports
import LinuxIO
import Octets
import Testing

@Suite struct CaptureReaderTests {
    private func outputs(_ octets: [UInt8]) -> [CaptureReader.Output] {
        var reader = CaptureReader()
        reader.receive(octets)
        reader.finish()
        var outputs: [CaptureReader.Output] = []
        while let output = reader.pollOutput() { outputs.append(output) }
        return outputs
    }

    @Test("recorded packets are read back")
    func roundTrip() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/capture"
        let writer = try BtsnoopWriter(path: path)
        let time: Int64 = 1_795_253_400_000_000
        writer.record(Sample.reset, direction: .sent, at: CaptureTime(microsecondsSince1970: time))
        writer.record(
            Sample.resetComplete, direction: .received,
            at: CaptureTime(microsecondsSince1970: time + 1))
        writer.record(
            Sample.data, direction: .received, at: CaptureTime(microsecondsSince1970: time + 2))
        writer.close()
        let read = outputs(try #require(contents(of: path)))
        #expect(read.first == .format(.btsnoop(.h4)))
        let packets = read.compactMap { output -> CaptureReader.Content? in
            guard case .record(let record) = output else { return nil }
            return record.content
        }
        #expect(
            packets == [
                .packet(Sample.reset, .sent, missing: 0),
                .packet(Sample.resetComplete, .received, missing: 0),
                .packet(Sample.data, .received, missing: 0),
            ])
        guard case .record(let last) = read.last else {
            Issue.record("the last output is a record")
            return
        }
        #expect(last.time == CaptureTime(microsecondsSince1970: time + 2))
        #expect(
            last.offset
                == UInt64(16 + 48 + Sample.reset.encodedCount + Sample.resetComplete.encodedCount))
    }

    @Test("file formats are recognized by their first octets")
    func recognition() {
        #expect(CaptureFormat.recognize(Array("btsnoop\0....".utf8)) == .btsnoop)
        #expect(CaptureFormat.recognize(Array("btsn".utf8)) == .undecided)
        #expect(CaptureFormat.recognize(Array("ns 0001020300000000".utf8)) == .unknown)
        #expect(CaptureFormat.recognize(Array("# a comment\n".utf8)) == .unknown)
        let big: [UInt8] = [0, 0, 0, 12, 0x6A, 0, 0, 0, 0, 1, 0, 0, 0]
        #expect(CaptureFormat.recognize(big) == .packetLogger(.bigEndian))
        #expect(CaptureFormat.recognize(big.prefix(12)) == .undecided)
        let little: [UInt8] = [12, 0, 0, 0, 0, 0, 0, 0x6A, 0, 0, 1, 0, 0]
        #expect(CaptureFormat.recognize(little) == .packetLogger(.littleEndian))
        // A second has fewer microseconds.
        let odd: [UInt8] = [0, 0, 0, 12, 0x6A, 0, 0, 0, 0x7F, 1, 0, 0, 0]
        #expect(CaptureFormat.recognize(odd) == .unknown)
    }

    @Test(
        "a time stamp is believed as far as there are times",
        arguments: [
            (0x00dc_ddb3_0f2f_8000, 0), (0, -0x00dc_ddb3_0f2f_8000),
            (0x7FFF_FFFF_FFFF_FFFF, .max - 0x00dc_ddb3_0f2f_8000),
            (0xFFFF_FFFF_FFFF_FFFF, -1 - 0x00dc_ddb3_0f2f_8000), (0x8000_0000_0000_0000, .min),
        ] as [(UInt64, Int64)])
    func stamps(_ stamp: UInt64, _ microseconds: Int64) {
        #expect(CaptureTime(btsnoopStamp: stamp).microsecondsSince1970 == microseconds)
    }

    @Test("any two times have a distance")
    func distances() {
        let times = [Int64.min, -1, 0, 1, .max].map { CaptureTime(microsecondsSince1970: $0) }
        for (index, earlier) in times.enumerated() {
            for later in times[index...] {
                #expect(later - earlier >= .zero)
                #expect(earlier - later == .zero - (later - earlier))
            }
        }
        #expect(
            times[4] - times[0] == .microseconds(Int64.max) + .microseconds(Int64.max)
                + .microseconds(1))
    }

    @Test("a length that is too short for its own header is damage")
    func shortLength() {
        let good: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 0, 0, 1, 0, 0, 0]
        var bad = good
        bad[3] = 8
        guard case .failed(let failure) = outputs(good + bad).last else {
            Issue.record("the damage is found")
            return
        }
        #expect(failure.offset == 13)
        #expect(failure.reason == .invalidLength(8))
        #expect(!failure.isUnknownFormat)
    }
}
