/// Text of others on a display: marks of direction that belong to it are dropped, what would move the cursor, mislead or
/// hide is made visible, what is not UTF-8 becomes U+FFFD, and what is too long ends with an ellipsis. The fold is that
/// of `ancs`, whose tests compare the two.
enum VisibleText {
    /// Stands for a scalar that is not shown.
    private static let dropped: UInt32 = .max

    /// Appends at most `limit` characters.
    static func append(_ octets: [UInt8], limit: Int, to line: inout [UInt8]) {
        let scalars = folded(octets)
        for index in scalars.indices {
            guard index < limit - 1 || index == scalars.count - 1 else {
                return encode(0x2026, to: &line)
            }
            encode(scalars[index], to: &line)
        }
    }

    /// The scalars as they are shown.
    private static func folded(_ octets: [UInt8]) -> [UInt32] {
        var scalars: [UInt32] = []
        scalars.reserveCapacity(octets.count)
        var index = 0
        while index < octets.count {
            let (scalar, length) = scalar(in: octets, at: index)
            scalars.append(scalar)
            index += length
        }
        dropPairs(in: &scalars)
        var place = 0
        /// Whether a variation selector may follow what is shown last.
        var canVary = false
        while place < scalars.count {
            let count = countOfFlag(in: scalars, at: place)
            if count > 0 { canVary = true } else { treat(&scalars[place], &canVary) }
            place += max(count, 1)
        }
        scalars.removeAll { $0 == dropped }
        return scalars
    }

    private static func treat(_ scalar: inout UInt32, _ canVary: inout Bool) {
        switch scalar {
        case dropped: break
        case 0x061C, 0x200E, 0x200F: scalar = dropped
        // Beginnings and ends that are no pair do not end a character.
        case 0x202A...0x202E, 0x2066...0x2069: scalar = 0xFFFD
        case 0x200C, 0x200D: canVary = false
        case 0x180B...0x180D, 0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF:
            if !canVary { scalar = 0xFFFD }
            canVary = false
        // The pictures of control characters.
        case 0x00...0x1F:
            scalar += 0x2400
            canVary = false
        case 0x7F:
            scalar = 0x2421
            canVary = false
        case _ where isHidden(scalar):
            scalar = 0xFFFD
            canVary = false
        case 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: canVary = false
        case _: canVary = true
        }
    }

    /// What a terminal shows nothing for, and noncharacters.
    private static func isHidden(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x80...0x9F, 0x00AD, 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B,
            0x2028...0x2029,
            0x2060...0x2065, 0x206A...0x206F, 0x3164, 0xFDD0...0xFDEF, 0xFEFF, 0xFFA0,
            0xFFF0...0xFFFB,
            0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            true
        case _: scalar & 0xFFFE == 0xFFFE
        }
    }

    /// Drops embeddings, isolates and U+202D together with their ends. The end of an isolate also ends what began in
    /// it (Unicode Standard Annex #9, BD9 and X6a). U+202E shows a text backwards, closed or not, and stays.
    private static func dropPairs(in scalars: inout [UInt32]) {
        var open: [Int] = []
        var place = 0
        while place < scalars.count {
            defer { place += max(countOfFlag(in: scalars, at: place), 1) }
            switch scalars[place] {
            case 0x202A, 0x202B, 0x202D, 0x202E, 0x2066...0x2068: open.append(place)
            case 0x202C, 0x2069:
                let isIsolate = scalars[place] == 0x2069
                if isIsolate, open.contains(where: { scalars[$0] >= 0x2066 }) {
                    while let last = open.last, scalars[last] < 0x2066 { open.removeLast() }
                }
                guard let start = open.last, (scalars[start] >= 0x2066) == isIsolate else {
                    continue
                }
                open.removeLast()
                if scalars[start] != 0x202E {
                    (scalars[start], scalars[place]) = (dropped, dropped)
                }
            case _: break
            }
        }
    }

    /// How many scalars the flag of England, Scotland or Wales has that begins here; 0 for none. The tags follow
    /// U+1F3F4 (Unicode Technical Standard #51, ED-14a).
    private static func countOfFlag(in scalars: [UInt32], at place: Int) -> Int {
        guard scalars[place] == 0x1F3F4, place + 6 < scalars.count, scalars[place + 6] == 0xE007F
        else { return 0 }
        var tags: UInt64 = 0
        for scalar in scalars[place + 1...place + 5] {
            guard (0xE0061...0xE007A).contains(scalar) else { return 0 }
            tags = tags << 8 | UInt64(scalar & 0xFF)
        }
        // gbeng, gbsct, gbwls
        return tags == 0x67_62_65_6E_67 || tags == 0x67_62_73_63_74 || tags == 0x67_62_77_6C_73
            ? 7 : 0
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
