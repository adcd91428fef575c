internal import Octets

/// Durations in words and numbers. Durations read from files may be of any length, so conversions clamp.
extension Duration {
    /// Whole milliseconds, rounded towards zero.
    package var milliseconds: Int { Int(clamping: microseconds / 1000) }

    /// Seconds as a number, exact to the microsecond.
    package var seconds: Double {
        // Converting the 128-bit attosecond value to a double is slow.
        let microseconds = microseconds
        return (Int64(exactly: microseconds).map(Double.init) ?? Double(microseconds)) / 1_000_000
    }

    /// Seconds with one decimal, for users.
    package var text: String {
        let tenths = milliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Seconds with three decimals: `12.345`.
    package var thousandths: String {
        var text: [UInt8] = []
        text.append(thousandths: self, width: 0)
        return String(decoding: text, as: UTF8.self)
    }

    /// `1.2 ms`, `12 ms`, or seconds for one second and longer.
    package var brief: String {
        switch microseconds {
        case 0..<10_000: "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
        case 10_000..<1_000_000: "\(microseconds / 1000) ms"
        default: "\(thousandths) s"
        }
    }

    fileprivate var microseconds: Int128 {
        let (seconds, attoseconds) = components
        return Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
    }
}

extension [UInt8] {
    /// Appends seconds with three decimals, after spaces up to a width.
    package mutating func append(thousandths duration: Duration, width: Int) {
        let milliseconds = UInt64((duration.microseconds.magnitude + 500) / 1000)
        let start = count
        if duration < .zero && milliseconds > 0 { append(UInt8(ascii: "-")) }
        append(decimal: milliseconds / 1000)
        append(UInt8(ascii: "."))
        append(decimal: milliseconds % 1000, width: 3)
        let missing = Swift.max(0, width - (count - start))
        insert(contentsOf: repeatElement(UInt8(ascii: " "), count: missing), at: start)
    }
}
