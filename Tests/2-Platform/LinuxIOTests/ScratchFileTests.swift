import Glibc
import LinuxIO
import Testing

@Suite struct ScratchFileTests {
    @Test(arguments: [0, 1, 65_536, 200_000])
    func allOfItIsCopiedInOrderEachTime(_ count: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/copy"
        let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
        let scratch = try ScratchFile()
        for start in stride(from: 0, to: count, by: 1000) {
            try scratch.write(Array(octets[start..<min(start + 1000, count)]))
        }
        let file = try OutputFile(path: path, mode: 0o600, kind: "copy")
        try scratch.copy(to: file)
        try scratch.copy(to: file)
        #expect(try PrivateFile.read(path: path) == octets + octets)
    }
}
