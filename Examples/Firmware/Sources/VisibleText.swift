/// Text of others on a display: what would move the cursor, turn the direction or hide is made visible, what is not
/// UTF-8 becomes U+FFFD, and what is too long ends with an ellipsis.
enum VisibleText {
    /// Appends at most `limit` characters.
    static func append(_ octets: [UInt8], limit: Int, to line: inout [UInt8]) {
        var index = 0
        var count = 0
        while index < octets.count {
            let (scalar, length) = scalar(in: octets, at: index)
            index += length
            count += 1
            guard count < limit || index == octets.count else { return encode(0x2026, to: &line) }
            encode(visible(scalar), to: &line)
        }
    }

    private static func visible(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        // The pictures of control characters.
        case 0x00...0x1F: 0x2400 + scalar
        case 0x7F: 0x2421
        // More controls; marks, embeddings, overrides and isolates of direction; separators of lines; tags.
        case 0x80...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xE0000...0xE0FFF:
            0xFFFD
        case _: scalar
        }
    }

    /// The scalar that begins at an index, and how many octets it has. Unicode, table 3-7; what is none of it is
    /// one octet of U+FFFD.
    private static func scalar(in octets: [UInt8], at start: Int) -> (UInt32, Int) {
        let first = octets[start]
        let (length, least): (Int, UInt32) =
            switch first {
            case 0x00...0x7F: (1, 0)
            case 0xC2...0xDF: (2, 0x80)
            case 0xE0...0xEF: (3, 0x800)
            case 0xF0...0xF4: (4, 0x10000)
            case _: (0, 0)
            }
        guard length > 0, start + length <= octets.count else { return (0xFFFD, 1) }
        guard length > 1 else { return (UInt32(first), 1) }
        var scalar = UInt32(first) & (0x7F >> UInt32(length))
        for index in start + 1..<start + length {
            guard octets[index] & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            scalar = scalar << 6 | UInt32(octets[index] & 0x3F)
        }
        let isValid = scalar >= least && scalar <= 0x10FFFF && !(0xD800...0xDFFF).contains(scalar)
        return isValid ? (scalar, length) : (0xFFFD, 1)
    }

    private static func encode(_ scalar: UInt32, to line: inout [UInt8]) {
        func append(_ bits: UInt32) { line.append(UInt8(truncatingIfNeeded: bits)) }
        switch scalar {
        case 0..<0x80: append(scalar)
        case 0x80..<0x800:
            append(0xC0 | scalar >> 6)
            append(0x80 | scalar & 0x3F)
        case 0x800..<0x10000:
            append(0xE0 | scalar >> 12)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        case _:
            append(0xF0 | scalar >> 18)
            append(0x80 | scalar >> 12 & 0x3F)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        }
    }
}
