/// Octets as text: two lower-case hexadecimal digits each, without separators.
public enum Hexadecimal: Sendable {
    /// The hexadecimal digits of octets.
    public static func text(_ octets: Span<UInt8>) -> String {
        var digits = [UInt8]()
        digits.reserveCapacity(2 * octets.count)
        for index in octets.indices {
            digits.append(digit(octets[index] >> 4))
            digits.append(digit(octets[index] & 0x0F))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The hexadecimal digits of octets.
    public static func text(_ octets: [UInt8]) -> String { text(octets.span) }

    /// The digits of the least significant octets of a number, the most significant of them first.
    package static func text(_ number: UInt128, octets count: Int) -> String {
        text((0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// The octets of a text with an even number of hexadecimal digits, upper or lower case; `nil` for any
    /// other text.
    public static func octets(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var octets = [UInt8]()
        octets.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(ofDigit: digits[index]),
                let low = value(ofDigit: digits[index + 1])
            else { return nil }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// The value of a hexadecimal digit, upper or lower case; `nil` for any other octet.
    package static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
