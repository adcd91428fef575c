import Glibc
import Testing

@testable import LinuxIO

/// Directories that are deleted with their owner.
struct TemporaryDirectoryTests {
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test(
        "it is deleted with its contents, and what its links lead to stays",
        arguments: [false, true])
    func deletion(outlivesNoOwner: Bool) throws {
        let other = try TemporaryDirectory()
        try other.addDirectory("kept")
        var directory: TemporaryDirectory? = try TemporaryDirectory(
            outlivesNoOwner: outlivesNoOwner)
        let path = try #require(directory?.path)
        try directory?.addDirectory("inner")
        #expect(symlink(other.path, "\(path)/inner/link") == 0)
        #expect(mkfifo("\(path)/inner/fifo", 0o600) == 0)
        var state = stat()
        #expect(stat(path, &state) == 0)
        #expect(state.st_mode & 0o777 == 0o700)
        directory = nil
        #expect(!Self.exists(path))
        #expect(other.names == ["kept"])
    }
}
