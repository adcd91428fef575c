internal import Glibc

/// The octets of a file, read as they are needed, whose first ones can be looked at beforehand.
struct FileOctets {
    private let descriptor: CInt
    private var ahead: [UInt8] = []
    private var isAtEnd = false
    /// The file could not be read to its end; `errno` says why.
    private(set) var hasFailed = false

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// The first octets of what is still to be read, as many as are enough, or all that there are.
    mutating func peek(until areEnough: ([UInt8]) -> Bool) -> [UInt8] {
        while !areEnough(ahead), let more = readMore() { ahead += more }
        return ahead
    }

    /// The next octets, at least one; `nil` at the end.
    mutating func next() -> [UInt8]? {
        guard ahead.isEmpty else {
            defer { ahead = [] }
            return ahead
        }
        return readMore()
    }

    private mutating func readMore() -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: 65_536)
        while !isAtEnd {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            hasFailed = count < 0
            isAtEnd = count <= 0
            guard count > 0 else { break }
            return Array(part[..<count])
        }
        return nil
    }
}

/// The lines of a file. A line may be of any length that fits into memory.
struct FileLines {
    private var source: FileOctets
    private var octets: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(source: FileOctets) { self.source = source }

    /// The file could not be read to its end; `errno` says why.
    var hasFailed: Bool { source.hasFailed }

    /// The next line without its end.
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
