extension JSONValue {
    /// Why a text is not valid JSON: the first fault, and where it is.
    public struct ParsingError: Error, Hashable, Sendable {
        /// The line, counted from 1.
        public var line: Int
        /// The octet within the line, counted from 1.
        public var column: Int
        /// What was expected there, in words that follow *expected*.
        public var expected: String

        /// A sentence for people: the place, and what was expected there.
        public var message: String { "line \(line), column \(column): expected \(expected)" }
    }

    /// Reads one JSON value from a text. See ``init(parsing:)-([UInt8])``.
    public init(parsing text: String) throws(ParsingError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Reads one JSON value (RFC 8259) from its UTF-8 octets. Members keep their order.
    ///
    /// The whole text must be one value. It is an error if the text breaks the grammar, an object has two
    /// members of one name, half of a surrogate pair stands alone, a number is beyond the range of `Double`,
    /// or values nest deeper than 256 levels. A number is an ``integer(_:)`` with its exact value if it is
    /// written without fraction and exponent and fits into 64 bits, or if the nearest `Double` is a whole
    /// number of at most 2^53; any other is a ``number(_:)``, the nearest `Double`.
    public init(parsing octets: [UInt8]) throws(ParsingError) {
        self = try JSONParser.parse(octets)
    }
}
