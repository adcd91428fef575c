internal import Glibc

/// A directory for the files of a test, deleted with its contents when its owner is released.
package final class TemporaryDirectory: Sendable {
    /// The path, in `$TMPDIR` or in `/tmp`.
    package let path: String

    /// Creates a directory with mode 0700. Throws if that fails.
    package init() throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/swift-ancs-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw IOError("cannot create a directory in \(parent)", errno: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The names of its entries, sorted.
    package var names: [String] { SystemFile.names(in: path) }

    private static func remove(_ path: String) {
        for name in SystemFile.names(in: path) {
            // Unlinking a directory fails; it is then emptied first.
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
