import BluetoothLE
import Glibc
@testable import HCITransports
import LinuxIO
import Octets
import Testing

@Suite struct BtsnoopWriterTests {
    @Test("a capture is a header and a record for each packet, octet for octet")
    func octets() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/capture"
        let writer = try BtsnoopWriter(path: path)
        // 2026-11-21 09:30:00 UTC and 1 µs later.
        let time: Int64 = 1_795_253_400_000_000
        writer.record(Sample.reset, direction: .sent, at: instant(time))
        writer.record(Sample.resetComplete, direction: .received, at: instant(time + 1))
        writer.record(Sample.data, direction: .sent, at: instant(time + 2))
        writer.record(Sample.data, direction: .received, at: instant(time + 3))
        writer.close()
        #expect(writer.failure == nil)
        let stamp = UInt64(bitPattern: time + 0x00dc_ddb3_0f2f_8000)
        let header: [UInt8] = [
            0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0, 0, 0, 0, 1, 0, 0, 3, 0xEA,
        ]
        let records =
            record(flags: 2, stamp, Sample.reset)
            + record(flags: 3, stamp + 1, Sample.resetComplete)
            + record(flags: 0, stamp + 2, Sample.data) + record(flags: 1, stamp + 3, Sample.data)
        #expect(contents(of: path) == header + records)
    }

    private func instant(_ microseconds: Int64) -> CaptureTime {
        CaptureTime(microsecondsSince1970: microseconds)
    }

    private func record(flags: UInt8, _ stamp: UInt64, _ packet: HCIPacket) -> [UInt8] {
        let octets = packet.octets
        let length: [UInt8] = [0, 0, 0, UInt8(octets.count)]
        let time = (0..<8).map { UInt8(truncatingIfNeeded: stamp >> (56 - 8 * $0)) }
        return length + length + [0, 0, 0, flags] + [0, 0, 0, 0] + time + octets
    }

    @Test("a capture is private, also in a file that was there, whose contents go")
    func privacy() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/capture"
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o644)
        _ = write(descriptor, [UInt8](repeating: 1, count: 99), 99)
        close(descriptor)
        let writer = try BtsnoopWriter(path: path)
        #expect(mode(of: path) == 0o600)
        #expect(contents(of: path)?.count == 16)
        writer.close()
    }

    @Test("only ordinary files get a new mode: /dev/null keeps its own")
    func device() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/pipe"
        #expect(mkfifo(path, 0o622) == 0 && chmod(path, 0o622) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let writer = try BtsnoopWriter(path: path)
        #expect(mode(of: path) == 0o622)
        writer.close()
    }

    @Test("a symbolic link is not followed, whether or not its target exists")
    func links() throws {
        let directory = try TemporaryDirectory()
        let (path, target) = ("\(directory.path)/capture", "\(directory.path)/precious")
        symlink(target, path)
        let dangling = #expect(throws: IOError.self) { try BtsnoopWriter(path: path) }
        #expect(dangling?.message.contains("symbolic link") == true)
        #expect(contents(of: target) == nil)
        let descriptor = open(target, O_CREAT | O_WRONLY, 0o644)
        _ = write(descriptor, "precious", 8)
        close(descriptor)
        #expect(throws: IOError.self) { try BtsnoopWriter(path: path) }
        #expect(contents(of: target) == Array("precious".utf8))
        #expect(mode(of: target) == 0o644)
    }

    @Test("packets reach the file when a second has passed, when many wait, and on demand")
    func flushes() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/capture"
        let writer = try BtsnoopWriter(path: path)
        let recordCount = 24 + Sample.reset.encodedCount
        writer.record(Sample.reset, direction: .sent, at: instant(0))
        #expect(contents(of: path)?.count == 16)
        writer.flush()
        #expect(contents(of: path)?.count == 16 + recordCount)
        let future = Int64.max / 2
        writer.record(Sample.reset, direction: .sent, at: instant(future))
        #expect(contents(of: path)?.count == 16 + 2 * recordCount)
        writer.record(Sample.reset, direction: .sent, at: instant(future + 999_999))
        #expect(contents(of: path)?.count == 16 + 2 * recordCount)
        writer.record(Sample.reset, direction: .sent, at: instant(future + 1_000_000))
        #expect(contents(of: path)?.count == 16 + 4 * recordCount)
        for _ in 0..<1_171 {
            writer.record(Sample.reset, direction: .sent, at: instant(future + 1_000_001))
        }
        #expect(contents(of: path)?.count ?? 0 > 16 + 1_000 * recordCount)
        writer.close()
    }

    @Test("a clock that is set back does not keep packets in memory")
    func backwards() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/capture"
        let writer = try BtsnoopWriter(path: path)
        let recordCount = 24 + Sample.reset.encodedCount
        writer.record(Sample.reset, direction: .sent, at: instant(1_000_000))
        #expect(contents(of: path)?.count == 16)
        writer.record(Sample.reset, direction: .sent, at: instant(999_999))
        #expect(contents(of: path)?.count == 16 + 2 * recordCount)
        writer.record(Sample.reset, direction: .sent, at: instant(1_500_000))
        #expect(contents(of: path)?.count == 16 + 2 * recordCount)
        writer.close()
    }

    @Test("any time can be recorded, also after any other", arguments: [Int64.min, -1, 0, .max])
    func extremes(_ time: Int64) throws {
        let directory = try TemporaryDirectory()
        let writer = try BtsnoopWriter(path: "\(directory.path)/capture")
        for time in [time, .max, time, .min, time] {
            writer.record(Sample.reset, direction: .sent, at: instant(time))
        }
        writer.close()
        let recordCount = 24 + Sample.reset.encodedCount
        #expect(contents(of: "\(directory.path)/capture")?.count == 16 + 5 * recordCount)
    }

    @Test("a file that cannot be created is an error")
    func unwritable() {
        let error = #expect(throws: IOError.self) {
            try BtsnoopWriter(path: "/nonexistent/capture")
        }
        #expect(error?.code == .notFound)
    }
}
