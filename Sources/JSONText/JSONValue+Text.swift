extension JSONValue {
    /// The value on one line. Control characters are escaped, and those that turn the direction of
    /// writing, because the line may be read on a terminal; all others stand as they are.
    public var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? String(value) : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements): Self.write(elements, to: &text)
        case .object(let members): Self.write(members, to: &text)
        }
    }

    private static func write(_ elements: [JSONValue], to text: inout String) {
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            element.write(to: &text)
        }
        text += "]"
    }

    private static func write(_ members: [Member], to text: inout String) {
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," }
            write(member.name, to: &text)
            text += ":"
            member.value.write(to: &text)
        }
        text += "}"
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        // Most strings go out as they are.
        if string.utf8.contains(where: mayStartEscaped) {
            writeEscaped(string, to: &text)
        } else {
            text += string
        }
        text += "\""
    }

    /// 0xC2, 0xD8 and 0xE2 begin the UTF-8 of U+0080 to U+009F, of U+061C, and of U+200E to U+2069.
    private static func mayStartEscaped(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x00..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xD8, 0xE2: true
        default: false
        }
    }

    private static func writeEscaped(_ string: String, to text: inout String) {
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{061C}", "\u{200E}"..."\u{200F}",
                "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
