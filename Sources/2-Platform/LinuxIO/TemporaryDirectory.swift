internal import CLinux
internal import Glibc

/// A directory for the files of a test or a bench, deleted with its contents when its owner is released.
package final class TemporaryDirectory: Sendable {
    /// The path, in `$TMPDIR` or in `/tmp`.
    package let path: String

    /// A descriptor that says that the directory is in use: it is deleted when no process has it open any more. `nil`
    /// if this process deletes it.
    let lease: OwnedDescriptor?
    /// The process that deletes the directory, or 0.
    private let keeper: pid_t

    /// Creates a directory with mode 0700. Throws if that fails. If it `outlivesNoOwner`, it is deleted even if this
    /// process is killed, which takes a process of its own.
    package init(outlivesNoOwner: Bool = false) throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(parent)/ancs-\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
        var keeper: pid_t = 0
        let result =
            outlivesNoOwner ? clinux_keep_directory(path, &keeper) : mkdir(path, 0o700)
        guard result >= 0 else {
            throw IOError("cannot create a directory in \(parent)", errno: errno)
        }
        self.keeper = keeper
        lease = outlivesNoOwner ? OwnedDescriptor(result) : nil
    }

    /// Creates a directory in it, with mode 0700.
    package func addDirectory(_ name: String) throws(IOError) {
        guard mkdir("\(path)/\(name)", 0o700) == 0 else {
            throw IOError("cannot create a directory in \(path)", errno: errno)
        }
    }

    deinit {
        guard let lease else { return clinux_remove_tree(path) }
        lease.close()
        clinux_await(keeper)
    }

    /// The names of its entries, sorted.
    package var names: [String] { SystemFile.names(in: path) }
}
