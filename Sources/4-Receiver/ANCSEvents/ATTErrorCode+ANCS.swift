internal import ANCS
package import BluetoothTypes

extension ATTErrorCode {
    /// The name of the code, including the names that ANCS gives to application codes (R57 to R60).
    package var name: String {
        ControlPointError(rawValue: rawValue).specificationName ?? description
    }

    /// The name, and the code in hexadecimal: `Read Not Permitted (0x02)`.
    package var nameWithCode: String { "\(name) (0x\(Hexadecimal.text([rawValue]).uppercased()))" }
}
