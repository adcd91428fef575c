/// A JSON value (RFC 8259) whose objects keep their members in order, so that a line of output reads
/// in the order in which it was written.
public enum JSONValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number without a fraction.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its members in order.
    case object([Member])

    /// A name and its value in an object.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// A member with this name and value.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member with this name; `nil` if there is none or the value is not an object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The string; `nil` if the value is not a string.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The integer; `nil` if the value is not an integer.
    public var integer: Int? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The truth value; `nil` if the value is not a boolean.
    public var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// The elements; `nil` if the value is not an array.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members; `nil` if the value is not an object.
    public var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object, its members in the order written.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
