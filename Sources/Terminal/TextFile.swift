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
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw IOError("cannot read \(path)", errno: errno) }
            if count == 0 { return octets }
            octets += chunk.prefix(count)
            guard octets.count <= maximumCount else {
                throw IOError("cannot read \(path)", errno: EFBIG)
            }
        }
    }
}
