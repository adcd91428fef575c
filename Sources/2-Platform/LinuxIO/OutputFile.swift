internal import CLinux
internal import Glibc

/// An output file at a path chosen by the user.
///
/// A symbolic link is not followed: in a directory that others can write to, they could choose what is
/// overwritten.
public struct OutputFile: Sendable {
    private let path: String
    private let descriptor: OwnedDescriptor

    /// Creates the file with this mode, or empties an existing one. `kind` is its name in messages, such as
    /// `capture`.
    public init(path: String, mode: UInt32, kind: String) throws(IOError) {
        self.path = path
        descriptor = OwnedDescriptor(try Self.create(path, mode, kind))
    }

    private static func create(
        _ path: String, _ mode: UInt32, _ kind: String
    ) throws(IOError) -> CInt {
        // To open a pipe waits for its reader, which may never come: a signal has no handler yet.
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = uninterrupted { open(path, flags, mode) }
        guard number < 0 else {
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
            return number
        }
        let reason = errno
        if reason == ENXIO, type(of: path) == S_IFIFO {
            throw IOError(
                .unusablePath, errno: ENXIO,
                "cannot write to \(path): no program reads from this pipe; start its reader first")
        }
        guard reason == ELOOP, type(of: path) == S_IFLNK else {
            throw IOError("cannot create \(path)", errno: reason)
        }
        throw link(path, kind)
    }

    /// The type of what is at a path, such as `S_IFREG`; `nil` if nothing is there, or if it cannot be seen.
    private static func type(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func link(_ path: String, _ kind: String) -> IOError {
        IOError(
            .notPrivate, errno: ELOOP,
            "cannot create \(path): it is a symbolic link, and a \(kind) is not written through one; "
                + "name the file itself")
    }

    /// Replaces the contents of a file, or creates it with this mode: at each moment its readers see the old contents
    /// or the new ones, never a part. What is no ordinary file is refused.
    package static func replace(
        path: String, contents: [UInt8], mode: UInt32, kind: String
    ) throws(IOError) {
        switch type(of: path) {
        case nil, S_IFREG: break
        case S_IFLNK: throw link(path, kind)
        default: throw IOError(.unusablePath, "cannot replace \(path): it is not an ordinary file")
        }
        let temporary = "\(path).new-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = uninterrupted { open(temporary, flags, mode) }
        guard number >= 0 else { throw IOError("cannot create \(path)", errno: errno) }
        let descriptor = OwnedDescriptor(number)
        defer { descriptor.close() }
        do throws(IOError) {
            try writeAll(contents, to: descriptor, path: path)
            guard rename(temporary, path) == 0 else {
                throw IOError("cannot replace \(path)", errno: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Makes an existing file private, because opening it does not change its mode. A device such as
    /// `/dev/null`, or a pipe, stores nothing and is left alone.
    package func makePrivate() throws(IOError) {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        guard fchmod(descriptor.number, 0o600) == 0 else {
            throw IOError("cannot make \(path) private", errno: errno)
        }
    }

    /// Writes all octets, or throws.
    public func write(_ octets: [UInt8]) throws(IOError) {
        try writeAll(octets, to: descriptor, path: path)
    }

    /// Closes the file; further calls do nothing.
    public func close() { descriptor.close() }
}

/// Writes all octets, or throws.
func writeAll(_ octets: [UInt8], to descriptor: OwnedDescriptor, path: String) throws(IOError) {
    var written = 0
    while written < octets.count {
        let count = octets.withUnsafeBytes { all in
            let rest = UnsafeRawBufferPointer(rebasing: all[written...])
            return uninterrupted { write(descriptor.number, rest.baseAddress, rest.count) }
        }
        guard count >= 0 else { throw IOError("cannot write to \(path)", errno: errno) }
        written += count
    }
}
