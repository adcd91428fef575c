internal import CLinux
internal import Glibc

/// A file without a name, in the system's directory for temporary files: it holds what would be too much for memory,
/// and is gone when the last reference to it is.
package final class ScratchFile: Sendable {
    private static let portion = 65_536
    private let descriptor: OwnedDescriptor

    /// An empty file.
    package init() throws(IOError) {
        guard let stream = tmpfile() else {
            throw IOError("cannot create a temporary file", errno: errno)
        }
        let number = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
        let reason = errno
        fclose(stream)
        guard number >= 0 else { throw IOError("cannot create a temporary file", errno: reason) }
        descriptor = OwnedDescriptor(number)
    }

    /// Writes these octets to its end.
    package func write(_ octets: [UInt8]) throws(IOError) {
        try writeAll(octets, to: descriptor, path: "a temporary file")
    }

    /// Writes all of it to another file, a portion at a time.
    package func copy(to file: OutputFile) throws(IOError) {
        var buffer = [UInt8](repeating: 0, count: Self.portion)
        var position: off_t = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { all in
                uninterrupted { pread(descriptor.number, all.baseAddress, all.count, position) }
            }
            guard count >= 0 else { throw IOError("cannot read a temporary file", errno: errno) }
            guard count > 0 else { return }
            try file.write(Array(buffer[..<count]))
            position += off_t(count)
        }
    }
}
