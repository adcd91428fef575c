/// The path of an object of a program on the bus: `/org/bluez/hci0`. D-Bus specification, *Valid Object
/// Paths*.
public struct ObjectPath: Hashable, Sendable {
    /// The path.
    public let text: String

    /// A path; `nil` if the text is not valid: it must start with a slash, and its elements consist of
    /// letters, digits and underscores and must not be empty.
    public init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.text = text
    }

    /// The root, `/`.
    public static let root: ObjectPath = "/"

    /// Whether the path is below another one.
    public func isBelow(_ parent: ObjectPath) -> Bool {
        guard parent != .root else { return self != .root }
        let octets = text.utf8Span.span
        let count = parent.text.utf8.count
        return octets.count > count + 1 && octets[count] == 0x2F && text.hasPrefix(parent.text)
    }

    /// The path that is the first octets of this one; `nil` unless they end with an element.
    package func prefix(_ count: Int) -> ObjectPath? {
        let octets = text.utf8Span.span
        guard count > 1, count <= octets.count, octets[count - 1] != 0x2F,
            count == octets.count || octets[count] == 0x2F
        else { return nil }
        return ObjectPath(valid: String(decoding: text.utf8.prefix(count), as: UTF8.self))
    }

    private init(valid text: String) { self.text = text }

    /// The last element; empty for the root.
    public var lastElement: Substring {
        let octets = text.utf8Span.span
        var start = octets.count
        while start > 0, octets[start - 1] != 0x2F { start -= 1 }
        return text[text.utf8.index(text.utf8.startIndex, offsetBy: start)...]
    }

    /// In one pass over the octets: each message that arrives has a path.
    private static func isValid(_ text: String) -> Bool {
        let octets = text.utf8Span.span
        guard octets.count > 1 else { return text == "/" }
        guard octets[0] == 0x2F else { return false }
        var isElementEmpty = true
        for index in 1..<octets.count {
            switch octets[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: isElementEmpty = false
            case 0x2F where !isElementEmpty: isElementEmpty = true
            case _: return false
            }
        }
        return !isElementEmpty
    }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// A path from a literal; traps if it is not valid.
    public init(stringLiteral text: String) {
        guard let path = ObjectPath(text) else {
            preconditionFailure("'\(text)' is not an object path")
        }
        self = path
    }
}

extension ObjectPath: CustomStringConvertible {
    /// The path.
    public var description: String { text }
}
