internal import Octets

/// Reads one JSON text (RFC 8259) in one pass over its octets, and stops at the first fault.
struct JSONParser {
    /// The nesting limit (RFC 8259, 9). Each level takes a few hundred octets of stack.
    private static let maximumDepth = 256
    /// The largest whole number up to which a `Double` represents every one exactly.
    private static let maximumWholeDouble = 0x1p53

    private let octets: [UInt8]
    private var position = 0
    /// Where each value begins, in the order of the text; `nil` if that is not wanted.
    private var starts: [Int]?

    private init(octets: [UInt8]) { self.octets = octets }

    /// The value of a text that holds exactly one value, and white space around it.
    static func parse(_ octets: [UInt8]) throws(JSONValue.ParsingError) -> JSONValue {
        var parser = JSONParser(octets: octets)
        return try parser.parse()
    }

    /// The same, and where each value begins, in the order of the text.
    static func parseWithStarts(
        _ octets: [UInt8]
    ) throws(JSONValue.ParsingError) -> (value: JSONValue, starts: [Int]) {
        var parser = JSONParser(octets: octets)
        parser.starts = []
        let value = try parser.parse()
        return (value, parser.starts ?? [])
    }

    private mutating func parse() throws(JSONValue.ParsingError) -> JSONValue {
        // Windows editors write a byte order mark, which a parser may ignore: RFC 8259, 8.1.
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        let value = try value(depth: 0)
        skipSpace()
        guard next == nil else { throw fault("the end of the text") }
        return value
    }

    private var next: UInt8? { position < octets.count ? octets[position] : nil }

    private func fault(_ expected: String, at place: Int? = nil) -> JSONValue.ParsingError {
        let (line, column) = Self.place(of: place ?? position, in: octets)
        return JSONValue.ParsingError(line: line, column: column, expected: expected)
    }

    /// The line of an octet, and the number of the octet in it, both from 1.
    static func place(of position: Int, in octets: [UInt8]) -> (line: Int, column: Int) {
        let before = octets.prefix(position)
        let newline = UInt8(ascii: "\n")
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        return (before.count { $0 == newline } + 1, before.count - start + 1)
    }

    private mutating func skipSpace() {
        while let octet = next, octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 {
            position += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONValue.ParsingError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw fault("nesting of at most 256 levels") }
        starts?.append(position)
        return switch next {
        case UInt8(ascii: "{"): .object(try members(depth: depth))
        case UInt8(ascii: "["): .array(try elements(depth: depth))
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "-"): try number()
        case let digit? where (0x30...0x39).contains(digit): try number()
        default: try word()
        }
    }

    private mutating func word() throws(JSONValue.ParsingError) -> JSONValue {
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        if takeWord("null") { return .null }
        throw fault("a value")
    }

    private mutating func takeWord(_ word: String) -> Bool {
        let end = position + word.utf8.count
        guard end <= octets.count, octets[position..<end].elementsEqual(word.utf8)
        else { return false }
        position = end
        return true
    }
}

// MARK: Objects and arrays

extension JSONParser {
    private mutating func members(depth: Int) throws(JSONValue.ParsingError) -> [JSONValue.Member] {
        position += 1
        skipSpace()
        if take("}") { return [] }
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        repeat {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
            let name = try string()
            // A reader may see only one of two members with the same name: RFC 8259, 4.
            guard names.insert(name).inserted else {
                throw fault("another name: the object already has a member of this name", at: start)
            }
            skipSpace()
            guard take(":") else { throw fault("a colon") }
            skipSpace()
            members.append(JSONValue.Member(name, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault("a comma or }") }
        return members
    }

    private mutating func elements(depth: Int) throws(JSONValue.ParsingError) -> [JSONValue] {
        position += 1
        skipSpace()
        if take("]") { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault("a comma or ]") }
        return elements
    }
}

// MARK: Strings

extension JSONParser {
    private mutating func string() throws(JSONValue.ParsingError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        var copied = position
        while let octet = next {
            switch octet {
            case UInt8(ascii: "\""):
                text += octets[copied..<position]
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw fault("a string in UTF-8", at: start)
                }
                position += 1
                return string
            case UInt8(ascii: "\\"):
                text += octets[copied..<position]
                text += Character(try escaped()).utf8
                copied = position
            case 0x00..<0x20: throw fault("an escape instead of a control character")
            default: position += 1
            }
        }
        throw fault("the closing quote of this string", at: start)
    }

    /// The character that an escape stands for; the backslash has been read.
    private mutating func escaped() throws(JSONValue.ParsingError) -> Unicode.Scalar {
        let start = position
        position += 1
        let character: Unicode.Scalar
        switch next {
        case UInt8(ascii: "\""): character = "\""
        case UInt8(ascii: "\\"): character = "\\"
        case UInt8(ascii: "/"): character = "/"
        case UInt8(ascii: "b"): character = "\u{08}"
        case UInt8(ascii: "f"): character = "\u{0C}"
        case UInt8(ascii: "n"): character = "\n"
        case UInt8(ascii: "r"): character = "\r"
        case UInt8(ascii: "t"): character = "\t"
        case UInt8(ascii: "u"):
            position += 1
            return try scalar(from: start)
        default: throw fault("a known escape after the backslash")
        }
        position += 1
        return character
    }

    /// The character of one UTF-16 code unit, or of the two halves of a surrogate pair.
    private mutating func scalar(from start: Int) throws(JSONValue.ParsingError) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), take("\\"), take("u") else {
            throw fault("both halves of a surrogate pair", at: start)
        }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail) else {
            throw fault("both halves of a surrogate pair", at: start)
        }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func codeUnit() throws(JSONValue.ParsingError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(Hexadecimal.value(ofDigit:)) else {
                throw fault("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

// MARK: Numbers

extension JSONParser {
    private mutating func number() throws(JSONValue.ParsingError) -> JSONValue {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: octets[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw fault("a number below 1.8e308", at: start)
        }
        // 1.0 and 1e3 are integers too.
        guard number.magnitude <= Self.maximumWholeDouble, let integer = Int(exactly: number)
        else { return .number(number) }
        return .integer(integer)
    }

    private mutating func digits() throws(JSONValue.ParsingError) {
        let start = position
        while let octet = next, (0x30...0x39).contains(octet) { position += 1 }
        guard position > start else { throw fault("a digit") }
    }
}
