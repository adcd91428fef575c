internal import CLinux
internal import Glibc
internal import Synchronization

/// The right to change a file, which one owner has at a time: flock(2) on a file beside it, since the file
/// itself is replaced. The kernel takes it back when the process dies, in whatever way.
public final class FileLock: Sendable {
    private let file: OwnedDescriptor
    private let isReleased = Atomic(false)

    /// Takes the lock of the file at `path`, in a file named like it with `.lock` at the end, mode 0600,
    /// which stays. Missing directories above it are created with mode 0700. Fails with
    /// ``IOError/Code/busy`` where another owner has it, in this process or another one.
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

    /// Gives the lock back. Again does nothing.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A child that is being spawned has the descriptor as well until it executes something: it would
        // keep the lock for so long if this were only closed.
        flock(file.number, LOCK_UN)
        file.close()
    }
}
