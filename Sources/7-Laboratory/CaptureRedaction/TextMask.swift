/// What stands for a text: as many octets, code points cut where they were cut, letters of the same script, digits for
/// digits. Two texts of one shape are masked alike.
enum TextMask {
    /// The mask of a text in UTF-8, which may end within a code point.
    static func masked(_ octets: [UInt8]) -> [UInt8] {
        var masked: [UInt8] = []
        masked.reserveCapacity(octets.count)
        var index = 0
        while index < octets.count {
            let count = length(octets[index])
            let part = octets[index..<min(index + count, octets.count)]
            if part.count == count, let scalar = scalar(part) {
                masked += Array(String(stand(for: scalar, ofCount: count)).utf8)
                index += count
            } else if count > 1, index + part.count == octets.count,
                part.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 })
            {
                // The code point is cut.
                masked += Array(String(other(ofCount: count)).utf8).prefix(part.count)
                index += part.count
            } else {
                // No UTF-8: the octet stays one that is none.
                masked.append(octets[index] == 0 ? 0 : 0xFF)
                index += 1
            }
        }
        return masked
    }

    /// A number as AMS writes them: digits are replaced, what separates them is not.
    static func maskedNumber(_ octets: [UInt8]) -> [UInt8] {
        octets.map { octet in
            switch octet {
            case UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "-"): octet
            default: UInt8(ascii: "1")
            }
        }
    }

    /// How many octets the code point takes that begins with this one.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func scalar(_ octets: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let text = String(validating: octets, as: UTF8.self), text.unicodeScalars.count == 1
        else { return nil }
        return text.unicodeScalars.first
    }

    /// The scalar that stands for one of so many octets.
    private static func stand(for scalar: Unicode.Scalar, ofCount count: Int) -> Unicode.Scalar {
        switch scalar.value {
        case 0: scalar
        case 0x30...0x39: "0"
        case 0..<0x80: "x"
        case 0xC0...0x24F: "é"
        case 0x300...0x36F: "\u{301}"
        case 0x370...0x3FF: "α"
        case 0x400...0x52F: "ж"
        case 0x590...0x5FF: "א"
        case 0x600...0x6FF: "ا"
        case 0x900...0x97F: "अ"
        case 0xE00...0xE7F: "ก"
        case 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F: "\u{200D}"
        case 0x3040...0x30FF: "あ"
        case 0x3400...0x9FFF: "漢"
        case 0xAC00...0xD7A3: "한"
        case 0xFE00...0xFE0F: "\u{FE0F}"
        case 0x1F000...0x1FAFF: "\u{1F532}"
        default: other(ofCount: count)
        }
    }

    private static func other(ofCount count: Int) -> Unicode.Scalar {
        switch count {
        case 2: "¤"
        case 3: "☐"
        default: "\u{1F532}"
        }
    }
}
