/// One attribute of an answer (R27, R28): octets, not text, until somebody reads them.
public struct AttributeValue: Hashable, Sendable {
    /// The attribute's identifier; which attribute that is depends on the command.
    public var id: UInt8
    /// How many octets the Notification Provider announced.
    public var length: UInt16
    /// The octets; fewer than ``length`` if the receiver's limit cut them.
    public var octets: [UInt8]

    /// A value whose octets are all there.
    ///
    /// Octets beyond 65535 do not fit an answer and are left out.
    public init(id: UInt8, octets: [UInt8]) {
        self.id = id
        self.octets = octets.count <= Int(UInt16.max) ? octets : Array(octets[..<Int(UInt16.max)])
        length = UInt16(self.octets.count)
    }

    /// A value of a notification's attribute.
    public init(_ id: NotificationAttributeID, octets: [UInt8]) {
        self.init(id: id.rawValue, octets: octets)
    }

    /// A value of a notification's attribute, as UTF-8.
    public init(_ id: NotificationAttributeID, _ text: String) {
        self.init(id: id.rawValue, octets: Array(text.utf8))
    }

    /// A value of an app's attribute, as UTF-8.
    public init(_ id: AppAttributeID, _ text: String) {
        self.init(id: id.rawValue, octets: Array(text.utf8))
    }

    init(id: UInt8, length: UInt16, octets: [UInt8]) {
        self.id = id
        self.length = length
        self.octets = octets
    }

    /// Whether the receiver's limit cut the value.
    public var isCut: Bool { octets.count < Int(length) }
    /// The text, with U+FFFD for what is no UTF-8.
    public var text: String { UTF8Text.repaired(octets) }
    /// Whether the octets are UTF-8 throughout.
    public var isValidUTF8: Bool { UTF8Text.isValid(octets) }
}
