internal import Glibc
package import LinuxIO

/// Reads ordinary files, given by the user, as a whole.
package enum TextFile {
    /// The largest size that is accepted, in octets: 16 MiB.
    package static let maximumCount = 16_777_216

    /// The octets of a file; `-` is standard input.
    package static func read(_ path: String) throws(IOError) -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw IOError("cannot read \(path)", errno: errno) }
        defer { if path != "-" { close(file) } }
        var octets: [UInt8] = []
        while true {
            guard let chunk = nextOctets(of: file, atMost: 65_536) else {
                throw IOError("cannot read \(path)", errno: errno)
            }
            if chunk.isEmpty { return octets }
            octets += chunk
            guard octets.count <= maximumCount else {
                throw IOError("cannot read \(path)", errno: EFBIG)
            }
        }
    }
}
