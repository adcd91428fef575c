internal import CLinux
internal import Glibc

extension PrivateFile {
    /// Makes a file that somebody else is to write, empty and with mode 0600, and the directories above it with
    /// mode 0700; one that is there becomes private, too. Fails with ``IOError/Code/notPrivate`` where it is no
    /// ordinary file or belongs to another user.
    package static func prepare(path: String) throws(IOError) {
        try createDirectory(above: path)
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = uninterrupted { open(path, flags, 0o600) }
        guard number >= 0 else { throw IOError("cannot open \(path)", errno: errno) }
        let file = OwnedDescriptor(number)
        defer { file.close() }
        var status = stat()
        guard fstat(number, &status) == 0 else {
            throw IOError("cannot open \(path)", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw IOError(
                .notPrivate,
                "\(path) is no ordinary file of this user; move it away to start afresh")
        }
        guard status.st_mode & 0o077 == 0 || fchmod(number, 0o600) == 0 else {
            throw IOError("cannot make \(path) private", errno: errno)
        }
    }
}
