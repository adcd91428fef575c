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
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let number = uninterrupted { open(path, flags, mode) }
        guard number < 0 else { return number }
        let reason = errno
        var status = stat()
        guard reason == ELOOP, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            throw IOError("cannot create \(path)", errno: reason)
        }
        throw IOError(
            .notPrivate, errno: reason,
            "cannot create \(path): it is a symbolic link, and a \(kind) is not written through one; "
                + "name the file itself")
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
func writeAll(
    _ octets: [UInt8], to descriptor: OwnedDescriptor, path: String
) throws(IOError) {
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
