internal import CLinux
internal import Glibc
internal import Synchronization

/// An exclusive lock for changing a file: flock(2) on a separate file next to it, because the file itself is
/// replaced. The kernel releases it when the process ends, for whatever reason.
public final class FileLock: Sendable {
    private let file: OwnedDescriptor
    private let isReleased = Atomic(false)

    /// Locks the file at `path`, by a file with the suffix `.lock` and mode 0600, which is never deleted.
    /// Missing directories are created with mode 0700. Throws ``IOError/Code/busy`` if the lock is taken, by
    /// this process or another one.
    public init(of path: String) throws(IOError) {
        let name = path + ".lock"
        try PrivateFile.createDirectory(above: path)
        let number = uninterrupted {
            open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
        guard number >= 0 else { throw IOError("cannot open \(name)", errno: errno) }
        file = OwnedDescriptor(number)
        guard uninterrupted({ flock(number, LOCK_EX | LOCK_NB) }) == 0 else {
            let reason = errno
            guard reason == EWOULDBLOCK else { throw IOError("cannot lock \(name)", errno: reason) }
            throw IOError(.busy, "\(path) is in use by another device or program")
        }
    }

    deinit { release() }

    /// Releases the lock. Further calls do nothing.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A child process that is being started has the descriptor too, until it executes a program. Just
        // closing the descriptor would keep the lock until then.
        flock(file.number, LOCK_UN)
        file.close()
    }
}
