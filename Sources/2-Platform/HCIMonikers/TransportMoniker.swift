public import LinuxIO

/// The place of a controller, in the notation that Bluetooth developers already know.
///
/// `tcp-client:HOST:PORT`, `tcp-server:HOST:PORT`, `unix:PATH`, `unix-server:PATH`,
/// `serial:PATH[,SPEED][,rtscts]`, `pty[:LINK]`, `hci-socket:INDEX`, `file:PATH`.
/// All carry H4 packets (Core Vol 4, Part A).
public enum TransportMoniker: Equatable, Sendable {
    /// Connects to a TCP port; without a host, on the loopback of this machine.
    case tcpClient(host: String?, port: UInt16)
    /// Waits for one connection to a TCP port: without a host, on the loopback, for this machine only; with
    /// ``everyInterface``, for other machines too. With port 0, the kernel chooses one.
    case tcpServer(host: String?, port: UInt16)
    /// Connects to a Unix socket; a path that starts with `@` is a name without a file.
    case unixClient(path: String)
    /// Waits for one connection to a Unix socket.
    case unixServer(path: String)
    /// A serial port, with its speed in bits per second.
    case serial(path: String, speed: UInt32, hardwareFlowControl: Bool)
    /// A pseudo-terminal whose other side looks like a serial port; `link` is a symbolic link to it.
    case pseudoTerminal(link: String?)
    /// The HCI User Channel of controller `hci<index>`.
    case hciSocket(index: UInt16)
    /// A controller of a radio on the same event loop. It has no text, because other processes cannot reach
    /// it.
    case virtual(VirtualPort)
    /// A character device such as `/dev/vhci`, or a FIFO, for reading and writing.
    case file(path: String)

    /// The host of a TCP server on every network interface, as in Bumble.
    public static let everyInterface = "_"

    /// The speed of a serial port without one in its moniker, as in Bumble: 1 Mbit/s.
    public static let defaultSerialSpeed: UInt32 = 1_000_000

    /// The valid forms, for messages.
    public static let allowedForms = """
        tcp-client:HOST:PORT, tcp-server:HOST:PORT, unix:PATH, unix-server:PATH, \
        serial:PATH[,SPEED][,rtscts], pty[:LINK], hci-socket:INDEX or file:PATH
        """

    /// Parses a moniker; the error says what is wrong and what is valid.
    public init(parsing text: String) throws(IOError) {
        let scheme = text.prefix { $0 != ":" }
        let hasColon = scheme.endIndex != text.endIndex
        let rest = hasColon ? text[text.index(after: scheme.endIndex)...] : ""
        switch scheme {
        case "tcp-client":
            let (host, port) = try Self.hostAndPort(rest, of: text)
            guard host != Self.everyInterface else {
                throw Self.invalid(text, "\"_\" is only for listening; name a host to connect to")
            }
            guard port != 0 else { throw Self.invalid(text, "the port must not be 0") }
            self = .tcpClient(host: host, port: port)
        case "tcp-server":
            let (host, port) = try Self.hostAndPort(rest, of: text)
            self = .tcpServer(host: host, port: port)
        case "unix": self = .unixClient(path: try Self.socketPath(rest, of: text))
        case "unix-server": self = .unixServer(path: try Self.socketPath(rest, of: text))
        case "serial": self = try Self.serial(rest, of: text)
        case "pty":
            guard !hasColon || !rest.isEmpty else {
                throw Self.invalid(text, "the link after the colon is missing")
            }
            self = .pseudoTerminal(link: hasColon ? String(rest) : nil)
        case "hci-socket":
            guard let index = Self.decimal(rest, as: UInt16.self) else {
                throw Self.invalid(
                    text, "INDEX must be a number from 0 to 65535, such as 0 for hci0")
            }
            self = .hciSocket(index: index)
        case "file": self = .file(path: try Self.path(rest, of: text))
        case "virtual":
            throw IOError(
                .invalidMoniker,
                "a virtual controller is reachable only within its own process: start one with "
                    + "'ancs controllers --listen unix-server:PATH', and use unix:PATH")
        case _ where !hasColon && Self.interface(scheme) != nil:
            throw Self.invalid(
                text, "the kernel's \(scheme) is hci-socket:\(Self.interface(scheme) ?? 0)")
        default: throw Self.invalid(text, "unknown transport \"\(scheme)\"")
        }
    }

    /// Whether it is a device that can disappear and come back: unplugged, reset by its driver, or enumerated
    /// again after a suspension. The end of a socket is the decision of another program, and a
    /// pseudo-terminal belongs to this process.
    public var isRemovableDevice: Bool {
        switch self {
        case .serial, .hciSocket, .virtual, .file: true
        case .tcpClient, .tcpServer, .unixClient, .unixServer, .pseudoTerminal: false
        }
    }

