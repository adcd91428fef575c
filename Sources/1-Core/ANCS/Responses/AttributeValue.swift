/// An attribute of an answer (R27, R28). It holds octets, which become text only when they are read.
public struct AttributeValue: Hashable, Sendable {
    /// The identifier; which attribute it stands for depends on the command.
    public var id: UInt8
    /// The length that the Notification Provider announced, in octets.
    public var length: UInt16
    /// The octets; fewer than ``length`` if our own limit cut them.
    public var octets: [UInt8]

    /// A complete value. Octets beyond 65535 do not fit into an answer and are dropped.
    public init(id: UInt8, octets: [UInt8]) {
        self.id = id
        self.octets = octets.count <= Int(UInt16.max) ? octets : Array(octets[..<Int(UInt16.max)])
        length = UInt16(self.octets.count)
    }

    /// A value of a notification's attribute, from octets.
    public init(_ id: NotificationAttributeID, octets: [UInt8]) {
        self.init(id: id.rawValue, octets: octets)
    }

    /// A value of a notification's attribute, from a text.
    public init(_ id: NotificationAttributeID, _ text: String) {
        self.init(id: id.rawValue, octets: Array(text.utf8))
    }

    /// A value of an app's attribute, from a text.
    public init(_ id: AppAttributeID, _ text: String) {
        self.init(id: id.rawValue, octets: Array(text.utf8))
    }

    init(id: UInt8, length: UInt16, octets: [UInt8]) {
        self.id = id
        self.length = length
        self.octets = octets
    }

    /// Whether our own limit cut the value (``ResponseLimits/maximumValueOctets``).
    public var isCut: Bool { octets.count < Int(length) }
    /// The text, with U+FFFD in place of what is not UTF-8.
    public var text: String { UTF8Text.repaired(octets) }
    /// Whether all octets are valid UTF-8.
    public var isValidUTF8: Bool { UTF8Text.isValid(octets) }
}
