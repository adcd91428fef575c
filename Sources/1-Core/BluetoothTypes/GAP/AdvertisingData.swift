/// The contents of advertising packets: a sequence of AD structures. Core Vol 3, Part C, 11; Core
/// Specification Supplement, Part A.
///
///     octet  0       1        2..
///            Length  AD Type  data (Length - 1 octets)
public struct AdvertisingData: Equatable, Sendable {
    /// The structures, in the order on air.
    public var structures: [Structure]

    /// Data of these structures.
    public init(_ structures: [Structure] = []) { self.structures = structures }

    /// The maximum length of the data of a legacy advertising or scan response PDU, in octets.
    public static let legacyLimit = 31

    /// An AD structure.
    public enum Structure: Equatable, Sendable {
        /// Type 0x01.
        case flags(Flags)
        /// Services of the device; types 0x02 to 0x07.
        case services([BluetoothUUID], UUIDWidth, isComplete: Bool)
        /// Services that the device wants its peer to have; types 0x14, 0x1F and 0x15.
        case solicitedServices([BluetoothUUID], UUIDWidth)
        /// The name, or its beginning; types 0x09 and 0x08.
        case localName(String, isComplete: Bool)
        /// The transmit power in dBm; type 0x0A.
        case transmitPower(Int8)
        /// The appearance of the device (Assigned Numbers, 2.6); type 0x19.
        case appearance(UInt16)
        /// Data of a service; types 0x16, 0x20 and 0x21.
        case serviceData(BluetoothUUID, UUIDWidth, [UInt8])
        /// Data of a manufacturer, by company identifier; type 0xFF.
        case manufacturerData(company: UInt16, [UInt8])
        /// Any other type, or data that do not fit their type.
        case other(type: UInt8, [UInt8])

        /// A complete list of services, in the shortest form that all of them have.
        public static func services(_ uuids: [BluetoothUUID]) -> Self {
            .services(uuids, .shortest(for: uuids), isComplete: true)
        }

        /// Solicited services, in the shortest form that all of them have.
        public static func solicitedServices(_ uuids: [BluetoothUUID]) -> Self {
            .solicitedServices(uuids, .shortest(for: uuids))
        }

        /// The complete name.
        public static func name(_ name: String) -> Self { .localName(name, isComplete: true) }
    }

    /// The form of the UUIDs in a structure.
    public enum UUIDWidth: Int, Equatable, Sendable {
        /// 16-bit UUIDs.
        case short = 2
        /// 32-bit UUIDs.
        case medium = 4
        /// 128-bit UUIDs.
        case long = 16

        /// The shortest form that all of `uuids` have. 32-bit forms are never chosen: they are allowed, but
        /// no phone is known to look for them.
        public static func shortest(for uuids: [BluetoothUUID]) -> Self {
            uuids.allSatisfy { $0.shortValue != nil } ? .short : .long
        }
    }

    /// Discoverability, and support for BR/EDR. Supplement, Part A, 1.3.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits.
        public var rawValue: UInt8
        /// The bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// LE Limited Discoverable Mode
        public static let limitedDiscoverable = Flags(rawValue: 1 << 0)
        /// LE General Discoverable Mode
        public static let generalDiscoverable = Flags(rawValue: 1 << 1)
        /// BR/EDR Not Supported
        public static let brEDRNotSupported = Flags(rawValue: 1 << 2)
    }
}

extension AdvertisingData {
    /// The flags; `nil` if there are none.
    public var flags: Flags? {
        for case .flags(let flags) in structures { return flags }
        return nil
    }

    /// The complete name or, failing that, the longest of the shortened ones; `nil` if there is none.
    public var localName: String? {
        for case .localName(let name, isComplete: true) in structures { return name }
        var longest: String?
        for case .localName(let name, isComplete: false) in structures
        where longest.map({ $0.utf8.count < name.utf8.count }) ?? true { longest = name }
        return longest
    }

    /// Whether ``localName`` is shortened.
    public var isLocalNameShortened: Bool {
        var isShortened = false
        for case .localName(_, let isComplete) in structures {
            if isComplete { return false }
            isShortened = true
        }
        return isShortened
    }

    /// The services of the device, from all lists.
    public var services: [BluetoothUUID] {
        var services: [BluetoothUUID] = []
        for case .services(let uuids, _, _) in structures { services += uuids }
        return services
    }

    /// The services that the device wants its peer to have, from all lists.
    public var solicitedServices: [BluetoothUUID] {
        var services: [BluetoothUUID] = []
        for case .solicitedServices(let uuids, _) in structures { services += uuids }
        return services
    }
}
