/// Decimal numbers without a sign, with so few digits that arithmetic on them cannot overflow.
package enum DecimalText {
    /// At most nine digits.
    package static func number(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count) else { return nil }
        var number = 0
        for digit in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
