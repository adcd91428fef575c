internal import CTOML
internal import LinuxIO

/// A place in a text file. Lines and columns count from 1; a column is a Unicode scalar, as in editors.
package struct TextPlace: Equatable, Comparable, Sendable {
    package var line: Int
    package var column: Int

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// A number that is greater for later places.
    var number: UInt64 { UInt64(line) << 32 | UInt64(column) }
}

/// A value of a TOML document, with its place.
package struct TOMLValue: Equatable, Sendable {
    /// The value itself.
    package enum Content: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        /// A date, a time, or both.
        case date
        case array([TOMLValue])
        case table([TOMLMember])
    }

    package var content: Content
    package var place: TextPlace
}

/// A key of a table and its value.
package struct TOMLMember: Equatable, Sendable {
    package var key: String
    package var place: TextPlace
    package var value: TOMLValue
}

/// A TOML 1.0 document, parsed by toml++.
package struct TOMLDocument: Equatable, Sendable {
    /// Why a text is not a valid document.
    package struct Fault: Error, Equatable, Sendable {
        package var place: TextPlace
        package var message: String
    }

    /// The longest document in octets.
    package static let maximumCount = 1 << 20

    /// The members of the document. The members of all tables are in the order of the file.
    package let members: [TOMLMember]

    /// Parses a document in UTF-8.
    package init(parsing text: [UInt8]) throws(Fault) {
        guard text.count <= Self.maximumCount else {
            throw Fault(
                place: TextPlace(line: 1, column: 1),
                message: "the file is longer than 1 MiB")
        }
        var nesting = TOMLKeyDepth()
        if let place = nesting.firstExcess(in: text) {
            throw Fault(
                place: place,
                message: "the key has too many parts; the limit is \(TOMLKeyDepth.maximum)")
        }
        let parsed = text.withUnsafeBytes { octets in
            ctoml_parse(octets.baseAddress?.assumingMemoryBound(to: CChar.self), octets.count)
        }
        guard let parsed else {
            throw Fault(place: TextPlace(line: 1, column: 1), message: "not enough memory")
        }
        defer { ctoml_free(parsed) }
        var place = ctoml_place()
        if let message = ctoml_error(parsed, &place) {
            throw Fault(
                place: TextPlace(place), message: Self.message(from: String(cString: message)))
        }
        members = Self.members(of: parsed)
    }

    private static func members(of document: OpaquePointer) -> [TOMLMember] {
        var count = 0
        let start = ctoml_values(document, &count)
        var rest = UnsafeBufferPointer(start: start, count: count)[...]
        guard let root = rest.popFirst() else { return [] }
        return members(root.children, from: &rest)
    }

    private typealias Values = Slice<UnsafeBufferPointer<ctoml_value>>

    /// toml++ sorts the members of a table by name.
    private static func members(_ count: Int, from rest: inout Values) -> [TOMLMember] {
        (0..<count).compactMap { _ in member(from: &rest) }.sorted(byNumber: \.place.number)
    }

    private static func member(from rest: inout Values) -> TOMLMember? {
        guard let first = rest.first, let value = value(from: &rest) else { return nil }
        return TOMLMember(key: String(first.key), place: TextPlace(first.key_place), value: value)
    }

    /// The next value with everything in it. The recursion is bounded, because the parser limits the depth.
    private static func value(from rest: inout Values) -> TOMLValue? {
        guard let first = rest.popFirst() else { return nil }
        let content: TOMLValue.Content =
            switch first.kind {
            case ctoml_table: .table(members(first.children, from: &rest))
            case ctoml_array: .array((0..<first.children).compactMap { _ in value(from: &rest) })
            case ctoml_string: .string(String(first.string))
            case ctoml_integer: .integer(first.integer)
            case ctoml_float: .float(first.real)
            case ctoml_boolean: .boolean(first.boolean)
            default: .date
            }
        return TOMLValue(content: content, place: TextPlace(first.place))
    }

    /// The message of toml++, without its internal names.
    private static func message(from message: String) -> String {
        guard !message.contains("maximum nested value depth") else {
            return "arrays and tables are nested too deeply; the limit is 32 levels"
        }
        let beginning = "Error while "
        let text = message.hasPrefix(beginning) ? message.dropFirst(beginning.count) : message[...]
        return "invalid TOML: " + text
    }
}

extension String {
    fileprivate init(_ text: ctoml_text) {
        self.init(
            decoding: UnsafeRawBufferPointer(start: text.octets, count: text.count), as: UTF8.self)
    }
}

extension TextPlace {
    fileprivate init(_ place: ctoml_place) {
        self.init(line: max(1, Int(place.line)), column: max(1, Int(place.column)))
    }
}

/// Finds keys with more parts than any document needs. toml++ makes a table of each part, limits only arrays
/// and inline tables, and frees tables recursively, so that `a.a.a…` would overflow the stack.
struct TOMLKeyDepth {
    /// The maximum number of parts of a key.
    static let maximum = 32

    private enum State {
        case plain, comment
        /// Within quotes: the quote character, and whether there are three of them.
        case quoted(UInt8, isLong: Bool)
    }

    private var state = State.plain
    private var place = TextPlace(line: 1, column: 0)
    private var dots = 0

    /// The place of the first part beyond the limit. Up to the first syntax error, this finds the same
    /// strings and comments as the parser.
    mutating func firstExcess(in text: [UInt8]) -> TextPlace? {
        var position = 0
        while position < text.count {
            let octet = text[position]
            advance(octet)
            position += 1
            switch state {
            case .comment: if octet == UInt8(ascii: "\n") { begin() }
            case .quoted(let quote, let isLong):
                position = quoted(octet, quote, isLong: isLong, in: text, position)
            case .plain:
                position = plain(octet, in: text, position)
                if dots >= Self.maximum { return place }
            }
        }
        return nil
    }

    private mutating func begin() {
        state = .plain
        dots = 0
    }

    private mutating func advance(_ octet: UInt8) {
        if octet == UInt8(ascii: "\n") {
            place = TextPlace(line: place.line + 1, column: 0)
        } else if octet & 0xC0 != 0x80 {
            place.column += 1
        }
    }

    private mutating func plain(_ octet: UInt8, in text: [UInt8], _ position: Int) -> Int {
        switch octet {
        case UInt8(ascii: "#"): state = .comment
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let isLong = text[position...].starts(with: [octet, octet])
            state = .quoted(octet, isLong: isLong)
            guard isLong else { break }
            place.column += 2
            return position + 2
        case UInt8(ascii: "."): dots += 1
        case UInt8(ascii: "\n"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            dots = 0
        default: break
        }
        return position
    }

    private mutating func quoted(
        _ octet: UInt8, _ quote: UInt8, isLong: Bool, in text: [UInt8], _ position: Int
    ) -> Int {
        switch octet {
        case UInt8(ascii: "\\") where quote == UInt8(ascii: "\"") && position < text.count:
            advance(text[position])
            if text[position] == UInt8(ascii: "\n"), !isLong { begin() }
            return position + 1
        case quote where !isLong: state = .plain
        case quote where text[position...].starts(with: [quote, quote]):
            state = .plain
            place.column += 2
            return position + 2
        case UInt8(ascii: "\n") where !isLong: begin()
        default: break
        }
        return position
    }
}
