extension OutputSpan where Element == UInt8 {
    /// Appends a number in decimal digits, after zeros where it has fewer digits than `width`, which is at most 20.
    package mutating func append(decimal number: UInt64, width: Int = 1) {
        // Most numbers are small, and in a date all but the year have two digits.
        if number < 100, width <= 2 {
            let (tens, ones) = number.quotientAndRemainder(dividingBy: 10)
            if tens > 0 || width == 2 { append(Self.digit(tens)) }
            append(Self.digit(ones))
            return
        }
        // From the last digit to the first; the largest number has 20.
        var digits: [20 of UInt8] = InlineArray(repeating: Self.digit(0))
        var first = digits.count
        var rest = number
        while rest > 0 {
            first -= 1
            digits[first] = Self.digit(rest % 10)
            rest /= 10
        }
        first = Swift.min(first, digits.count - width)
        for index in first..<digits.count { append(digits[index]) }
    }

    private static func digit(_ number: UInt64) -> UInt8 {
        UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in decimal digits, with its sign if it is negative.
    package mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(number.magnitude))
    }

    /// Appends a number in decimal digits, after zeros where it has fewer digits than `width`, which is at most 20.
    package mutating func append(decimal number: UInt64, width: Int = 1) {
        append(addingCapacity: 20) { $0.append(decimal: number, width: width) }
    }
}
