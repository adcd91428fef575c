internal import Octets

extension CaptureTime {
    /// `2026-11-21T09:30:00.123456Z`; a year of more than four digits has a sign, as in ISO 8601.
    package var text: String { text(fractionDigits: 6) }

    /// The same, with the fraction of a second cut to this many digits.
    package func text(fractionDigits: Int) -> String {
        let octets = [UInt8](count: 32) { write(fractionDigits: fractionDigits, to: &$0) }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Appends the octets of that text: at most 32.
    package func write(fractionDigits: Int, to text: inout OutputSpan<UInt8>) {
        // Microseconds count from the previous second.
        let (second, microsecond) = Self.divide(Int(microsecondsSince1970), by: 1_000_000)
        let (day, secondOfDay) = Self.divide(second, by: 86_400)
        let date = Self.date(daysSince1970: day)
        if !(0...9999).contains(date.year) { text.append(UInt8(ascii: date.year < 0 ? "-" : "+")) }
        text.append(decimal: UInt64(date.year.magnitude), width: 4)
        Self.write("-", date.month, to: &text)
        Self.write("-", date.day, to: &text)
        Self.write("T", secondOfDay / 3600, to: &text)
        Self.write(":", secondOfDay / 60 % 60, to: &text)
        Self.write(":", secondOfDay % 60, to: &text)
        if fractionDigits > 0 {
            text.append(UInt8(ascii: "."))
            text.append(decimal: UInt64(microsecond), width: 6)
            text.removeLast(6 - min(fractionDigits, 6))
        }
        text.append(UInt8(ascii: "Z"))
    }

    private static func write(
        _ separator: Unicode.Scalar, _ number: Int, to text: inout OutputSpan<UInt8>
    ) {
        text.append(UInt8(ascii: separator))
        text.append(decimal: UInt64(number), width: 2)
    }

    /// The quotient towards minus infinity, and a remainder that is not negative.
    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The date of the Gregorian calendar, without the C library's locks around time zones: a capture has
    /// millions of times. Years are counted from March, whose months before February have 153 days in
    /// five, and in eras of 400 years, which are 146,097 days.
    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        // 719,468 days from 0000-03-01 to 1970-01-01.
        let (era, dayOfEra) = divide(daysSince1970 + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