    private static func invalid(_ text: String, _ reason: String) -> IOError {
        IOError(
            .invalidMoniker,
            "invalid controller \"\(text)\": \(reason); valid forms are \(allowedForms)")
    }

    /// The number of an interface with the kernel's name: 0 of `hci0`.
    private static func interface(_ name: Substring) -> UInt16? {
        name.hasPrefix("hci") ? decimal(name.dropFirst(3), as: UInt16.self) : nil
    }

    /// Parses digits only: `UInt16("+1")` would be 1.
    private static func decimal<Number: FixedWidthInteger>(
        _ text: Substring, as _: Number.Type
    ) -> Number? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Number(text)
    }

    private static func path(_ path: Substring, of text: String) throws(IOError) -> String {
        guard !path.isEmpty else { throw invalid(text, "the path is missing") }
        guard !path.utf8.contains(0) else { throw invalid(text, "the path contains NUL") }
        return String(path)
    }

    private static func socketPath(_ path: Substring, of text: String) throws(IOError) -> String {
        let path = try Self.path(path, of: text)
        // `sun_path` has 108 octets, one of them for the terminating zero: unix(7).
        guard path.utf8.count <= 107 else {
            throw invalid(text, "the path of a Unix socket can have at most 107 octets")
        }
        return path
    }

    private static func hostAndPort(
        _ rest: Substring, of text: String
    ) throws(IOError) -> (host: String?, port: UInt16) {
        var host: Substring
        var remainder: Substring
        if rest.first == "[" {
            host = rest.dropFirst().prefix { $0 != "]" }
            remainder = rest[host.endIndex...]
            guard !remainder.isEmpty else { throw invalid(text, "the \"]\" is missing") }
            guard host.contains(":") else {
                throw invalid(text, "the brackets must contain an IPv6 address")
            }
            remainder = remainder.dropFirst()
        } else {
            host = rest.prefix { $0 != ":" }
            remainder = rest[host.endIndex...]
        }
        guard remainder.first == ":" else { throw invalid(text, "the port is missing") }
        remainder = remainder.dropFirst()
        guard !remainder.contains(":") else {
            throw invalid(text, "an IPv6 address needs brackets, as in [::1]:9001")
        }
        guard let port = decimal(remainder, as: UInt16.self) else {
            throw invalid(text, "the port must be a number from 0 to 65535")
        }
        return (host.isEmpty ? nil : String(host), port)
    }

    private static func serial(_ rest: Substring, of text: String) throws(IOError) -> Self {
        var parts = rest.split(separator: ",", omittingEmptySubsequences: false)
        let path = try Self.path(parts.removeFirst(), of: text)
        var speed: UInt32?
        var hardwareFlowControl = false
        for part in parts {
            if part == "rtscts" {
                hardwareFlowControl = true
            } else if speed == nil, let number = decimal(part, as: UInt32.self), number > 0 {
                speed = number
            } else {
                throw invalid(text, "\"\(part)\" is neither a speed nor rtscts")
            }
        }
        return .serial(
            path: path, speed: speed ?? defaultSerialSpeed,
            hardwareFlowControl: hardwareFlowControl)
    }
}

extension TransportMoniker {
    /// A warning about a place that other machines can reach, as `HCITransport` reports it when it listens;
    /// `nil` if only this machine can reach it, or the user has chosen the address.
    public static func exposure(of place: String) -> String? {
        guard case .tcpServer(host: everyInterface, let port)? = try? Self(parsing: place) else {
            return nil
        }
        return "\(place) listens on every network interface: any machine that reaches this one can "
            + "connect, and nothing is encrypted; tcp-server::\(port) serves only this machine"
    }
}

extension TransportMoniker: CustomStringConvertible {
    /// The moniker, as a user types it.
    public var description: String {
        switch self {
        case .tcpClient(let host, let port): "tcp-client:\(Self.bracketed(host)):\(port)"
        case .tcpServer(let host, let port): "tcp-server:\(Self.bracketed(host)):\(port)"
        case .unixClient(let path): "unix:\(path)"
        case .unixServer(let path): "unix-server:\(path)"
        case .serial(let path, let speed, let hardwareFlowControl):
            "serial:\(path),\(speed)\(hardwareFlowControl ? ",rtscts" : "")"
        case .pseudoTerminal(let link): link.map { "pty:\($0)" } ?? "pty"
        case .hciSocket(let index): "hci-socket:\(index)"
        case .file(let path): "file:\(path)"
        case .virtual(let port): "virtual controller \(port.index)"
        }
    }

    private static func bracketed(_ host: String?) -> String {
        guard let host else { return "" }
        return host.contains(":") ? "[\(host)]" : host
    }
}
