internal import Terminal
internal import LinuxIO

/// The type of a key's value: what is valid, and how it is read.
struct ConfigurationKind<Value: Sendable>: Sendable {
    /// The valid values, as a fault names them: "true or false".
    let expected: String
    /// Reads the value; reports a fault and returns `nil` if it is not valid.
    let read: @Sendable (TOMLValue, inout ConfigurationComplaints) -> Value?

    init(
        _ expected: String,
        read: @escaping @Sendable (TOMLValue, inout ConfigurationComplaints) -> Value?
    ) {
        self.expected = expected
        self.read = read
    }

    /// A kind whose values are valid or invalid as a whole: `meaning` returns `nil` for an invalid one.
    init(_ expected: String, _ meaning: @escaping @Sendable (TOMLValue.Content) -> Value?) {
        self.init(expected) { value, complaints in
            let meant = meaning(value.content)
            if meant == nil { complaints.complain(value, expected: expected) }
            return meant
        }
    }
}

extension ConfigurationKind<Bool> {
    static let boolean = ConfigurationKind("true or false") { content in
        guard case .boolean(let isSo) = content else { return nil }
        return isSo
    }
}

extension ConfigurationKind<Int> {
    static func integer(in range: ClosedRange<Int>) -> ConfigurationKind {
        ConfigurationKind("a whole number from \(range.lowerBound) to \(range.upperBound)") {
            content in
            guard case .integer(let number) = content else { return nil }
            return Int(exactly: number).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// How long history is kept, in days.
    static let retention = ConfigurationKind(
        "\"0\" to keep nothing, or a number of days or weeks such as \"7d\" or \"12w\", "
            + "at most \"\(maximumRetention)d\""
    ) { content in
        guard case .string(let text) = content else { return nil }
        if text == "0" { return 0 }
        let days = ["d": 1, "w": 7][text.last.map(String.init) ?? ""]
        guard let days, let number = DecimalText.number(text.dropLast()),
            number * days <= maximumRetention, number > 0
        else { return nil }
        return number * days
    }

    private static let maximumRetention = 3660
}

extension ConfigurationKind<String> {
    /// A text on one line.
    static func text(octets: ClosedRange<Int>) -> ConfigurationKind {
        let lower = octets.lowerBound == 0 ? "at most" : "\(octets.lowerBound) to"
        return ConfigurationKind("a string of \(lower) \(octets.upperBound) octets") { content in
            guard case .string(let text) = content, octets.contains(text.utf8.count),
                !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return nil }
            return text
        }
    }

    /// The controller or the adapter of bluetoothd.
    static let adapter = ConfigurationKind(adapters) { value, complaints in
        guard case .string(let text) = value.content else {
            complaints.complain(value, expected: adapters)
            return nil
        }
        if text == "bluez" { return text }
        if text.hasPrefix("bluez:") {
            if isAdapter(text.dropFirst("bluez:".count)) { return text }
            complaints.complain(
                value,
                expected:
                    "the name or the address of an adapter after \"bluez:\", such as \"hci0\" "
                    + "or \"00:11:22:33:44:55\"")
            return nil
        }
        do throws(IOError) { _ = try TransportMoniker(parsing: text) } catch {
            complaints.complain(
                value, expected: adapters, meant: NearestWord.of(text, in: ["bluez"]))
            return nil
        }
        return text
    }

    private static let adapters =
        "\"bluez\", an adapter of bluetoothd such as \"bluez:hci0\", or a moniker such as "
        + "\"hci-socket:0\""

    /// `hci0`, or `00:11:22:33:44:55`.
    private static func isAdapter(_ text: Substring) -> Bool {
        if text.hasPrefix("hci") { return DecimalText.number(text.dropFirst(3)) != nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 6
            && parts.allSatisfy {
                $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit }
            }
    }
}

extension ConfigurationKind
where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    static var word: ConfigurationKind { .word(of: Value.allCases.map { ($0.rawValue, $0) }) }
}

extension ConfigurationKind {
    /// One of several words.
    static func word(of words: [(String, Value)]) -> ConfigurationKind {
        let names = words.map(\.0)
        let expected = names.map { "\"\($0)\"" }.listed
        return ConfigurationKind(expected) { value, complaints in
            guard case .string(let text) = value.content else {
                complaints.complain(value, expected: expected)
                return nil
            }
            guard let word = words.first(where: { $0.0 == text }) else {
                complaints.complain(
                    value, expected: expected, meant: NearestWord.of(text, in: names))
                return nil
            }
            return word.1
        }
    }

    /// A list of values.
    static func list<Element>(
        _ counts: ClosedRange<Int>, of what: String, _ element: ConfigurationKind<Element>
    ) -> ConfigurationKind where Value == [Element] {
        let amount =
            counts.lowerBound == 0
            ? "at most \(counts.upperBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        let expected = "a list of \(amount) \(what)"
        return ConfigurationKind(expected) { value, complaints in
            guard case .array(let elements) = value.content, counts.contains(elements.count) else {
                complaints.complain(value, expected: expected)
                return nil
            }
            let values = elements.compactMap { element.read($0, &complaints) }
            return values.count == elements.count ? values : nil
        }
    }

    /// A value, or a list of alternatives.
    static func oneOrMore<Element>(
        _ element: ConfigurationKind<Element>
    ) -> ConfigurationKind where Value == [Element] {
        let maximum = 256
        let expected = "\(element.expected), or a list of them"
        return ConfigurationKind(expected) { value, complaints in
            guard case .array(let elements) = value.content else {
                return element.read(value, &complaints).map { [$0] }
            }
            guard (1...maximum).contains(elements.count) else {
                let found =
                    elements.isEmpty
                    ? "an empty list matches nothing, so the rule could never match"
                    : "the list has \(elements.count) entries; the limit is \(maximum)"
                complaints.complain(at: value.place, found + ": expected \(expected)")
                return nil
            }
            let values = elements.compactMap { element.read($0, &complaints) }
            return values.count == elements.count ? values : nil
        }
    }
}
