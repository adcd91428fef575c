internal import CLinux
internal import Glibc

extension PrivateFile {
    /// Prepares a file that another library will write: creates it with mode 0600, and missing directories
    /// with mode 0700; an existing file is made private, too. Throws ``IOError/Code/notPrivate`` if it is not
    /// a regular file or belongs to another user.
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
                "\(path) is not a regular file of this user; move it away to start with a new one")
        }
        guard status.st_mode & 0o077 == 0 || fchmod(number, 0o600) == 0 else {
            throw IOError("cannot make \(path) private", errno: errno)
        }
    }
}
