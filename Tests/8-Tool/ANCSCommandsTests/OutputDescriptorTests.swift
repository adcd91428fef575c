import Glibc
import Testing

@testable import Printing

@Suite("A descriptor that is written to without blocking")
struct OutputDescriptorTests {
    /// Both ends of a pipe, until the body ends.
    private func withPipe(_ body: (_ reader: CInt, _ writer: CInt) throws -> Void) throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends where end >= 0 { close(end) } }
        try body(ends[0], ends[1])
    }

    private func read(_ count: Int, from descriptor: CInt) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        let read = Glibc.read(descriptor, &octets, count)
        return Array(octets.prefix(max(0, read)))
    }

    @Test("a pipe takes whole lines until it is full, and then none, without a change of its flags")
    func fullPipe() throws {
        try withPipe { reader, writer in
            let output = OutputDescriptor(writer)
            defer { output.close() }
            let line = [UInt8](repeating: 0x61, count: Int(PIPE_BUF))
            var lines = 0
            while lines < 10_000, output.writeAtOnce(line) == .written { lines += 1 }
            #expect((1..<10_000).contains(lines))
            #expect(output.writeAtOnce(line) == .wouldBlock)
            #expect(fcntl(writer, F_GETFL) & O_NONBLOCK == 0)
            for _ in 0..<lines { #expect(read(line.count, from: reader) == line) }
            #expect(output.writeAtOnce([0x62]) == .written)
            #expect(read(2, from: reader) == [0x62])
        }
    }

    @Test("a line that a pipe might take in parts is not written at once")
    func longLine() throws {
        try withPipe { reader, writer in
            let output = OutputDescriptor(writer)
            defer { output.close() }
            let line = [UInt8](repeating: 0x61, count: Int(PIPE_BUF) + 1)
            #expect(output.writeAtOnce(line) == .wouldBlock)
            #expect(output.write(line) == .written)
            #expect(read(8192, from: reader) == line)
        }
    }

    @Test("a file takes everything at once, where its other writers have left off")
    func file() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let descriptor = fileno(file)
        #expect(Glibc.write(descriptor, [0x61 as UInt8], 1) == 1)
        let line = [UInt8](repeating: 0x62, count: 20_000)
        #expect(OutputDescriptor(descriptor).writeAtOnce(line) == .written)
        #expect(lseek(descriptor, 0, SEEK_CUR) == 20_001)
    }

    @Test("a socket that is full takes nothing")
    func fullSocket() throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let output = OutputDescriptor(ends[1])
        let line = [UInt8](repeating: 0x61, count: 1024)
        var lines = 0
        while lines < 10_000, output.writeAtOnce(line) == .written { lines += 1 }
        #expect((1..<10_000).contains(lines))
        #expect(output.writeAtOnce(line) == .wouldBlock)
    }

    @Test("a failed write is reported with its reason")
    func failure() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[1])
        // The end for reading cannot be written to.
        let output = OutputDescriptor(ends[0])
        #expect(output.write([0x61]) == .failed(EBADF))
        close(ends[0])
        #expect(OutputDescriptor(ends[0]).write([0x61]) == .failed(EBADF))
    }
}
