/// The path of an object of a program on the bus: `/org/bluez/hci0`. D-Bus specification, *Valid Object
/// Paths*.
public struct ObjectPath: Hashable, Sendable {
    /// The path.
    public let text: String

    /// A path; `nil` if the text is not valid: it must start with a slash, and its elements consist of
    /// letters, digits and underscores and must not be empty.
    public init?(_ text: String) {
        guard Self.isValid(text.utf8) else { return nil }
        self.text = text
    }

    /// The root, `/`.
    public static let root: ObjectPath = "/"

    /// Whether the path is below another one.
    public func isBelow(_ parent: ObjectPath) -> Bool {
        let prefix = parent.text.utf8
        guard parent != .root else { return self != .root }
        return text.utf8.count > prefix.count + 1 && text.utf8.starts(with: prefix)
            && text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: prefix.count)] == 0x2F
    }

    /// The last element; empty for the root.
    public var lastElement: Substring {
        text.utf8.lastIndex(of: 0x2F).map { text[text.utf8.index(after: $0)...] } ?? ""
    }

    private static func isValid(_ text: String.UTF8View) -> Bool {
        guard text.first == 0x2F else { return false }
        guard text.count > 1 else { return true }
        return text.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
            .allSatisfy { element in
                !element.isEmpty
                    && element.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                            || (0x61...0x7A).contains($0) || $0 == 0x5F
                    }
            }
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
