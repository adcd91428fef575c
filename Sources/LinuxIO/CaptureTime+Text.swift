internal import Glibc

extension CaptureTime {
    /// `2026-11-21T09:30:00.123456Z`; a year beyond four digits with its sign, as ISO 8601 has it.
    package var text: String { text(fractionDigits: 6) }

    /// The same with the fraction of a second cut.
    package func text(fractionDigits: Int) -> String {
        let (whole, rest) = microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
        // Microseconds count from the second before.
        var clock = time_t(rest < 0 ? whole - 1 : whole)
        var fields = tm()
        gmtime_r(&clock, &fields)
        let numbers = [
            fields.tm_mon + 1, fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec,
        ].map { Self.digits(Int($0), 2) }
        let fraction = Self.digits(Int(rest < 0 ? rest + 1_000_000 : rest), 6)
            .prefix(fractionDigits)
        return Self.text(year: Int(fields.tm_year) + 1900)
            + "-\(numbers[0])-\(numbers[1])T\(numbers[2]):\(numbers[3]):\(numbers[4])"
            + (fraction.isEmpty ? "" : ".") + "\(fraction)Z"
    }

    private static func text(year: Int) -> String {
        let sign = (0...9999).contains(year) ? "" : year < 0 ? "-" : "+"
        return sign + digits(abs(year), 4)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
