/// Describes why an accessory was refused access to an attribute.
package struct AccessRefusal: Hashable, Sendable {
    package let handle: UInt16
    /// The ATT error code.
    package let code: UInt8

    /// Core Vol 3, Part F, 3.4.1.1.
    package static let notWritable: UInt8 = 0x03

    package init(_ handle: UInt16, _ code: UInt8) {
        self.handle = handle
        self.code = code
    }

    /// Whether pairing can help. Core Vol 3, Part C, 10.3.1.
    package var asksForProtection: Bool { code == 0x05 || code == 0x0C || code == 0x0F }

    /// The handle, the code and its meaning: `0x0026 (ATT error 0x0D: wrong length)`.
    package var text: String {
        let reason = reason.map { ": \($0)" } ?? ""
        return "0x\(Self.hex(handle, 4)) (ATT error 0x\(Self.hex(code, 2))\(reason))"
    }

    /// Core Vol 3, Part F, 3.4.1.1.
    private var reason: String? {
        switch code {
        case 0x01: "there is no such attribute"
        case Self.notWritable: "it is not writable"
        case 0x05, 0x0C, 0x0F: "not secure enough"
        case 0x07: "the offset is past the end"
        case 0x09: "too many prepared writes"
        case 0x0D: "the value has the wrong length"
        case 0x13: "the value is not allowed; 0x0001 subscribes, 0x0000 unsubscribes"
        default: nil
        }
    }

    private static func hex(_ value: some BinaryInteger, _ digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
