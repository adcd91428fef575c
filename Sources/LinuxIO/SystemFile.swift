internal import CLinux
internal import Glibc

/// Small files in which the system publishes its state.
package enum SystemFile {
    /// The longest line that is read.
    private static let limit = 4_096

    /// The first line of a file, without its end; `nil` if it cannot be read.
    package static func line(of path: String) -> String? {
        let number = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(number)
        defer { file.close() }
        var octets = [UInt8](repeating: 0, count: limit)
        let count = uninterrupted { read(file.number, &octets, octets.count) }
        guard count >= 0 else { return nil }
        return String(
            decoding: octets.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The names in a directory, sorted; empty if it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { octets in
                    String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }
}

/// What a Bluetooth controller says of itself: Core Vol 4, Part E, 7.4.1.
package struct ControllerVersion: Equatable, Sendable {
    /// `HCI_Version`: Assigned Numbers, 2.1.
    package var hci: UInt8
    /// The company that made it: Assigned Numbers, 7.1.
    package var company: UInt16

    package init(hci: UInt8, company: UInt16) {
        self.hci = hci
        self.company = company
    }

    /// The version of `hci<index>` according to the kernel; `nil` if it does not say. It needs no privileges,
    /// and sends nothing to the controller.
    package static func ofInterface(_ index: UInt16) -> ControllerVersion? {
        var version = clinux_hci_version()
        guard clinux_hci_read_version(index, &version) == 0 else { return nil }
        return ControllerVersion(hci: version.version, company: version.company)
    }
}

/// The switches of a machine that block its radios: rfkill(8).
package enum RadioSwitch {
    /// Whether one of them blocks a Bluetooth interface such as `hci0`. A machine may have one for the
    /// interface, and another for all Bluetooth.
    package static func isBlocked(
        interface: String, switches: String = "/sys/class/rfkill"
    ) -> Bool {
        SystemFile.names(in: switches).contains { name in
            let path = "\(switches)/\(name)"
            guard SystemFile.line(of: path + "/type") == "bluetooth" else { return false }
            let radio = SystemFile.line(of: path + "/name") ?? ""
            guard !radio.hasPrefix("hci") || radio == interface else { return false }
            return SystemFile.line(of: path + "/soft") == "1"
                || SystemFile.line(of: path + "/hard") == "1"
        }
    }
}
