public import Octets

/// A UUID that identifies a service, a characteristic or a descriptor. Core Vol 3, Part B, 2.5.1.
///
/// A 16-bit or 32-bit form stands for a 128-bit UUID on the Bluetooth Base UUID. All forms of a UUID are
/// equal, as the specification requires.
public struct BluetoothUUID: Hashable, Sendable {
    // Two halves, because the compiler computes a constant of those and not one of `UInt128`.
    private let high: UInt64
    private let low: UInt64

    /// The 128-bit value, most significant octet first in the written form.
    public var rawValue: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// A 128-bit UUID.
    public init(_ rawValue: UInt128) {
        high = UInt64(truncatingIfNeeded: rawValue >> 64)
        low = UInt64(truncatingIfNeeded: rawValue)
    }

    /// The UUID of a 16-bit form.
    public init(_ short: UInt16) { self.init(UInt32(short)) }

    /// The UUID of a 32-bit form.
    public init(_ short: UInt32) {
        high = UInt64(short) &<< 32 | Self.baseHigh
        low = Self.baseLow
    }

    // `00000000-0000-1000-8000-00805F9B34FB`
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// The 16-bit form; `nil` if there is none.
    public var shortValue: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh else { return nil }
        return UInt16(truncatingIfNeeded: high &>> 32)
    }
}

extension BluetoothUUID: OctetEncodable {
    /// Decodes a complete value of 2, 4 or 16 octets, least significant first.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        switch value.count {
        case 2: self.init(try rest.takeUInt16())
        case 4: self.init(try rest.takeUInt32())
        case 16: self.init(try rest.takeUInt128())
        default: throw .invalid(available: value.count)
        }
    }

    /// The length in octets: 2 if there is a 16-bit form, otherwise 16. ATT and GATT have no 32-bit form on
    /// the wire.
    public var encodedCount: Int { shortValue == nil ? 16 : 2 }

    /// Appends the shortest form that ATT allows, least significant octet first.
    public func encode(into output: inout OutputSpan<UInt8>) {
        if let shortValue {
            output.append(littleEndian: shortValue)
        } else {
            output.append(littleEndian: rawValue)
        }
    }
}

extension BluetoothUUID {
    /// Parses `180F`, `0000180F` or `7905F431-B5CE-4E99-A40F-4B1E122D00D0`, upper or lower case, the short
    /// forms also with `0x`; `nil` for any other text.
    public init?(text: String) {
        var characters = Array(text.utf8)
        // The usual way to write a short form in C.
        if characters.starts(with: "0x".utf8), [6, 10].contains(characters.count) {
            characters.removeFirst(2)
        }
        var digits = characters
        if characters.count == 36 {
            for index in [8, 13, 18, 23] where characters[index] != UInt8(ascii: "-") { return nil }
            digits.removeAll { $0 == UInt8(ascii: "-") }
        }
        guard let octets = Hexadecimal.octets(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        let value = octets.reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) }
        switch characters.count {
        case 4, 8: self.init(UInt32(truncatingIfNeeded: value))
        case 36 where octets.count == 16: self.init(value)
        default: return nil
        }
    }

    /// Four hexadecimal digits if there is a 16-bit form, otherwise the 36-character form; upper case.
    public var text: String {
        let digits = Array("0123456789ABCDEF".utf8)
        func append(_ value: UInt128, digits count: Int, to characters: inout [UInt8]) {
            for position in (0..<count).reversed() {
                characters.append(
                    digits[Int(truncatingIfNeeded: value >> UInt128(4 * position) & 0xF)])
            }
        }
        var characters = [UInt8]()
        if let shortValue {
            append(UInt128(shortValue), digits: 4, to: &characters)
        } else {
            var shift = 128
            for group in [8, 4, 4, 4, 12] {
                if !characters.isEmpty { characters.append(UInt8(ascii: "-")) }
                shift -= 4 * group
                append(rawValue >> UInt128(shift), digits: group, to: &characters)
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}

extension BluetoothUUID: ExpressibleByStringLiteral {
    /// A UUID from a literal, in one of the forms of ``init(text:)``. As with `CBUUID`, any other text is a
    /// programming error and traps; use ``init(text:)`` for text from elsewhere.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text: text) else {
            preconditionFailure("not a UUID; write 180F, 0000180F or the form of 36 characters")
        }
        self = uuid
    }
}
