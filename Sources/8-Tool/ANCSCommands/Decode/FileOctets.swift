internal import Glibc
internal import LinuxIO

/// Reads the octets of a file as they are needed, and allows looking at the first ones beforehand.
struct FileOctets {
    private let descriptor: CInt
    private var ahead: [UInt8] = []
    private var isAtEnd = false
    /// Whether reading failed before the end of the file; `errno` says why.
    private(set) var hasFailed = false

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// Whether both names are of one file, which writing would empty.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev
            && one.st_ino == two.st_ino
    }

    /// The next octets without consuming them: as many as `areEnough` asks for, or all that are left.
    mutating func peek(until areEnough: ([UInt8]) -> Bool) -> [UInt8] {
        while !areEnough(ahead), let more = readMore() { ahead += more }
        return ahead
    }

    /// The next octets, at least one; `nil` at the end of the file.
    mutating func next() -> [UInt8]? {
        guard ahead.isEmpty else {
            defer { ahead = [] }
            return ahead
        }
        return readMore()
    }

    private mutating func readMore() -> [UInt8]? {
        guard !isAtEnd else { return nil }
        let part = nextOctets(of: descriptor, atMost: 32_768)
        hasFailed = part == nil
        isAtEnd = part?.isEmpty ?? true
        return isAtEnd ? nil : part
    }
}

/// Reads a file line by line. A line may have any length that fits into memory.
struct FileLines {
    private var source: FileOctets
    private var octets: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(source: FileOctets) { self.source = source }

    /// Whether reading failed before the end of the file; `errno` says why.
    var hasFailed: Bool { source.hasFailed }

    /// The next line, without its newline.
    mutating func next() -> String? {
        var searched = start
        while true {
            if let end = octets[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return text(upTo: end)
            }
            searched = octets.count
            guard !isAtEnd else {
                guard start < octets.count else { return nil }
                defer { start = octets.count }
                return text(upTo: octets.count)
            }
            searched -= start
            octets.removeFirst(start)
            start = 0
            if let more = source.next() { octets += more } else { isAtEnd = true }
        }
    }

    private func text(upTo end: Int) -> String {
        var line = octets[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
