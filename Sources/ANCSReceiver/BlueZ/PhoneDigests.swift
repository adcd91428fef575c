package import BluetoothTypes
internal import LinuxIO
internal import Octets
internal import OpenSSLSecurity

/// Identifies phones and other peers in logs when bluetoothd stores their bonds: digests with a secret key of this machine.
/// The key is derived from the machine ID with a key of the program, as machine-id(5) requires, so that the
/// ID cannot be computed from it. A machine without an ID has another key in each run.
package struct PhoneDigests: Sendable {
    private let toolbox: OpenSSLToolbox
    private let key: UInt128

    /// Digests with the key of this machine.
    package init(machineIDPath: String = "/etc/machine-id") {
        var toolbox = OpenSSLToolbox()
        if let id = Self.machineID(at: machineIDPath) {
            key = toolbox.aesCMAC(
                key: id, message: Array("swift-ancs: digests of phones".utf8))
        } else {
            key = toolbox.random128()
        }
        self.toolbox = toolbox
    }

    /// The ID: 32 hexadecimal digits; `nil` for another text, which means that the machine has none yet.
    /// machine-id(5).
    private static func machineID(at path: String) -> UInt128? {
        guard let line = SystemFile.line(of: path), line.utf8.count == 32 else { return nil }
        return UInt128(line, radix: 16)
    }

    /// What a new device is called, before it has an identifier that is stored: the same in all programs of the machine.
    package func identifier(of address: DeviceAddress, attempt: UInt8) -> UInt128 {
        let message = "identifier \(attempt) \(address.kind.rawValue) \(address.text)"
        return toolbox.aesCMAC(key: key, message: Array(message.utf8))
    }

    /// The digest of an address, 16 hexadecimal digits.
    package func digest(of address: String) -> String {
        Hexadecimal.text(
            toolbox.aesCMAC(key: key, message: Array(address.utf8)) >> 64, octets: 8)
    }
}
