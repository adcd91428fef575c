internal import AMS
internal import ANCSCapture
internal import BluetoothLE
internal import OpenSSLSecurity
internal import Octets

/// What stands for addresses, keys, UUIDs and app identifiers: by the order in which they appear, never by what they
/// were, so that nothing of them can be computed from what stands for them.
struct Pseudonyms {
    /// How many of each are told apart; further ones are zeros.
    private static let limit = 65_536

    private let generator: SeededGenerator
    private let toolbox = OpenSSLToolbox()
    /// The identity resolving keys of the capture, in order, in which addresses are resolved.
    private let resolvingKeys: [UInt128]
    private var addresses: [DeviceAddress: DeviceAddress] = [:]
    private var uuids: [BluetoothUUID: Int] = [:]
    private var apps: [[UInt8]: Int] = [:]

    init(seed: UInt64, resolvingKeys: [UInt128]) {
        generator = SeededGenerator(seed: seed)
        self.resolvingKeys = resolvingKeys
    }

    /// The key that stands for an identity resolving key; zero for one that is not of the capture.
    func resolvingKey(for key: UInt128) -> UInt128 {
        resolvingKeys.firstIndex(of: key).map(resolvingKey) ?? 0
    }

    private func resolvingKey(_ index: Int) -> UInt128 {
        var numbers = generator.branch(1).branch(UInt64(index))
        return UInt128(numbers.next()) << 64 | UInt128(numbers.next())
    }

    /// The address that stands for another, of the same kind. What one of the capture's keys resolves is resolved by the
    /// key that stands for it.
    mutating func address(for address: DeviceAddress) -> DeviceAddress {
        guard address.rawValue != 0 else { return address }
        if let known = addresses[address] { return known }
        guard addresses.count < Self.limit else { return DeviceAddress(0, kind: address.kind) }
        var numbers = generator.branch(2).branch(UInt64(addresses.count))
        let made = made(like: address, numbers.next(), number: UInt64(addresses.count))
        addresses[address] = made
        return made
    }

    private func made(like address: DeviceAddress, _ bits: UInt64, number: UInt64) -> DeviceAddress
    {
        // 00:00:5E:00:53 is for documentation: RFC 7042, 2.1.2. A set bit keeps a random part from being all zeros.
        guard address.kind == .random else {
            return DeviceAddress(0x0000_5E00_5300 + number + 1, kind: .public)
        }
        let random = (bits & 0x3FFF_FFFF_FFFF) | 1
        switch address.rawValue >> 46 {
        case 0b01:
            let prand = UInt32(0b01 << 22) | UInt32(truncatingIfNeeded: random) & 0x3F_FFFF
            let key = PrivateAddress.resolve(address, with: resolvingKeys, using: toolbox)
            let hash = key.map { toolbox.ah(irk: resolvingKey($0), prand: prand) }
            let rest = hash ?? UInt32(truncatingIfNeeded: bits >> 40)
            return DeviceAddress(UInt64(prand) << 24 | UInt64(rest), kind: .random)
        case let kind: return DeviceAddress(kind << 46 | random, kind: .random)
        }
    }

    // MARK: UUIDs

    /// Services of Apple's that are no one's secret: ANCS, AMS, and those of its devices.
    private static let apples: Set<UInt128> = [
        ANCSUUID.service, ANCSUUID.notificationSource, ANCSUUID.controlPoint, ANCSUUID.dataSource,
        AMSUUID.service, AMSUUID.remoteCommand, AMSUUID.entityUpdate, AMSUUID.entityAttribute,
        0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366, 0x9FA4_80E0_4967_4542_9390_D343_DC5D_04AE,
    ]

    /// The octets of the UUID that stands for one of 2, 4 or 16 octets, with the least significant octet first. Those
    /// that the Bluetooth SIG assigns, and Apple's, are kept.
    mutating func uuid(for octets: [UInt8]) -> [UInt8] {
        guard let uuid = try? BluetoothUUID(decoding: octets.span) else {
            return [UInt8](repeating: 0, count: octets.count)
        }
        if Self.apples.contains(uuid.rawValue) || uuid.shortValue.map(Self.isAssigned) ?? false {
            return octets
        }
        let number = uuids[uuid] ?? (uuids.count < Self.limit ? uuids.count : 0)
        uuids[uuid] = number
        let low = UInt16(truncatingIfNeeded: number)
        switch octets.count {
        case 2, 4:
            let value = 0xE000 | low & 0xFFF
            return [UInt8(value & 0xFF), UInt8(value >> 8)]
                + [UInt8](repeating: 0, count: octets.count - 2)
        default:
            // In ASCII, most significant octet first: "redacted UUID", and the number.
            let name = Array("redacted UUID\0".utf8)
            return [UInt8(low & 0xFF), UInt8(low >> 8)] + name.reversed()
        }
    }

    /// Whether the SIG assigned a 16-bit UUID: to itself, or to a member.
    private static func isAssigned(_ value: UInt16) -> Bool {
        (0x0001...0x2FFF).contains(value) || (0xFC00...0xFEFF).contains(value)
    }

    // MARK: Apps

    /// The app identifier of the same length that stands for another; Apple's are kept. Dots stay where they are.
    mutating func app(for octets: [UInt8]) -> [UInt8] {
        if octets.starts(with: Array("com.apple.".utf8)) { return octets }
        var number = apps[octets] ?? (apps.count < Self.limit ? apps.count : 0)
        apps[octets] = number
        var made = octets
        for index in octets.indices.reversed() where octets[index] != UInt8(ascii: ".") {
            made[index] = UInt8(ascii: "a") + UInt8(number % 26)
            number /= 26
        }
        return made
    }
}
