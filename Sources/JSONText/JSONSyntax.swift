/// Finds what is wrong with a JSON text, and where: the decoder does not tell.
public struct JSONSyntax: Sendable {
    /// The first thing that is wrong.
    public struct Fault: Error, Hashable, Sendable {
        /// Counts lines from 1.
        public var line: Int
        /// Counts the octets of a line from 1.
        public var column: Int
        /// What should stand there, or what should not.
        public var expected: String

        /// One sentence.
        public var message: String { "line \(line), column \(column): expected \(expected)" }
    }

    /// Deeper nesting is refused: RFC 8259, 9.
    public static let maximumDepth = 256

    private let octets: [UInt8]
    private var position = 0

    /// Throws the first fault of a text. It looks at the grammar of RFC 8259, and at names that stand
    /// twice in an object, of which a decoder would overlook one.
    public static func check(_ octets: [UInt8]) throws(Fault) {
        var syntax = JSONSyntax(octets: octets)
        syntax.skipSpace()
        try syntax.value(depth: 0)
        syntax.skipSpace()
        guard syntax.position == octets.count else { throw syntax.fault("the end of the text") }
    }

    private init(octets: [UInt8]) { self.octets = octets }

    private var next: UInt8? { position < octets.count ? octets[position] : nil }

    private func fault(_ expected: String, at place: Int? = nil) -> Fault {
        let before = octets.prefix(place ?? position)
        let newline = UInt8(ascii: "\n")
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        return Fault(
            line: before.count { $0 == newline } + 1, column: before.count - start + 1,
            expected: expected)
    }

    private mutating func skipSpace() {
        while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Fault) {
        guard depth < Self.maximumDepth else { throw fault("no deeper nesting") }
        switch next {
        case UInt8(ascii: "{")?: try object(depth: depth)
        case UInt8(ascii: "[")?: try array(depth: depth)
        case UInt8(ascii: "\"")?: _ = try string()
        case UInt8(ascii: "-")?: try number()
        case let digit? where (0x30...0x39).contains(digit): try number()
        default: try word()
        }
    }

    private mutating func object(depth: Int) throws(Fault) {
        position += 1
        skipSpace()
        if take("}") { return }
        var names: Set<[UInt8]> = []
        repeat {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
            let name = try string()
            guard names.insert(name).inserted else {
                throw fault("another name: this one stands there already", at: start)
            }
            skipSpace()
            guard take(":") else { throw fault("a colon") }
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault("a comma or }") }
    }

    private mutating func array(depth: Int) throws(Fault) {
        position += 1
        skipSpace()
        if take("]") { return }
        repeat {
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault("a comma or ]") }
    }

    /// What stands between the quotes, escapes as they are.
    private mutating func string() throws(Fault) -> [UInt8] {
        let start = position
        position += 1
        while let octet = next {
            switch octet {
            case UInt8(ascii: "\""):
                let text = Array(octets[(start + 1)..<position])
                guard String(validating: text, as: UTF8.self) != nil else {
                    throw fault("a text in UTF-8", at: start)
                }
                position += 1
                return text
            case UInt8(ascii: "\\"): try escape()
            case 0x00..<0x20: throw fault("no control character in a text")
            default: position += 1
            }
        }
        throw fault("the end of the text that begins here", at: start)
    }

    private mutating func escape() throws(Fault) {
        let start = position
        position += 1
        guard let octet = next, "\"\\/bfnrtu".utf8.contains(octet) else {
            throw fault("a known escape after the backslash")
        }
        position += 1
        guard octet == UInt8(ascii: "u") else { return }
        switch try codeUnit() {
        case 0xD800..<0xDC00:
            guard take("\\"), take("u"), (0xDC00..<0xE000).contains(try codeUnit()) else {
                throw fault("both halves of a surrogate pair", at: start)
            }
        case 0xDC00..<0xE000: throw fault("both halves of a surrogate pair", at: start)
        default: break
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
                throw fault("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private mutating func number() throws(Fault) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        let start = position
        while let octet = next, (0x30...0x39).contains(octet) { position += 1 }
        guard position > start else { throw fault("a digit") }
    }

    private mutating func word() throws(Fault) {
        for word in ["true", "false", "null"] where octets[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return
        }
        throw fault("a value")
    }
}
