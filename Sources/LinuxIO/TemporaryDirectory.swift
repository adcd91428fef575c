internal import Glibc

/// A directory for the files of a test, deleted with its contents when its owner is released.
package final class TemporaryDirectory: Sendable {
    /// Where it is: in `$TMPDIR`, or in `/tmp`.
    package let path: String

    /// Makes a directory that only this user may open. Throws if there is no place for it.
    package init() throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/swift-ancs-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw IOError("cannot make a directory in \(parent)", errno: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The names of what is in it, sorted.
    package var names: [String] { SystemFile.names(in: path) }

    private static func remove(_ path: String) {
        for name in SystemFile.names(in: path) {
            // Unlinking a directory fails; it is then emptied first.
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
