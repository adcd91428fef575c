public import Octets

/// The state that a server keeps for one client: store it with the bond, and restore it when the client
/// returns. Core Vol 3, Part G, 2.5.2, 3.3.3.3 and 7.2.
public struct ClientConfiguration: Equatable, Sendable {
    /// A Client Characteristic Configuration descriptor that is not zero.
    public struct Descriptor: Equatable, Sendable {
        /// The handle of the descriptor.
        public var handle: AttributeHandle
        /// What the client wrote.
        public var value: ClientCharacteristicConfiguration
        /// A descriptor and its value.
        public init(handle: AttributeHandle, value: ClientCharacteristicConfiguration) {
            self.handle = handle
            self.value = value
        }
    }

    /// The descriptors that are not zero.
    public private(set) var descriptors: [Descriptor]
    /// The Client Supported Features that the client has written; empty before that.
    public var supportedFeatures: [UInt8]
    /// The Database Hash of the table that the client knows; `nil` if none was computed.
    public var databaseHash: UInt128?

    /// A configuration; without arguments, that of an unknown client.
    public init(
        descriptors: [Descriptor] = [], supportedFeatures: [UInt8] = [],
        databaseHash: UInt128? = nil
    ) {
        self.descriptors = descriptors
        self.supportedFeatures = supportedFeatures
        self.databaseHash = databaseHash
    }

    /// The value of a descriptor; empty if the client has not written it.
    public subscript(handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        get { descriptors.first { $0.handle == handle }?.value ?? [] }
        set {
            descriptors.removeAll { $0.handle == handle }
            if !newValue.isEmpty { descriptors.append(Descriptor(handle: handle, value: newValue)) }
        }
    }

    /// Whether the client supports robust caching. Core Vol 3, Part G, 7.2.
    public var supportsRobustCaching: Bool { (supportedFeatures.first ?? 0) & 0x01 != 0 }
}

/// The format of a bond store: count of descriptors u16, handle u16 and value u16 of each, count of feature
/// octets u8, the features, and the 16 octets of the hash, if there is one.
extension ClientConfiguration: OctetEncodable {
    /// Decodes a complete value.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        self.init()
        for _ in 0..<(try rest.takeUInt16()) {
            let handle = try rest.take() as AttributeHandle
            self[handle] = ClientCharacteristicConfiguration(rawValue: try rest.takeUInt16())
        }
        supportedFeatures = try rest.takeOctets(Int(try rest.takeUInt8()))
        if !rest.isEmpty { databaseHash = try rest.takeUInt128() }
        try rest.expectEnd()
    }

    /// The length of the value in octets.
    public var encodedCount: Int {
        3 + 4 * descriptors.count + features.count + (databaseHash == nil ? 0 : 16)
    }

    /// Appends the value.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: UInt16(clamping: descriptors.count))
        for descriptor in descriptors {
            output.put(descriptor.handle)
            output.append(littleEndian: descriptor.value.rawValue)
        }
        output.append(UInt8(clamping: features.count))
        for feature in features { output.append(feature) }
        if let databaseHash { output.append(littleEndian: databaseHash) }
    }

    private var features: ArraySlice<UInt8> { supportedFeatures.prefix(255) }
}

/// The subscription of a client. Core Vol 3, Part G, 3.3.3.3.
public struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    /// The value of the descriptor.
    public var rawValue: UInt16
    /// A configuration, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Notifications are enabled.
    public static let notification = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// Indications are enabled.
    public static let indication = ClientCharacteristicConfiguration(rawValue: 0x0002)

    /// The value of the descriptor as octets.
    public var octets: [UInt8] {
        [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)]
    }
}
