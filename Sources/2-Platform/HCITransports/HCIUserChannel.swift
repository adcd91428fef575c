internal import LinuxIO
internal import Glibc

/// Errors for the HCI User Channel, which bypasses the kernel's own host: why a controller cannot be opened,
/// and what to do.
enum HCIUserChannel {
    /// Devices would lose their connections.
    static func connected(index: UInt16, to connections: [HCIInterface.Connection]) -> IOError {
        let devices = connections.map { connection in
            connection.name.map { "\($0) (\(connection.address))" } ?? connection.address
        }.joined(separator: ", ")
        return IOError(
            .busy, errno: EBUSY,
            "hci\(index) is in use: connected to \(devices); disconnect them "
                + "(\"bluetoothctl disconnect ADDRESS\"), or use another controller")
    }

    /// The kernel refuses to take down an interface while a program has its User Channel.
    static func held(index: UInt16, errno: CInt = EBUSY) -> IOError {
        IOError(
            .busy, errno: errno,
            "hci\(index) is in use by another program with an HCI User Channel, perhaps another ancs; "
                + "stop that program first")
    }

    /// The interface was neither up nor free for a long time, or came up again each time.
    static func restless(index: UInt16) -> IOError {
        IOError(
            .busy, errno: EBUSY,
            "hci\(index) is in use by the system, which keeps starting it; try again, or power it off with "
                + "\"sudo btmgmt -i hci\(index) power off\"")
    }

    /// A system call failed.
    static func failure(index: UInt16, errno: CInt) -> IOError {
        let controller = "hci\(index)"
        switch errno {
        case EBUSY: return restless(index: index)
        case EUSERS: return held(index: index, errno: errno)
        case EPERM, EACCES:
            return IOError(
                .permissionDenied, errno: errno,
                "no permission to use \(controller): the capability CAP_NET_ADMIN is needed; run "
                    + "as root or give it to the program with \"sudo setcap cap_net_admin+ep FILE\""
            )
        case ENODEV:
            return IOError(
                .notFound, errno: errno,
                "there is no controller \(controller); \"hciconfig\" or \"btmgmt info\" lists "
                    + "those that exist")
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            return IOError(
                .notFound, errno: errno,
                "this kernel has no Bluetooth; \"sudo modprobe bluetooth\" may load it")
        case ERFKILL:
            return IOError(
                .permissionDenied, errno: errno,
                "\(controller) is turned off; \"sudo rfkill unblock bluetooth\" turns it on")
        default: return IOError("cannot open \(controller)", errno: errno)
        }
    }
}
