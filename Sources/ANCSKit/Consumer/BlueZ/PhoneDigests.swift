internal import BluetoothLE
internal import LinuxIO

/// What stands for a phone in logs, where its bond is bluetoothd's: a digest under a key that this machine has
/// and says to nobody. It is made of the machine's ID, as machine-id(5) wants it: under a key of the program's,
/// so that the ID itself does not show. A machine without one has another key in each run.
struct PhoneDigests: Sendable {
    private let toolbox: OpenSSLToolbox
    private let key: UInt128

    init(machineIDPath: String = "/etc/machine-id") {
        var toolbox = OpenSSLToolbox()
        let random = toolbox.random128()
        self.toolbox = toolbox
        key =
            Self.machineID(at: machineIDPath).map {
                toolbox.aesCMAC(key: $0, message: Array("swift-ancs: digests of phones".utf8))
            } ?? random
    }

    /// 32 hexadecimal digits, or another text where the machine has none yet. machine-id(5).
    private static func machineID(at path: String) -> UInt128? {
        guard let line = SystemFile.line(of: path), line.utf8.count == 32 else { return nil }
        return UInt128(line, radix: 16)
    }

    /// 16 hexadecimal digits.
    func digest(of address: String) -> String {
        DeviceState.hexadecimal(
            toolbox.aesCMAC(key: key, message: Array(address.utf8)) >> 64, octets: 8)
    }
}
