internal import BluetoothTypes
package import JSONText

extension AttributeHandle {
    package var json: JSONValue { .integer(Int(rawValue)) }

    /// `0x0012`
    package var text: String { rawValue.hexadecimal }
}

extension UInt16 {
    /// Four digits, as in `0x0012`.
    package var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
