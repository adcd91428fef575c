internal import Octets

/// A 48-bit device address and its kind. Core Vol 6, Part B, 1.3.
public struct DeviceAddress: Hashable, Sendable {
    /// Whether an address is public or random, with the value of HCI.
    public enum Kind: UInt8, Equatable, Sendable {
        /// Registered with the IEEE.
        case `public` = 0x00
        /// Static, resolvable private or non-resolvable private.
        case random = 0x01
    }

    /// The address, and the kind above its 48 bits. Addresses are stored in many places, and this way one
    /// takes 8 octets.
    private var bits: UInt64

    /// An address of 48 bits; higher bits of `rawValue` are dropped.
    public init(_ rawValue: UInt64, kind: Kind) {
        bits = rawValue & Self.mask | UInt64(kind.rawValue) << 48
    }

    private static var mask: UInt64 { 0xFFFF_FFFF_FFFF }

    /// Whether the address is public or random.
    public var kind: Kind {
        get { bits >> 48 == 0 ? .public : .random }
        set { self = DeviceAddress(rawValue, kind: newValue) }
    }

    /// The address in the 48 least significant bits; the most significant octet is the first in print.
    public var rawValue: UInt64 {
        get { bits & Self.mask }
        set { self = DeviceAddress(newValue, kind: kind) }
    }

    /// The kind of a random address, from its two most significant bits. Core Vol 6, Part B, 1.3.2.
    public enum RandomKind: Equatable, Sendable {
        /// `11`: does not change, at least until the device restarts.
        case `static`
        /// `01`: changes, but can be resolved with the device's identity resolving key.
        case resolvablePrivate
        /// `00`: changes, and cannot be resolved.
        case nonResolvablePrivate
        /// `10`
        case reserved
    }

    /// The kind of a random address; `nil` for a public one.
    public var randomKind: RandomKind? {
        guard kind == .random else { return nil }
        return switch rawValue >> 46 {
        case 0b11: .static
        case 0b01: .resolvablePrivate
        case 0b00: .nonResolvablePrivate
        default: .reserved
        }
    }

    /// Whether this can be an identity address: public, or static random (Core Vol 3, Part H, 2.4.2.1), and not
    /// one that no device has: all zeros, all ones, or a static random address whose random part is all zeros
    /// or all ones (Core Vol 6, Part B, 1.3.2.1).
    public var canBeIdentity: Bool {
        switch kind {
        case .public: rawValue != 0 && rawValue != 0xFFFF_FFFF_FFFF
        case .random:
            randomKind == .static && rawValue != 0xC000_0000_0000 && rawValue != 0xFFFF_FFFF_FFFF
        }
    }

    /// Parses `F0:F1:F2:F3:F4:F5`, upper or lower case; `nil` for any other text.
    public init?(text: String, kind: Kind) {
        let characters = Array(text.utf8)
        guard characters.count == 17 else { return nil }
        var digits = [UInt8]()
        for (index, character) in characters.enumerated() {
            if index % 3 == 2 {
                guard character == UInt8(ascii: ":") else { return nil }
            } else {
                digits.append(character)
            }
        }
        guard let octets = Hexadecimal.octets(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        self.init(octets.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }, kind: kind)
    }

    /// `F0:F1:F2:F3:F4:F5`, without the kind.
    public var text: String {
        var characters = [UInt8]()
        let digits = Array("0123456789ABCDEF".utf8)
        for position in (0..<6).reversed() {
            let octet = Int(truncatingIfNeeded: rawValue >> UInt64(8 * position) & 0xFF)
            characters.append(digits[octet >> 4])
            characters.append(digits[octet & 0xF])
            if position > 0 { characters.append(UInt8(ascii: ":")) }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
