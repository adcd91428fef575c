public import Octets

/// A notification of Entity Update: the value of an attribute (M3, M4).
///
///     octet  0         1            2      3...
///            EntityID  AttributeID  flags  the value, UTF-8
public struct EntityUpdate: Hashable, Sendable {
    /// Which attribute has this value.
    public var attribute: MediaAttribute
    /// Whether the value was truncated to what fits into the notification; the whole one can be read from Entity
    /// Attribute (M5). Bit 0 of the flags; the others are reserved and ignored.
    public var isTruncated: Bool
    /// The value, UTF-8 without an end mark; empty for none (M6).
    public var value: [UInt8]

    /// How many octets stand before the value.
    public static let headerCount = 3

    /// An update with these fields.
    public init(_ attribute: MediaAttribute, _ value: [UInt8], isTruncated: Bool = false) {
        (self.attribute, self.value, self.isTruncated) = (attribute, value, isTruncated)
    }

    /// Decodes a notification; throws if it has fewer than three octets.
    public init(decoding octets: Span<UInt8>) throws(DecodingError) {
        var rest = octets
        let entity = MediaEntityID(rawValue: try rest.takeUInt8())
        attribute = MediaAttribute(entity, try rest.takeUInt8())
        isTruncated = try rest.takeUInt8() & 1 == 1
        value = rest.takeRest()
    }
}

extension EntityUpdate: OctetEncodable {
    /// The length in octets.
    public var encodedCount: Int { Self.headerCount + value.count }

    /// Appends the header and the value.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(attribute.entityID.rawValue)
        output.append(attribute.attributeID)
        output.append(isTruncated ? 1 : 0)
        output.append(octets: value)
    }
}

/// A write to Entity Update: which attributes of an entity are reported from now on, in place of those before (M3).
///
///     octet  0         1...
///            EntityID  AttributeIDs
public struct EntityUpdateRegistration: Hashable, Sendable {
    /// The entity.
    public var entityID: MediaEntityID
    /// Its attributes.
    public var attributeIDs: [UInt8]

    /// A registration for the named attributes of an entity that are in a set.
    public init(_ entityID: MediaEntityID, _ attributes: MediaAttributeSet) {
        self.entityID = entityID
        attributeIDs = (0..<4).filter { attributes.contains(MediaAttribute(entityID, $0)) }
    }

    /// Those of them that have a name.
    public var attributes: MediaAttributeSet {
        attributeIDs.reduce(into: []) { set, id in
            set.formUnion(MediaAttributeSet(MediaAttribute(entityID, id)))
        }
    }

    /// Decodes a write of at least two octets (M13); throws if there are fewer.
    public init(decoding octets: Span<UInt8>) throws(DecodingError) {
        var rest = octets
        entityID = MediaEntityID(rawValue: try rest.takeUInt8())
        try rest.require(1)
        attributeIDs = rest.takeRest()
    }
}

extension EntityUpdateRegistration: OctetEncodable {
    /// The length in octets.
    public var encodedCount: Int { 1 + attributeIDs.count }

    /// Appends the entity and its attributes.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(entityID.rawValue)
        output.append(octets: attributeIDs)
    }
}
