internal import ANCSCapture
internal import BluetoothLE
internal import OpenSSLSecurity

/// What stands for addresses, keys, UUIDs and app identifiers: by the order in which they appear, never by what they
/// were, so that nothing of them can be computed from what stands for them.
struct Pseudonyms {
    /// How many of each are told apart; further ones are zeros.
    private static let limit = 65_536
    /// The longest app identifier that is told apart, in octets.
    private static let longestApp = 255

    /// How many addresses without a key are remembered, the latest ones, so that a key that is seen later resolves what
    /// stands for them.
    private static let rememberedLimit = 1024

    private let generator: SeededGenerator
    private let toolbox = OpenSSLToolbox()
    /// The identity resolving keys so far, and what stands for each.
    private var (keys, keyStands): ([UInt128], [UInt128]) = ([], [])
    private var addresses: [DeviceAddress: DeviceAddress] = [:]
    /// Resolvable addresses without a key, and the numbers of the keys that resolve what stands for them.
    private var unresolved: [(address: DeviceAddress, key: UInt64)] = []
    private var uuids: [BluetoothUUID: Int] = [:]
    private var apps: [[UInt8]: Int] = [:]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    // MARK: Keys and addresses

    /// An identity resolving key of the capture. If it resolves addresses that were seen already, its stand-in resolves
    /// what stands for the first of them.
    mutating func learn(_ key: UInt128) {
        guard !keys.contains(key) else { return }
        let earlier = unresolved.first {
            PrivateAddress.resolve($0.address, with: [key], using: toolbox) != nil
        }
        keyStands.append(made(keyNumber: earlier?.key ?? UInt64(keys.count)))
        keys.append(key)
    }

    /// The key that stands for an identity resolving key; zero for one that is not of the capture.
    func resolvingKey(for key: UInt128) -> UInt128 {
        keys.firstIndex(of: key).map { keyStands[$0] } ?? 0
    }

    private func made(keyNumber: UInt64) -> UInt128 {
        var numbers = generator.branch(1).branch(keyNumber)
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

    private mutating func made(
        like address: DeviceAddress, _ bits: UInt64, number: UInt64
    ) -> DeviceAddress {
        // 00:00:5E:00:53 is for documentation: RFC 7042, 2.1.2. A set bit keeps a random part from being all zeros.
        guard address.kind == .random else {
            return DeviceAddress(0x0000_5E00_5300 + number + 1, kind: .public)
        }
        let random = (bits & 0x3FFF_FFFF_FFFF) | 1
        switch address.rawValue >> 46 {
        case 0b01:
            let prand = UInt32(0b01 << 22) | UInt32(truncatingIfNeeded: random) & 0x3F_FFFF
            let known = PrivateAddress.resolve(address, with: keys, using: toolbox)
            let hash = toolbox.ah(
                irk: known.map { keyStands[$0] } ?? forgottenKey(of: address, number), prand: prand)
            return DeviceAddress(UInt64(prand) << 24 | UInt64(hash), kind: .random)
        case let kind: return DeviceAddress(kind << 46 | random, kind: .random)
        }
    }

    /// A key for an address whose own was not seen so far.
    private mutating func forgottenKey(of address: DeviceAddress, _ number: UInt64) -> UInt128 {
        // Above the numbers of keys that were seen first.
        let key = 1 << 32 + number
        if unresolved.count == Self.rememberedLimit { unresolved.removeFirst() }
        unresolved.append((address, key))
        return made(keyNumber: key)
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
        if octets.count <= Self.longestApp { apps[octets] = number }
        var made = octets
        for index in octets.indices.reversed() where octets[index] != UInt8(ascii: ".") {
            made[index] = UInt8(ascii: "a") + UInt8(number % 26)
            number /= 26
        }
        return made
    }
}
