internal import Glibc
internal import LinuxIO

/// A directory that is deleted with its contents when its owner is released.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/ancs-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw IOError("cannot make a directory in \(parent)", errno: errno)
        }
        path = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in SystemFile.names(in: path) {
            // Unlinking a directory fails; it is then emptied first.
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
