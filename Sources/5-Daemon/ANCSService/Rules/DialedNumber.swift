internal import Printing

/// A telephone number, of which only the digits count: `+1 (555) 010-0100`.
package struct DialedNumber: Equatable, Sendable {
    /// So many digits tell numbers apart, with and without the codes of country and area.
    private static let distinctive = 7
    /// More than any number has (ITU-T E.164: 15, and a prefix for other countries).
    private static let maximumCount = 24

    /// As it was written.
    package let source: String
    private let digits: [UInt8]

    /// A number; `nil` for a text without digits, or with anything but digits and the signs between them.
    package init?(_ text: String) {
        var digits: [UInt8] = []
        for scalar in MatchingFold.text(text).unicodeScalars {
            switch scalar.foldedForCodes {
            case let folded where folded.isASCIIDigit: digits.append(UInt8(folded.value))
            case "+", "-", "(", ")", "/", ".", " ": break
            // Scalars are open: all others are no part of a number.
            default: return nil
            }
        }
        guard (1...Self.maximumCount).contains(digits.count) else { return nil }
        source = text
        self.digits = digits
    }

    /// Whether it is the same number: the digits are equal, or the shorter number, of seven digits or more, ends the
    /// longer one.
    package func isSame(as other: Self) -> Bool {
        let (short, long) =
            digits.count <= other.digits.count ? (digits, other.digits) : (other.digits, digits)
        return short == long
            || short.count >= Self.distinctive && long.suffix(short.count).elementsEqual(short)
    }
}
