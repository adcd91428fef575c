internal import Glibc

/// A directory for the files of a test or a bench, deleted with its contents when its owner is released.
package final class TemporaryDirectory: Sendable {
    /// The path, in `$TMPDIR` or in `/tmp`.
    package let path: String

    /// Creates a directory with mode 0700. Throws if that fails.
    package init() throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let template = "\(parent)/ancs-XXXXXX"
        let made = CText.written(capacity: template.utf8.count + 1) { buffer, _ in
            strcpy(buffer, template)
            return mkdtemp(buffer) != nil
        }
        guard made.result else {
            throw IOError("cannot create a directory in \(parent)", errno: errno)
        }
        path = made.text
    }

    /// Creates a directory in it, with mode 0700.
    package func addDirectory(_ name: String) throws(IOError) {
        guard mkdir("\(path)/\(name)", 0o700) == 0 else {
            throw IOError("cannot create a directory in \(path)", errno: errno)
        }
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
