internal import Glibc

/// Reads the start of a small system file, with a limit.
enum SmallFile: Sendable {
    enum Contents: Sendable {
        /// The first octets.
        case octets([UInt8])
        /// The file does not exist.
        case absent
        /// The file cannot be read, for this reason.
        case failed(String)
    }

    static func read(_ path: String, limit: Int = 65_536) -> Contents {
        // O_NONBLOCK: opening a FIFO must not wait for a writer.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .absent : .failed(String(cString: strerror(errno)))
        }
        defer { close(number) }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: limit)
        while octets.count < limit {
            let count = Glibc.read(number, &part, limit - octets.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failed(String(cString: strerror(errno))) }
            if count == 0 { break }
            octets += part.prefix(count)
        }
        return .octets(octets)
    }
}
