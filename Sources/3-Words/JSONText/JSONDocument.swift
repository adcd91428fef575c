/// A JSON text that was read, with the places of its values.
public struct JSONDocument: Sendable {
    /// The value of the whole text.
    public let value: JSONValue
    private let octets: [UInt8]
    private let starts: [Int]

    /// Reads one JSON value from its UTF-8 octets. See ``JSONValue/init(parsing:)-([UInt8])``.
    public init(parsing octets: [UInt8]) throws(JSONValue.ParsingError) {
        (value, starts) = try JSONParser.parseWithStarts(octets)
        self.octets = octets
    }

    /// Where a value begins: its line, and the octet in that line, both from 1. Values are numbered from 0 in
    /// the order of the text: the whole text first, and each array or object before what it contains.
    public func place(ofValue number: Int) -> (line: Int, column: Int) {
        guard starts.indices.contains(number) else { return (1, 1) }
        return JSONParser.place(of: starts[number], in: octets)
    }
}

extension JSONValue {
    /// How many values this one consists of: itself, and all that it contains.
    public var valueCount: Int {
        switch self {
        case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
        case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
        case .null, .boolean, .integer, .number, .string: 1
        }
    }
}
