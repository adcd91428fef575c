public import Octets

extension AdvertisingData {
    /// Why data cannot be encoded.
    public enum EncodingError: Error, Equatable, Sendable {
        /// All structures together are `excess` octets too long.
        case tooLong(excess: Int)
        /// The data of one structure are longer than 254 octets, the maximum of its length field.
        case structureTooLong(type: UInt8)
        /// A UUID has no form of the width of its structure.
        case uuidTooWide(BluetoothUUID)
    }

    /// The data in wire format. Throws if they are longer than `limit` octets.
    public func encoded(limit: Int = AdvertisingData.legacyLimit) throws(EncodingError) -> [UInt8] {
        var octets: [UInt8] = []
        for structure in structures {
            let data = try structure.data
            guard data.count <= 254 else { throw .structureTooLong(type: structure.type) }
            octets.append(UInt8(data.count + 1))
            octets.append(structure.type)
            octets += data
        }
        guard octets.count <= limit else { throw .tooLong(excess: octets.count - limit) }
        return octets
    }

    /// Advertising data from the air, and its fault.
    public struct Parsed: Equatable, Sendable {
        /// The valid structures.
        public var data: AdvertisingData
        /// Why the last structure is missing; `nil` if the data end properly.
        public var fault: DecodingError?

        /// Parsed data with an optional fault.
        public init(data: AdvertisingData, fault: DecodingError?) {
            self.data = data
            self.fault = fault
        }
    }

    /// Parses octets from the air, up to their end or to a structure of length 0. A structure that is longer
    /// than the rest of the octets is left out and reported as the fault.
    public static func parse(_ octets: Span<UInt8>) -> Parsed {
        var structures: [Structure] = []
        var rest = octets
        do throws(DecodingError) {
            while !rest.isEmpty {
                let length = Int(try rest.takeUInt8())
                guard length > 0 else { break }
                try rest.require(length)
                let type = try rest.takeUInt8()
                structures.append(Structure(type: type, data: try rest.takeOctets(length - 1)))
            }
        } catch { return Parsed(data: AdvertisingData(structures), fault: error) }
        return Parsed(data: AdvertisingData(structures), fault: nil)
    }
}

extension String {
    /// As many whole Unicode scalars as fit into `limit` octets of UTF-8.
    func beginning(octets limit: Int) -> String {
        var beginning = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }
}

/// AD types. Assigned Numbers, 2.3.
private enum ADType {
    static let flags: UInt8 = 0x01
    static let shortenedName: UInt8 = 0x08
    static let completeName: UInt8 = 0x09
    static let transmitPower: UInt8 = 0x0A
    static let appearance: UInt8 = 0x19
    static let manufacturerData: UInt8 = 0xFF

    static func services(_ width: AdvertisingData.UUIDWidth, isComplete: Bool) -> UInt8 {
        switch width {
        case .short: isComplete ? 0x03 : 0x02
        case .medium: isComplete ? 0x05 : 0x04
        case .long: isComplete ? 0x07 : 0x06
        }
    }

    static func solicitedServices(_ width: AdvertisingData.UUIDWidth) -> UInt8 {
        switch width {
        case .short: 0x14
        case .medium: 0x1F
        case .long: 0x15
        }
    }

    static func serviceData(_ width: AdvertisingData.UUIDWidth) -> UInt8 {
        switch width {
        case .short: 0x16
        case .medium: 0x20
        case .long: 0x21
        }
    }
}

extension AdvertisingData.Structure {
    /// The AD type.
    var type: UInt8 {
        switch self {
        case .flags: ADType.flags
        case .services(_, let width, let isComplete): ADType.services(width, isComplete: isComplete)
        case .solicitedServices(_, let width): ADType.solicitedServices(width)
        case .localName(_, let isComplete): isComplete ? ADType.completeName : ADType.shortenedName
        case .transmitPower: ADType.transmitPower
        case .appearance: ADType.appearance
        case .serviceData(_, let width, _): ADType.serviceData(width)
        case .manufacturerData: ADType.manufacturerData
        case .other(let type, _): type
        }
    }

    /// The octets after length and type.
    var data: [UInt8] {
        get throws(AdvertisingData.EncodingError) {
            switch self {
            case .flags(let flags): [flags.rawValue]
            case .services(let uuids, let width, _), .solicitedServices(let uuids, let width):
                try Self.octets(of: uuids, width)
            case .localName(let name, _): name.octets
            case .transmitPower(let power): [UInt8(bitPattern: power)]
            case .appearance(let appearance): Self.octets(of: appearance)
            case .serviceData(let uuid, let width, let data):
                try Self.octets(of: [uuid], width) + data
            case .manufacturerData(let company, let data): Self.octets(of: company) + data
            case .other(_, let data): data
            }
        }
    }

