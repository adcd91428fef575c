internal import ANCSKit
public import Foundation

/// A UUID of a service, characteristic or descriptor, in 16, 32 or 128 bits.
///
/// Two are equal if they are the same 128 bits, however they were written. One that has a shorter form is shown in it.
public final class CBUUID: NSObject, NSCopying, Sendable {
    let value: BluetoothUUID

    init(_ value: BluetoothUUID) { self.value = value }

    /// A UUID of zeros, because every class of a Mac has this initializer.
    public override convenience init() { self.init(BluetoothUUID(UInt128(0))) }

    /// A UUID of 4, 8 or 36 characters, such as `180D`; also with `0x` before 4 or 8 digits. Anything else is an error
    /// of the program and ends it, as on a Mac, where it is an exception.
    public init(string theString: String) {
        let isShort = theString.utf8.count <= 10 && theString.hasPrefix("0x")
        let digits = isShort ? String(theString.dropFirst(2)) : theString
        let short = digits.allSatisfy(\.isHexDigit) ? UInt32(digits, radix: 16) : nil
        let uuid: BluetoothUUID? =
            switch digits.utf8.count {
            case 4, 8: short.map(BluetoothUUID.init)
            case 36: BluetoothUUID(text: digits)
            default: nil
            }
        guard let uuid else { preconditionFailure("CBUUID(string:): '\(theString)' is no UUID") }
        value = uuid
    }

    /// A UUID of 2, 4 or 16 octets, the most significant first. Any other number of them ends the program.
    public init(data theData: Data) {
        precondition(
            [2, 4, 16].contains(theData.count),
            "CBUUID(data:): \(theData.count) octets are no UUID: 2, 4 or 16 are expected")
        let number = theData.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        value = theData.count == 16 ? BluetoothUUID(number) : BluetoothUUID(UInt32(number))
    }

    /// The same as a UUID of Foundation.
    public init(nsuuid theUUID: UUID) { value = BluetoothUUID(UInt128(theUUID)) }

    /// The octets of the shortest form, the most significant first.
    public var data: Data {
        let octets = withUnsafeBytes(of: value.rawValue.bigEndian) { Data($0) }
        return switch uuidString.utf8.count {
        case 4: octets.subdata(in: 2..<4)
        case 8: octets.subdata(in: 0..<4)
        default: octets
        }
    }

    /// The shortest form: 4, 8 or 36 characters, in upper case.
    public var uuidString: String {
        let text = value.text
        guard text.utf8.count == 36, text.hasSuffix(Self.base) else { return text }
        return String(text.prefix(8))
    }

    /// What the 128 bits of the shorter forms end with.
    private static let base = "-0000-1000-8000-00805F9B34FB"

    /// Whether the other object is the same UUID.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }

    /// The hash of the 128 bits.
    public override var hash: Int { value.hashValue }

    /// The same as ``uuidString``; on a Mac, the name of an assigned number.
    public override var description: String { uuidString }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
