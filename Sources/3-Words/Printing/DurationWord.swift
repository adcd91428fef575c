/// Durations as users write them in files and commands: `500ms`, `10s`, `5m`, `2h`, `7d`.
package enum DurationWord {
    /// The valid forms, for messages.
    package static let forms = "a number with ms, s, m, h or d, such as \"10s\""

    private static let units: [(String, Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
        ("d", .seconds(86_400)),
    ]
    /// Weeks are read, but not written: seven days stay `7d`.
    private static let week = ("w", Duration.seconds(7 * 86_400))

    /// Parses a duration; `nil` for any other text.
    package static func duration(_ text: some StringProtocol) -> Duration? {
        for (unit, duration) in units + [week] where text.hasSuffix(unit) {
            guard let number = DecimalText.number(text.dropLast(unit.count)) else { continue }
            return duration * number
        }
        return nil
    }

    /// The duration in the largest unit of which it is a whole multiple.
    package static func text(_ duration: Duration) -> String {
        for (unit, length) in units.reversed() where duration >= length {
            let number = duration / length
            if number == number.rounded() { return "\(Int(number))\(unit)" }
        }
        return duration == .zero ? "0s" : "\(Int((duration / .milliseconds(1)).rounded()))ms"
    }
}
