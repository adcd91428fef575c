package import BluetoothTypes
internal import DBus
internal import OpenSSLSecurity

/// Identifies phones and other peers when bluetoothd stores their bonds, in logs and before they have an identifier:
/// digests with a secret key of this machine.
/// The key is derived from the machine ID with a key of the program, as machine-id(5) requires, so that the
/// ID cannot be computed from it. A machine without an ID has another key in each run.
///
/// The key is made with the first digest: a program that reads none does not load OpenSSL, which takes longer than all
/// that it does at its start.
package final class PhoneDigests: Sendable {
    /// What a number is derived for, so that no other program of the machine makes the same of it.
    private static let purpose: UInt128 = 0x4B1D_93F2_C0A7_5E68 << 64

    private let machineIDPath: String
    private let key = Lock<UInt128?>(nil)

    /// Digests with the key of this machine.
    package init(machineIDPath: String = "/etc/machine-id") { self.machineIDPath = machineIDPath }

    private static func key(ofMachineAt path: String) -> UInt128 {
        var toolbox = OpenSSLToolbox()
        guard let id = machineID(at: path) else { return toolbox.random128() }
        return toolbox.aesCMAC(key: id, message: Array("swift-ancs: digests of phones".utf8))
    }

    /// The ID: 32 hexadecimal digits; `nil` for another text, which means that the machine has none yet.
    /// machine-id(5).
    private static func machineID(at path: String) -> UInt128? {
        guard let line = SystemFile.line(of: path), line.utf8.count == 32 else { return nil }
        return UInt128(line, radix: 16)
    }

    /// What a new device is called, before it has an identifier that is stored: the same in all programs of the machine.
    package func identifier(of address: DeviceAddress, attempt: UInt8) -> UInt128 {
        // Without OpenSSL, which a program that only meets devices need not load.
        let number = Self.purpose | UInt128(attempt) << 56 | UInt128(address.kind.rawValue) << 48
        return MachineID.derived(from: number | UInt128(address.rawValue))
            ?? authenticationCode(
                of: "identifier \(attempt) \(address.kind.rawValue) \(address.text)")
    }

    /// The digest of an address, 16 hexadecimal digits.
    package func digest(of address: String) -> String {
        Hexadecimal.text(authenticationCode(of: address) >> 64, octets: 8)
    }

    // Not inlined: a store is made of digests in several places.
    @inline(never) private func authenticationCode(of message: String) -> UInt128 {
        let key = key.withLock { key in
            let known = key ?? Self.key(ofMachineAt: machineIDPath)
            key = known
            return known
        }
        return OpenSSLToolbox().aesCMAC(key: key, message: Array(message.utf8))
    }
}
