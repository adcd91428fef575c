/// Converts octets to text for display: values stay octets until they are shown (R2, S10).
public enum UTF8Text: Sendable {
    /// The text of octets, with U+FFFD in place of what is not UTF-8, such as a character that a maximum
    /// length cut.
    public static func repaired(_ octets: [UInt8]) -> String {
        String(decoding: octets, as: UTF8.self)
    }

    /// Whether the octets end within a character, which shows that they were cut.
    public static func endsWithinCharacter(_ octets: [UInt8]) -> Bool {
        for (distance, octet) in octets.reversed().prefix(3).enumerated() {
            switch octet {
            case 0x80...0xBF: continue
            case 0xC2...0xDF: return distance < 1
            case 0xE0...0xEF: return distance < 2
            case 0xF0...0xF4: return true
            case _: return false
            }
        }
        return false
    }

    /// The octets without the invisible characters that change the direction of text: U+202A to U+202E and
    /// U+2066 to U+2069. iOS puts phone numbers between them (S13).
    public static func withoutDirections(_ octets: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for octet in octets {
            kept.append(octet)
            // In what is kept, so that what surrounds a removed character does not become one.
            if isDirection(endOf: kept) { kept.removeLast(3) }
        }
        return kept
    }

    /// Whether the last three octets are one of U+202A to U+202E and U+2066 to U+2069.
    private static func isDirection(endOf octets: [UInt8]) -> Bool {
        guard octets.count >= 3, octets[octets.count - 3] == 0xE2 else { return false }
        switch (octets[octets.count - 2], octets[octets.count - 1]) {
        case (0x80, 0xAA...0xAE), (0x81, 0xA6...0xA9): return true
        case _: return false
        }
    }

    /// Whether all octets are valid UTF-8.
    public static func isValid(_ octets: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: octets.span)
            return true
        } catch { return false }
    }
}
