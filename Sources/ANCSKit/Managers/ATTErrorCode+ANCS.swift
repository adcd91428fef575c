internal import ANCS
package import BluetoothLE
internal import Octets

extension ATTErrorCode {
    /// The name of the code, with those that ANCS gives to codes of the application (R57 to R60).
    package var name: String {
        ControlPointError(rawValue: rawValue).specificationName ?? description
    }

    /// The name with the code in hexadecimal: `Read Not Permitted (0x02)`.
    package var nameWithCode: String {
        "\(name) (0x\(Hexadecimal.text([rawValue]).uppercased()))"
    }
}
