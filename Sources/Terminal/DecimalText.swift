/// Decimal numbers without a sign, with so few digits that arithmetic on them cannot overflow.
package enum DecimalText {
    /// At most nine digits.
    package static func number(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}
