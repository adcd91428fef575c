internal import Octets

extension JSONValue {
    /// The value on one line of JSON. Control characters are escaped, and so are those that change the
    /// direction of text, because the line may be shown on a terminal; other characters are unchanged.
    public var text: String {
        var octets: [UInt8] = []
        write(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    /// Appends the octets of ``text`` without making the string.
    public func write(to octets: inout [UInt8]) {
        switch self {
        case .null: octets.append(contentsOf: "null".utf8)
        case .boolean(let value): octets.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): octets.append(decimal: value)
        case .number(let value):
            octets.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): Self.write(value, to: &octets)
        case .array(let elements): Self.write("[", elements, "]", to: &octets) { $0.write(to: &$1) }
        case .object(let members): Self.write("{", members, "}", to: &octets) { $0.write(to: &$1) }
        }
    }

    static func write<Part>(
        _ start: Unicode.Scalar, _ parts: [Part], _ end: Unicode.Scalar, to octets: inout [UInt8],
        _ write: (Part, inout [UInt8]) -> Void
    ) {
        octets.append(UInt8(ascii: start))
        for (index, part) in parts.enumerated() {
            if index > 0 { octets.append(UInt8(ascii: ",")) }
            write(part, &octets)
        }
        octets.append(UInt8(ascii: end))
    }

    static func write(_ string: String, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "\""))
        var string = string
        // Most strings need no escape.
        let isPlain = string.withUTF8 { text in
            if isSpecial(text.span), text.contains(where: mayStartEscaped) { return false }
            octets.append(contentsOf: text)
            return true
        }
        if !isPlain { for scalar in string.unicodeScalars { writeEscaped(scalar, to: &octets) } }
        octets.append(UInt8(ascii: "\""))
    }

    /// Appends a text in UTF-8, with U+FFFD in place of what is not. Only one that needs it becomes a string.
    static func write(text: [UInt8], to octets: inout [UInt8]) {
        guard !isSpecial(text.span) else { return write(UTF8Text.repaired(text), to: &octets) }
        octets.append(UInt8(ascii: "\""))
        octets.append(contentsOf: text)
        octets.append(UInt8(ascii: "\""))
    }

    /// Whether a text has anything but ASCII that needs no escape. Each difference borrows from the highest bit for one of
    /// these: below U+0020, above U+007E, a quotation mark, a backslash. A loop without a condition handles many octets at
    /// a time.
    private static func isSpecial(_ text: Span<UInt8>) -> Bool {
        var found: UInt16 = 0
        var index = 0
        while index < text.count {
            let octet = UInt16(text[index])
            found |= (octet &- 0x20) | (0x7E &- octet)
            found |= ((octet ^ 0x22) &- 1) | ((octet ^ 0x5C) &- 1)
            index &+= 1
        }
        return found >> 15 == 1
    }

    /// Whether an octet can start a character that is escaped: 0xC2, 0xD8 and 0xE2 start the UTF-8 of U+0080
    /// to U+009F, of U+061C, and of U+200E to U+2069.
    private static func mayStartEscaped(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x00..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xD8, 0xE2: true
        default: false
        }
    }

    private static func writeEscaped(_ scalar: Unicode.Scalar, to octets: inout [UInt8]) {
        switch scalar {
        case "\"": octets.append(contentsOf: "\\\"".utf8)
        case "\\": octets.append(contentsOf: "\\\\".utf8)
        case "\n": octets.append(contentsOf: "\\n".utf8)
        case "\r": octets.append(contentsOf: "\\r".utf8)
        case "\t": octets.append(contentsOf: "\\t".utf8)
        case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{061C}", "\u{200E}"..."\u{200F}",
            "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            let digits = String(scalar.value, radix: 16)
            octets.append(contentsOf: "\\u".utf8)
            octets.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.count))
            octets.append(contentsOf: digits.utf8)
        default: octets.append(contentsOf: Character(scalar).utf8)
        }
    }
}

extension JSONValue.Member {
    /// Appends name and value.
    func write(to octets: inout [UInt8]) {
        JSONValue.write(name, to: &octets)
        octets.append(UInt8(ascii: ":"))
        value.write(to: &octets)
    }
}
