internal import CLinux
internal import Glibc

/// An error number of the system.
package struct SystemError: Error, Equatable, Sendable {
    package let errno: CInt

    package init(errno: CInt) { self.errno = errno }

    /// That of the last system call of this thread.
    package static var last: Self { Self(errno: Glibc.errno) }

    /// Whether a file does not exist.
    package var isAbsence: Bool { errno == ENOENT || errno == ENOTDIR }

    /// The C library's text.
    package var message: String { IOError.text(of: errno) }
}

/// Files that are read from the start, such as those in which the system publishes its state.
package enum SystemFile {
    /// The longest line that is read.
    private static let limit = 4_096

    /// The start of a file, at most `limit` octets. By default it does not wait for the writer of a FIFO.
    package static func octets(
        of path: String, limit: Int = 65_536, flags: CInt = O_NONBLOCK
    ) throws(SystemError) -> [UInt8] {
        let number = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | flags) }
        guard number >= 0 else { throw .last }
        let file = OwnedDescriptor(number)
        defer { file.close() }
        return try octets(from: file.number, limit: limit)
    }

    /// The next octets of an open file, at most `limit`.
    package static func octets(from file: CInt, limit: Int) throws(SystemError) -> [UInt8] {
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, 65_536))
        while octets.count < limit {
            let count = uninterrupted { read(file, &part, min(part.count, limit - octets.count)) }
            guard count >= 0 else { throw .last }
            if count == 0 { break }
            octets += part.prefix(count)
        }
        return octets
    }

    /// The first line of a file, without its end; `nil` if it cannot be read.
    package static func line(of path: String) -> String? {
        guard let octets = try? octets(of: path, limit: limit) else { return nil }
        return String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Where a symbolic link leads; `nil` if it is none, or cannot be read.
    package static func target(of link: String) -> String? {
        let (result, text) = CText.written(capacity: Int(PATH_MAX)) { text, capacity in
            readlink(link, text, capacity - 1)
        }
        return result < 0 ? nil : text
    }

    /// Whether two paths lead to the same file, which need not exist. A device is no file: several may write to it.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        guard let own = identity(of: path), let others = identity(of: other) else { return false }
        return own == others
    }

    /// What a path leads to, or would be created in.
    private static func identity(of path: String) -> [String]? {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFCHR else { return nil }
            return ["\(status.st_dev)", "\(status.st_ino)"]
        }
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard stat("\(path[..<start])./", &status) == 0 else { return nil }
        return ["\(status.st_dev)", "\(status.st_ino)", String(path[start...])]
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
        return names.filter { $0 != "." && $0 != ".." }.sorted(byText: { $0 })
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

/// A switch of a machine that blocks radios: rfkill(8).
package struct RadioSwitch: Equatable, Sendable {
    /// `hci0`, or another name for a switch of all Bluetooth.
    package var name: String
    /// Whether software has set it.
    package var isSoft: Bool
    /// Whether a key or the firmware has set it.
    package var isHard: Bool

    package init(name: String, isSoft: Bool = false, isHard: Bool = false) {
        (self.name, self.isSoft, self.isHard) = (name, isSoft, isHard)
    }

    /// Whether it blocks a Bluetooth interface such as `hci0`. A machine may have one switch for the interface,
    /// and another for all Bluetooth.
    package func blocks(_ interface: String) -> Bool {
        (isSoft || isHard) && (!name.hasPrefix("hci") || name == interface)
    }

    /// The switches for Bluetooth.
    package static func all(in directory: String = "/sys/class/rfkill") -> [Self] {
        SystemFile.names(in: directory).compactMap { name in
            let path = "\(directory)/\(name)"
            guard SystemFile.line(of: path + "/type") == "bluetooth" else { return nil }
            return Self(
                name: SystemFile.line(of: path + "/name") ?? name,
                isSoft: SystemFile.line(of: path + "/soft") == "1",
                isHard: SystemFile.line(of: path + "/hard") == "1")
        }
    }
}
