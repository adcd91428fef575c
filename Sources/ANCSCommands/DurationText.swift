/// Durations in words and numbers. They may come from files: none is too long.
extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int { Int(clamping: microseconds / 1000) }

    /// Seconds as a number, exact to the microsecond.
    var seconds: Double { Double(microseconds) / 1_000_000 }

    /// Seconds with one digit after the point, for people.
    var text: String {
        let tenths = milliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Seconds with three decimals: `12.345`.
    var thousandths: String {
        let milliseconds = (microseconds.magnitude + 500) / 1000
        let fraction = String(milliseconds % 1000)
        let sign = self < .zero && milliseconds > 0 ? "-" : ""
        return sign + "\(milliseconds / 1000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// `1.2 ms`, `12 ms`, or seconds from one second on.
    var brief: String {
        switch microseconds {
        case 0..<10_000: "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
        case 10_000..<1_000_000: "\(microseconds / 1000) ms"
        default: "\(thousandths) s"
        }
    }

    private var microseconds: Int128 {
        let (seconds, attoseconds) = components
        return Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
    }
}
