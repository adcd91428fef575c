internal import Printing

extension Kind<Bool> { package static let boolean = Kind("true or false", .boolean) { $0.boolean } }

extension Kind<Int> {
    package static func integer(in range: ClosedRange<Int>) -> Kind {
        Kind(
            "a whole number from \(range.lowerBound) to \(range.upperBound)", .integer(in: range)
        ) { value in
            value.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Kind<Double> {
    /// A number in a range.
    package static func number(_ expected: String, in range: ClosedRange<Double>) -> Kind {
        Kind(expected, SchemaFragment([.init("type", "number")], word: .number)) { value in
            switch value {
            case .integer(let number) where range.contains(Double(number)): Double(number)
            case .number(let number) where range.contains(number): number
            case .integer, .number, .null, .boolean, .string, .array, .object: nil
            }
        }
    }
}

extension Kind<Duration> {
    /// A number of seconds, at most one day (86,400).
    package static let seconds: Kind = {
        let schema: SchemaFragment = ["type": "number", "minimum": 0, "maximum": 86_400]
        return Kind(
            "a number of seconds from 0 to 86400", schema.typed(.number).defined(as: "seconds")
        ) { duration(in: $0, atMost: 86_400) }
    }()

    /// A number of seconds above zero, at most 30 years.
    package static let someSeconds = Kind(
        "a number of seconds above 0", SchemaFragment([.init("type", "number")], word: .number)
    ) { value in
        duration(in: value, atMost: 1e9).flatMap { $0 > .zero ? $0 : nil }
    }

    private static func duration(in value: JSONValue, atMost maximum: Double) -> Duration? {
        switch value {
        case .integer(let seconds) where seconds >= 0 && Double(seconds) <= maximum:
            .seconds(seconds)
        case .number(let seconds) where (0...maximum).contains(seconds): .seconds(seconds)
        case .integer, .number, .null, .boolean, .string, .array, .object: nil
        }
    }
}

extension Kind<String> {
    /// Any string.
    package static let text = Kind.text("a string") { $0 }
}

extension Kind {
    /// One of several words; `what` says what they stand for. `renamed` has the words of the version before, each
    /// with its successor, which it stands for.
    package static func word(
        of words: [(String, Value)], _ what: String? = nil, renamed: [String: String] = [:]
    ) -> Kind {
        let expected = (what.map { "\($0): " } ?? "") + words.map(\.0).listed
        return word(of: words, expected: expected, renamed: renamed)
    }

    /// The same in a language in which words stand in quotes.
    package static func quotedWord(
        of words: [(String, Value)], renamed: [String: String] = [:]
    ) -> Kind { word(of: words, expected: words.map { "\"\($0.0)\"" }.listed, renamed: renamed) }

    private static func word(
        of words: [(String, Value)], expected: String, renamed: [String: String] = [:]
    ) -> Kind {
        let names = words.map(\.0)
        return Kind(expected, .words(names)) { value, mistakes in
            if let word = words.first(where: { $0.0 == value.string }) { return word.1 }
            if let former = value.string, let successor = renamed[former] {
                FormerWord.used(former, successor: successor)
                return words.first { $0.0 == successor }?.1
            }
            mistakes.append(Mismatch(expected: expected, among: names))
            return nil
        }
    }
}

extension Kind where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    package static func word(_ what: String? = nil) -> Kind { .word(of: words, what) }
    package static var word: Kind { .word() }
    package static var quotedWord: Kind { .quotedWord(of: words) }

    private static var words: [(String, Value)] { Value.allCases.map { ($0.rawValue, $0) } }
}

// MARK: Lists

extension Kind {
    /// A list of values.
    package static func list<Element>(
        _ counts: ClosedRange<Int>, of what: String, _ element: Kind<Element>
    ) -> Kind where Value == [Element] {
        let amount =
            counts.lowerBound == 0
            ? "at most \(counts.upperBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        let expected = "a list of \(amount) \(what)"
        return Kind(expected, .list(of: element.schema)) { value, mistakes in
            guard let elements = value.array, counts.contains(elements.count) else {
                mistakes.append(Mismatch(expected: expected))
                return nil
            }
            return element.all(in: elements, &mistakes)
        }
    }

    /// A value, or a list of alternatives.
    package static func oneOrMore<Element>(
        _ element: Kind<Element>
    ) -> Kind where Value == [Element] {
        let maximum = 256
        let expected = "\(element.expected), or a list of them"
        let list = SchemaFragment.list(of: element.schema)
        return Kind(expected, .oneOf([element.schema, list])) { value, mistakes in
            guard let elements = value.array else {
                return element.read(value, &mistakes).map { [$0] }
            }
            guard (1...maximum).contains(elements.count) else {
                let found =
                    elements.isEmpty
                    ? "an empty list matches nothing, so the rule could never match"
                    : "the list has \(elements.count) entries; the limit is \(maximum)"
                mistakes.append(Mismatch(.message(found + ": expected \(expected)")))
                return nil
            }
            return element.all(in: elements, &mistakes)
        }
    }

    /// Reads every element, and adds the mistakes of all.
    private func all(in elements: [JSONValue], _ mistakes: inout [Mismatch]) -> [Value]? {
        let values = elements.enumerated().compactMap { index, element in
            let known = mistakes.count
            let value = read(element, &mistakes)
            for mistake in known..<mistakes.count { mistakes[mistake].element = index }
            return value
        }
        return values.count == elements.count ? values : nil
    }
}
