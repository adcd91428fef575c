internal import CLinux
internal import Glibc

/// A directory for the files of a test or a bench, deleted with its contents when its owner is released.
package final class TemporaryDirectory: Sendable {
    /// The path, in `$TMPDIR` or in `/tmp`.
    package let path: String

    /// A descriptor that says that the directory is in use: it is deleted when no process has it open any more. `nil`
    /// if this process deletes it.
    let lease: OwnedDescriptor?
    /// The process that deletes the directory, or 0; `nil` if it is deleted.
    private let keeper: Lock<pid_t?>
    /// The directories in it, by name: they stay open, so that one that was moved away is found.
    private let inner = Lock<[(name: String, descriptor: OwnedDescriptor)]>([])

    /// Creates a directory with mode 0700. Throws if that fails. If it `outlivesNoOwner`, it is deleted even if this
    /// process is killed, which takes a process of its own.
    package init(outlivesNoOwner: Bool = false) throws(IOError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(parent)/ancs-\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
        var keeper: pid_t = 0
        let result = outlivesNoOwner ? clinux_keep_directory(path, &keeper) : mkdir(path, 0o700)
        guard result >= 0 else {
            throw IOError("cannot create a directory in \(parent)", errno: errno)
        }
        self.keeper = Lock(keeper)
        lease = outlivesNoOwner ? OwnedDescriptor(result) : nil
    }

    /// Creates a directory in it, with mode 0700.
    package func addDirectory(_ name: String) throws(IOError) {
        guard mkdir("\(path)/\(name)", 0o700) == 0 else {
            throw IOError("cannot create a directory in \(path)", errno: errno)
        }
        let number = open("\(path)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number >= 0 { inner.withLock { $0.append((name, OwnedDescriptor(number))) } }
    }

    deinit { remove() }

    /// Deletes the directory with its contents. Returns what is left of it, a sentence each. Further calls do nothing.
    @discardableResult package func remove() -> [String] {
        let keeper = keeper.withLock { exchange(&$0, with: nil) }
        guard let keeper else { return [] }
        lease?.close()
        let isGone = lease == nil ? clinux_remove_tree(path) == 0 : clinux_await(keeper) == 0
        let left = isGone ? [] : ["\(path) cannot be deleted: look at what is left in it"]
        // One that was moved to another place is its mover's.
        return inner.withLock { exchange(&$0, with: []) }.reduce(into: left) { left, inner in
            let place = SystemFile.target(of: "/proc/self/fd/\(inner.descriptor.number)")
            inner.descriptor.close()
            guard isGone, let place, !place.hasSuffix(" (deleted)") else { return }
            left.append("\(path)/\(inner.name) was moved to \(place), and was not deleted")
        }
    }

    /// The names of its entries, sorted.
    package var names: [String] { SystemFile.names(in: path) }
}
