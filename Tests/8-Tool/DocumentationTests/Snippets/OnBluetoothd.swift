// swift-format-ignore-file
import ANCSKit

// The code of Documentation/OnBluetoothd.md.
enum OnBluetoothdSnippets {
    static func adapter(state: String) throws -> BluetoothAdapter {
        let adapter = try BluetoothAdapter(name: "Desk", at: .bluez(state: state))
        return adapter
    }
}
