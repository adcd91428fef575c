public import Octets

/// A UUID that identifies a service, a characteristic or a descriptor. Core Vol 3, Part B, 2.5.1.
///
/// The 16-bit and 32-bit forms stand for 128-bit UUIDs on the Bluetooth Base UUID, so two forms of the
/// same UUID are equal here, as the specification wants them compared.
public struct BluetoothUUID: Hashable, Sendable {
    /// The 128-bit value, most significant octet first in the written form.
    public var rawValue: UInt128

    /// A 128-bit UUID.
    public init(_ rawValue: UInt128) {
        self.rawValue = rawValue
    }

    /// The UUID that a 16-bit form stands for.
    public init(_ short: UInt16) {
        self.init(UInt32(short))
    }

    /// The UUID that a 32-bit form stands for.
    public init(_ short: UInt32) {
        rawValue = Self.base | UInt128(short) << 96
    }

    /// `00000000-0000-1000-8000-00805F9B34FB`
    private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    /// The 16-bit form, where there is one.
    public var shortValue: UInt16? {
        guard rawValue << 32 == Self.base << 32 else { return nil }
        return UInt16(exactly: rawValue >> 96)
    }
}

extension BluetoothUUID: OctetEncodable {
    /// Decodes a whole value of 2, 4 or 16 octets, least significant first.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        switch value.count {
        case 2: self.init(try rest.takeUInt16())
        case 4: self.init(try rest.takeUInt32())
        case 16: self.init(try rest.takeUInt128())
        default: throw .invalid(available: value.count)
        }
    }

    /// 2 where a 16-bit form exists, else 16: ATT and GATT know no 32-bit form on the wire.
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
    /// Reads `180F`, `0000180F` or `7905F431-B5CE-4E99-A40F-4B1E122D00D0`, in either case.
    public init?(text: String) {
        var characters = Array(text.utf8)
        // As C and most of its users write a short one.
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

    /// Four hexadecimal digits where there is a 16-bit form, else the 36-character form; upper case.
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
    /// A UUID that is written in a program, in one of the forms of ``init(text:)``. As with `CBUUID`, another
    /// text is an error of the program and ends it; text from elsewhere goes through ``init(text:)``.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text: text) else { preconditionFailure("this is no UUID") }
        self = uuid
    }
}
