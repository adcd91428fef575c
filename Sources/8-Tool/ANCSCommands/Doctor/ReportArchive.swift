internal import CZlib
internal import Glibc
internal import LinuxIO

/// A `.tar.gz` that only this user can read, while it is written.
struct ReportArchive {
    private static let blockSize = 512

    private let path: String
    private let file: gzFile

    /// Writes an archive with what `fill` adds to it: it is there whole or not at all, and takes the place of nothing.
    static func write(
        to path: String, _ fill: (ReportArchive) throws(IOError) -> Void
    ) throws(IOError) {
        let temporary = "\(path).new-\(getpid())"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // The best compression: a redacted capture is mostly zeros.
        guard number >= 0, let file = gzdopen(number, "wb9") else {
            throw IOError("cannot create \(path)", errno: errno)
        }
        defer { unlink(temporary) }
        do throws(IOError) {
            let archive = ReportArchive(path: path, file: file)
            try fill(archive)
            try archive.write([UInt8](repeating: 0, count: 2 * blockSize))
        } catch {
            _ = gzclose(file)
            throw error
        }
        guard gzclose(file) == Z_OK, link(temporary, path) == 0 else {
            throw IOError("cannot create \(path)", errno: errno)
        }
    }

    /// Adds a file.
    func add(_ name: String, _ octets: [UInt8]) throws(IOError) {
        try write(Self.header(name, octets.count) + octets)
        try pad(octets.count)
    }

    /// Adds a file that is at a path.
    func add(_ name: String, at path: String) throws(IOError) {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard number >= 0, fstat(number, &status) == 0 else {
            throw IOError("cannot read \(path)", errno: errno)
        }
        defer { close(number) }
        try write(Self.header(name, Int(status.st_size)))
        var source = FileOctets(descriptor: number)
        while let octets = source.next() { try write(Array(octets)) }
        try pad(Int(status.st_size))
    }

    private func write(_ octets: [UInt8]) throws(IOError) {
        let count = octets.withUnsafeBytes {
            gzwrite(file, $0.baseAddress, UInt32(clamping: $0.count))
        }
        guard count == octets.count else { throw IOError("cannot write to \(path)", errno: errno) }
    }

    private func pad(_ count: Int) throws(IOError) {
        try write([UInt8](repeating: 0, count: -count & (Self.blockSize - 1)))
    }

    /// The header of a file, whose owner it does not name: `ustar` of POSIX.1-2017, pax.
    private static func header(_ name: String, _ count: Int) -> [UInt8] {
        func field(_ text: String, _ width: Int) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
        }
        func number(_ number: Int, _ width: Int) -> [UInt8] {
            let digits = String(number, radix: 8)
            return field(String(repeating: "0", count: width - 1 - digits.count) + digits, width)
        }
        let start =
            field("ancs-report/" + name, 100) + number(0o600, 8) + number(0, 8) + number(0, 8)
            + number(count, 12) + number(time(nil), 12)
        // A file; no link; the magic and its version; users, devices and a prefix, which are empty.
        let rest = field("0", 101) + field("ustar\u{0}00", 255)
        let sum = (start + rest).reduce(8 * 0x20) { $0 + Int($1) }
        return start + number(sum, 7) + [0x20] + rest
    }
}
