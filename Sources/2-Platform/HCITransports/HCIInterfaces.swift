internal import LinuxIO
internal import CLinux
internal import Glibc

/// The kernel's operations on the Bluetooth interfaces of this machine.
protocol HCIInterfaces: Sendable {
    /// Opens the HCI User Channel of a controller, or returns the error number.
    func openUserChannel(_ index: UInt16) -> Result<OwnedDescriptor, SystemError>
    /// Reads the state of an interface, or returns the error number.
    func interface(_ index: UInt16) -> Result<HCIInterface, SystemError>
    /// Takes the interface down, or returns the error number.
    func takeDown(_ index: UInt16) -> Result<Void, SystemError>
}

/// A Bluetooth interface, as used by the kernel's own host.
struct HCIInterface: Equatable {
    /// A connected device.
    struct Connection: Equatable {
        /// The address, as `F0:F1:F2:F3:F4:F5`.
        var address: String
        /// The name, untrusted; `nil` if unknown.
        var name: String?
    }

    var isUp: Bool
    var connections: [Connection] = []
}

/// The running kernel.
struct LinuxHCIInterfaces: HCIInterfaces {
    /// `BT_CONNECTED` and `BT_CONFIG`: the link is established; in other states it is starting or ending.
    static let standingStates: Set<UInt16> = [1, 7]
    /// More than a controller has links.
    static let maximumConnections = 64

    func openUserChannel(_ index: UInt16) -> Result<OwnedDescriptor, SystemError> {
        let descriptor = clinux_hci_user_channel_open(index)
        return descriptor >= 0 ? .success(OwnedDescriptor(descriptor)) : .failure(.last)
    }

    func interface(_ index: UInt16) -> Result<HCIInterface, SystemError> {
        var own = [UInt8](repeating: 0, count: 6)
        let state = clinux_hci_interface(index, &own)
        guard state >= 0 else { return .failure(.last) }
        var list = [clinux_hci_connection](
            repeating: clinux_hci_connection(), count: Self.maximumConnections)
        let count = clinux_hci_connections(index, &list, CInt(list.count))
        guard count >= 0 else { return .failure(.last) }
        var interface = HCIInterface(isUp: state == 1)
        for connection in list.prefix(Int(count))
        where Self.standingStates.contains(connection.state) {
            let address = Self.text(of: withUnsafeBytes(of: connection.address) { Array($0) })
            // A headset has a second link for its voice.
            guard !interface.connections.contains(where: { $0.address == address }) else {
                continue
            }
            let name = BlueZStorage.name(of: address, at: Self.text(of: own))
            interface.connections.append(.init(address: address, name: name))
        }
        return .success(interface)
    }

    func takeDown(_ index: UInt16) -> Result<Void, SystemError> {
        clinux_hci_take_down(index) == 0 ? .success(()) : .failure(.last)
    }

    static func text(of address: [UInt8]) -> String {
        address.reversed().map { octet in
            let digits = String(octet, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}

/// Reads what bluetoothd stores about its devices, if this process is allowed to.
enum BlueZStorage {
    /// The name of a device: `Name` in its `info` file, according to BlueZ's doc/settings-storage.txt.
    static func name(of device: String, at adapter: String) -> String? {
        text(of: "/var/lib/bluetooth/\(adapter)/\(device)/info").flatMap(name(inInfo:))
    }

    static func name(inInfo text: String) -> String? {
        let lines = text.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("Name=") }) else { return nil }
        let name = line.dropFirst("Name=".count)
        return name.isEmpty ? nil : String(name)
    }

    /// The start of the file, which has the name.
    private static func text(of path: String) -> String? {
        let octets = try? SystemFile.octets(of: path, limit: 4_096, flags: O_NOFOLLOW | O_NONBLOCK)
        return octets.map { String(decoding: $0, as: UTF8.self) }
    }
}
