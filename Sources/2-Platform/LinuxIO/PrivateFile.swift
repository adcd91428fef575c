internal import CLinux
internal import Glibc

/// Files with secrets: readable only by their owner, and replaced atomically.
public enum PrivateFile: Sendable {
    /// The largest file that is read, in octets; a bond store has a few thousand.
    public static let readLimit = 16_777_216

    /// Where a file may be.
    public enum Place: Sendable {
        /// In a directory of this user that no other user may write to. Whoever may write to it can take the
        /// file away, or put an earlier one back.
        case privateDirectory
        /// Anywhere: for a file that the user named.
        case anywhere
    }

    /// Replaces the contents of the file at `path`, mode 0600. Missing directories are created with mode
    /// 0700. Throws ``IOError/Code/notPrivate`` if the directory is not as `place` says.
    ///
    /// The contents are written to a new file in the same directory, which is then renamed; both the file and its
    /// directory are on disk before this returns, so that a crash leaves either the old or the new file. If
    /// `path` is a symbolic link, the link is replaced by a file. Files left behind by killed writers are
    /// removed, because they may hold keys that were deleted since.
    public static func write(
        path: String, contents: [UInt8], in place: Place = .privateDirectory
    ) throws(IOError) {
        let directory = directory(of: path)
        try createDirectory(directory)
        try checkDirectory(of: path, place)
        let temporary = "\(path).new-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let file = try create(temporary)
        defer { file.close() }
        do throws(IOError) {
            try writeAll(contents, to: file, path: temporary)
            guard fsync(file.number) == 0 else {
                throw IOError("cannot write to \(temporary)", errno: errno)
            }
            guard rename(temporary, path) == 0 else {
                throw IOError("cannot replace \(path)", errno: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
        removeRemains(of: path, in: directory)
        try synchronize(directory)
    }

    /// The contents of the file at `path`; `nil` if there is no such file.
    ///
    /// Throws ``IOError/Code/notPrivate`` if other users may read or write it, or if it belongs to another
    /// user: keys that others know or choose are useless. The same applies to its directory, as `place` says.
    public static func read(
        path: String, in place: Place = .privateDirectory
    ) throws(IOError) -> [UInt8]? {
        try checkDirectory(of: path, place)
        // Does not follow a link, and does not wait for the other end of a FIFO.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = uninterrupted { open(path, flags) }
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw IOError("cannot read \(path)", errno: errno)
        }
        let file = OwnedDescriptor(number)
        defer { file.close() }
        try checkPrivacy(of: file, path)
        return try readAll(file, path)
    }

    private static func checkPrivacy(of file: OwnedDescriptor, _ path: String) throws(IOError) {
        var status = stat()
        guard fstat(file.number, &status) == 0 else {
            throw IOError("cannot read \(path)", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw IOError(.notPrivate, "\(path) is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw IOError(.notPrivate, "\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw IOError(
                .notPrivate,
                "\(path) can be used by others (mode \(String(status.st_mode & 0o777, radix: 8))); "
                    + "\"chmod 600\" makes it private, but others may know what is in it")
        }
    }

    private static func readAll(_ file: OwnedDescriptor, _ path: String) throws(IOError) -> [UInt8]
    {
        do throws(SystemError) {
            let contents = try SystemFile.octets(from: file.number, limit: readLimit + 1)
            guard contents.count <= readLimit else { throw SystemError(errno: EFBIG) }
            return contents
        } catch { throw IOError("cannot read \(path)", errno: error.errno) }
    }

    /// Creates a file, locked while it is open, which shows that its writer is alive.
    private static func create(_ path: String) throws(IOError) -> OwnedDescriptor {
        let number = uninterrupted {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard number >= 0 else { throw IOError("cannot create \(path)", errno: errno) }
        // Without locks on this file system, no such files are removed.
        _ = flock(number, LOCK_EX | LOCK_NB)
        return OwnedDescriptor(number)
    }

    /// Removes the files of writers that ended before they could rename them.
    private static func removeRemains(of path: String, in directory: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let beginning = path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...] + ".new-"
        for name in SystemFile.names(in: directory) where name.hasPrefix(beginning) {
            removeIfAbandoned("\(directory)/\(name)")
        }
    }

    private static func removeIfAbandoned(_ path: String) {
        let number = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else { return }
        let file = OwnedDescriptor(number)
        defer { file.close() }
        if flock(number, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    }

    private static func synchronize(_ directory: String) throws(IOError) {
        let number = uninterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else { throw IOError("cannot open \(directory)", errno: errno) }
        let descriptor = OwnedDescriptor(number)
        defer { descriptor.close() }
        // EINVAL: the file system has nothing to synchronize.
        guard fsync(number) == 0 || errno == EINVAL else {
            throw IOError("cannot write to \(directory)", errno: errno)
        }
    }

    /// Creates the missing directories of a path, with mode 0700, and checks that the last one is private.
    static func createDirectory(above path: String) throws(IOError) {
        try createDirectory(directory(of: path))
        try checkDirectory(of: path, .privateDirectory)
    }

    private static func createDirectory(_ path: String) throws(IOError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, directory(of: path) != path else {
            throw IOError("cannot create \(path)", errno: errno)
        }
        try createDirectory(directory(of: path))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw IOError("cannot create \(path)", errno: errno)
        }
    }

    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        let directory = path[..<slash]
        return directory.isEmpty ? "/" : String(directory)
    }
}
