internal import Glibc
package import LinuxIO

/// Reads ordinary files, given by the user, as a whole.
package enum TextFile {
    /// The largest size that is accepted, in octets: 16 MiB.
    package static let maximumCount = 16_777_216

    /// The octets of a file; `-` is standard input.
    package static func read(_ path: String) throws(IOError) -> [UInt8] {
        do throws(SystemError) {
            let limit = maximumCount + 1
            let octets =
                path == "-"
                ? try SystemFile.octets(from: STDIN_FILENO, limit: limit)
                : try SystemFile.octets(of: path, limit: limit, flags: 0)
            guard octets.count <= maximumCount else { throw SystemError(errno: EFBIG) }
            return octets
        } catch { throw IOError("cannot read \(path)", errno: error.errno) }
    }
}
