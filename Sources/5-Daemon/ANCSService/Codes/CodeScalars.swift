extension Unicode.Scalar {
    /// The character in the form for comparing words and digits: lower case without accents, digits of any
    /// width or script as ASCII, all spaces as a space, all hyphens as a hyphen, all line breaks as a line feed. Each
    /// character becomes one character.
    var foldedForCodes: Unicode.Scalar {
        if isASCII {
            return isLargeASCIILetter
                ? Unicode.Scalar(UInt8(value) | 0x20) : self == "\t" ? " " : self
        }
        switch value {
        case 0x85, 0x2028, 0x2029: return "\n"
        case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: return " "
        case 0x2010...0x2015, 0x2212: return "-"
        // Fullwidth forms: U+FF01 to U+FF5E are U+0021 to U+007E. Periods and commas stay, because they only
        // end sentences.
        case 0xFF03...0xFF05, 0xFF0B, 0xFF0D, 0xFF10...0xFF1A, 0xFF20...0xFF3A, 0xFF41...0xFF5A:
            return Unicode.Scalar(UInt8(value - 0xFEE0)).foldedForCodes
        default: break
        }
        if let digit = properties.numericType == .decimal ? properties.numericValue : nil {
            return Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit))
        }
        let small = properties.lowercaseMapping.unicodeScalars.first ?? self
        return Self.plainLetters[small] ?? small
    }

    /// The accented letters in the words of ``CodeWords``.
    private static let plainLetters: [Unicode.Scalar: Unicode.Scalar] = {
        let letters: [(Unicode.Scalar, String)] = [
            ("a", "àáâãäåāăą"), ("c", "çćč"), ("d", "ďđ"), ("e", "èéêëēęě"), ("g", "ğ"),
            ("i", "ìíîïīı"), ("l", "łľ"), ("n", "ñńň"), ("o", "òóôõöøő"), ("r", "ř"), ("s", "śşšș"),
            ("t", "ťţț"), ("u", "ùúûüūůű"), ("y", "ýÿ"), ("z", "źżž"), ("е", "ё"), ("أ", "ا"),
        ]
        var plain: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, marked) in letters {
            for scalar in marked.unicodeScalars { plain[scalar] = letter }
        }
        return plain
    }()

    var isLargeASCIILetter: Bool { ("A"..."Z").contains(self) }
    var isSmallASCIILetter: Bool { ("a"..."z").contains(self) }
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
    var isASCIILetterOrDigit: Bool { isASCIIDigit || isSmallASCIILetter || isLargeASCIILetter }
    var isSpace: Bool { self == " " || self == "\n" || self == "\r" || self == "\t" }

    var isLetterOrDigit: Bool {
        isASCII ? isASCIILetterOrDigit : properties.isAlphabetic || properties.numericType != nil
    }

    /// Whether it is a letter of a script with spaces between words: not Chinese, Japanese, Korean or Thai.
    var isLetterOfSpacedScript: Bool {
        guard !isASCII else { return isSmallASCIILetter || isLargeASCIILetter }
        switch value {
        case 0x0E00...0x0EFF, 0x1100...0x11FF, 0x2E80...0xA4CF, 0xAC00...0xD7FF, 0xF900...0xFAFF,
            0xFF00...0xFFEF, 0x20000...0x3FFFF:
            return false
        default: return properties.isAlphabetic
        }
    }

    /// Whether it is a currency sign, such as U+20AC.
    var isCurrency: Bool { isASCII ? self == "$" : properties.generalCategory == .currencySymbol }
}
