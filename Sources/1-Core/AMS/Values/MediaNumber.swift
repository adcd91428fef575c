internal import Octets

/// A decimal number as phones write it, in thousandths: `12.5` is 12,500. Embedded Swift cannot read floating-point
/// numbers, and no attribute needs more decimals.
struct MediaNumber: Equatable {
    /// 64 bits, of which a microcontroller's Int has half.
    var thousandths: Int64

    /// The most digits before the point: what has more is no number of seconds, and would overflow.
    private static let maximumDigits = 12

    /// Reads all octets as a number with a decimal point or none; `nil` if they are none.
    init?(_ octets: ArraySlice<UInt8>, decimals: Int = 3) {
        guard let point = octets.firstIndex(of: UInt8(ascii: ".")) else {
            self.init(octets, octets[octets.endIndex...])
            return
        }
        guard decimals > 0 else { return nil }
        self.init(octets[..<point], octets[(point + 1)...])
    }

    /// Reads what stands before and after a decimal sign; `nil` if these are not digits.
    init?(_ whole: ArraySlice<UInt8>, _ fraction: ArraySlice<UInt8>) {
        var whole = whole
        let isNegative = whole.first == UInt8(ascii: "-")
        if isNegative { whole.removeFirst() }
        guard !whole.isEmpty, whole.count <= Self.maximumDigits, whole.allSatisfy(Self.isDigit),
            fraction.allSatisfy(Self.isDigit)
        else { return nil }
        var number: Int64 = 0
        for octet in whole { number = number * 10 + Int64(octet - UInt8(ascii: "0")) }
        var place = fraction.startIndex
        for _ in 0..<3 {
            number *= 10
            guard place < fraction.endIndex else { continue }
            number += Int64(fraction[place] - UInt8(ascii: "0"))
            place += 1
        }
        thousandths = isNegative ? -number : number
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
    }

    var duration: Duration { .milliseconds(thousandths) }
}

extension Duration {
    /// Whole thousandths of a second. Durations of this module are shorter than 292 years.
    var thousandths: Int64 { (MonotonicInstant.zero + self).nanoseconds / 1_000_000 }
}

extension Array where Element == UInt8 {
    /// Appends thousandths as a decimal number: `12.500`.
    mutating func append(thousandths: Int64) {
        if thousandths < 0 { append(UInt8(ascii: "-")) }
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        append(decimal: whole)
        append(UInt8(ascii: "."))
        append(decimal: rest, width: 3)
    }
}
