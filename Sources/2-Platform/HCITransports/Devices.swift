internal import LinuxIO
internal import CLinux
internal import Glibc

/// Serial ports.
enum SerialPort {
    /// Opens a port exclusively, raw, and discards old input and output.
    static func open(
        path: String, speed: UInt32, hardwareFlowControl: Bool
    ) throws(IOError) -> OwnedDescriptor {
        let port = try openDevice(path, flags: O_NOCTTY)
        guard isatty(port.number) == 1 else {
            throw IOError(.notFound, errno: ENOTTY, "\(path) is not a serial port")
        }
        // Advisory, like in other programs that use serial ports.
        guard flock(port.number, LOCK_EX | LOCK_NB) == 0 else {
            throw IOError(.busy, errno: errno, "\(path) is in use by another program")
        }
        let result = clinux_terminal_make_raw(port.number, speed, hardwareFlowControl ? 1 : 0)
        guard result == 0 else {
            throw IOError("cannot set \(path) to \(speed) bit/s", errno: errno)
        }
        tcflush(port.number, TCIOFLUSH)
        return port
    }
}

/// A pseudo-terminal: what is written to one side is read from the other, which looks like a serial port to
/// the program that opens it.
final class PseudoTerminal: Sendable {
    let controllingSide: OwnedDescriptor
    /// The path of the serial side.
    let path: String
    /// Kept open, so that the controlling side does not hang up when a peer closes the serial side, and a
    /// peer may return.
    private let serialSide: OwnedDescriptor
    private let link: String?

    /// Opens a pair, and creates a symbolic link to its serial side.
    init(link: String?) throws(IOError) {
        var (controlling, serial): (CInt, CInt) = (-1, -1)
        let name = CText.written(capacity: 64) {
            clinux_pseudo_terminal_open(&controlling, &serial, $0, $1)
        }
        guard name.result == 0 else { throw IOError("cannot open a pseudo-terminal", errno: errno) }
        controllingSide = OwnedDescriptor(controlling)
        serialSide = OwnedDescriptor(serial)
        path = name.text
        self.link = link
        if let link { try Self.create(link, to: path) }
    }

    /// Removes the link, if it is still ours, and closes the serial side.
    func close() {
        if let link, SystemFile.target(of: link) == path { unlink(link) }
        serialSide.close()
    }

    /// Replaces a link of an earlier run, but nothing else of that name.
    private static func create(_ link: String, to path: String) throws(IOError) {
        if SystemFile.target(of: link) != nil { unlink(link) }
        guard symlink(path, link) == 0 else {
            throw IOError("cannot create the link \(link)", errno: errno)
        }
    }
}

/// Character devices on which packets are read and written, such as `/dev/vhci`.
enum DeviceFile {
    static func open(path: String) throws(IOError) -> OwnedDescriptor {
        let device = try openDevice(path, flags: O_NOCTTY)
        var status = stat()
        let isRegular = fstat(device.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard !isRegular else {
            throw IOError(.notFound, "\(path) is a regular file, not a device")
        }
        return device
    }
}

private func openDevice(_ path: String, flags: CInt) throws(IOError) -> OwnedDescriptor {
    let descriptor = uninterrupted { open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | flags) }
    guard descriptor >= 0 else { throw IOError("cannot open \(path)", errno: errno) }
    return OwnedDescriptor(descriptor)
}