    private static func octets(of value: UInt16) -> [UInt8] {
        [UInt8](count: 2) { $0.append(littleEndian: value) }
    }

    private static func octets(
        of uuids: [BluetoothUUID], _ width: AdvertisingData.UUIDWidth
    ) throws(AdvertisingData.EncodingError) -> [UInt8] {
        var octets: [UInt8] = []
        for uuid in uuids {
            let narrow = UInt32(truncatingIfNeeded: uuid.rawValue >> 96)
            let fits =
                switch width {
                case .short: uuid.shortValue != nil
                case .medium: BluetoothUUID(narrow) == uuid
                case .long: true
                }
            guard fits else { throw .uuidTooWide(uuid) }
            let value = width == .long ? uuid.rawValue : UInt128(narrow)
            octets += [UInt8](count: width.rawValue) { output in
                output.append(littleEndian: value, octets: width.rawValue)
            }
        }
        return octets
    }
}

extension AdvertisingData.Structure {
    /// A structure from the air. As much as possible is used: a name that is not UTF-8 is repaired, and of a
    /// list of UUIDs the complete ones are taken. Data that do not fit the type are kept as they are.
    init(type: UInt8, data: [UInt8]) {
        self = Self.known(type: type, data: data) ?? .other(type: type, data)
    }

    private static func known(type: UInt8, data: [UInt8]) -> Self? {
        switch type {
        // There may be more octets than are assigned (Supplement, Part A, 1.3).
        case ADType.flags: data.first.map { .flags(.init(rawValue: $0)) }
        case 0x02: services(data, .short, isComplete: false)
        case 0x03: services(data, .short, isComplete: true)
        case 0x04: services(data, .medium, isComplete: false)
        case 0x05: services(data, .medium, isComplete: true)
        case 0x06: services(data, .long, isComplete: false)
        case 0x07: services(data, .long, isComplete: true)
        case 0x14: uuids(data, .short).map { .solicitedServices($0, .short) }
        case 0x1F: uuids(data, .medium).map { .solicitedServices($0, .medium) }
        case 0x15: uuids(data, .long).map { .solicitedServices($0, .long) }
        case ADType.shortenedName: .localName(text(data), isComplete: false)
        case ADType.completeName: .localName(text(data), isComplete: true)
        case ADType.transmitPower: data.count == 1 ? .transmitPower(Int8(bitPattern: data[0])) : nil
        case ADType.appearance:
            data.count == 2 ? .appearance(UInt16(data[0]) | UInt16(data[1]) << 8) : nil
        case 0x16: serviceData(data, .short)
        case 0x20: serviceData(data, .medium)
        case 0x21: serviceData(data, .long)
        case ADType.manufacturerData:
            data.count >= 2
                ? .manufacturerData(
                    company: UInt16(data[0]) | UInt16(data[1]) << 8, Array(data[2...])) : nil
        default: nil
        }
    }

    /// A name should be UTF-8; some devices shorten it within a character.
    private static func text(_ octets: [UInt8]) -> String {
        String(decoding: octets, as: UTF8.self)
    }

    private static func services(
        _ data: [UInt8], _ width: AdvertisingData.UUIDWidth, isComplete: Bool
    ) -> Self? { uuids(data, width).map { .services($0, width, isComplete: isComplete) } }

    private static func serviceData(_ data: [UInt8], _ width: AdvertisingData.UUIDWidth) -> Self? {
        guard data.count >= width.rawValue,
            let uuid = uuids(Array(data[..<width.rawValue]), width)?.first
        else { return nil }
        return .serviceData(uuid, width, Array(data[width.rawValue...]))
    }

    /// The complete UUIDs; `nil` if there are octets, but too few for one.
    private static func uuids(
        _ data: [UInt8], _ width: AdvertisingData.UUIDWidth
    ) -> [BluetoothUUID]? {
        let count = data.count / width.rawValue
        guard count > 0 || data.isEmpty else { return nil }
        var uuids: [BluetoothUUID] = []
        for start in stride(from: 0, to: count * width.rawValue, by: width.rawValue) {
            let octets = data[start..<start + width.rawValue].reversed()
            let value = octets.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
            uuids.append(
                width == .long
                    ? BluetoothUUID(value) : BluetoothUUID(UInt32(truncatingIfNeeded: value)))
        }
        return uuids
    }
}
