internal import LinuxIO
internal import CLinux
internal import Glibc

/// An address of a TCP or Unix socket.
struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private var length: socklen_t = 0

    var family: CInt { CInt(storage.ss_family) }

    /// The addresses of a host in a ``TransportMoniker``: without a host those of the loopback, 127.0.0.1
    /// before ::1, and for `_` those of every interface, the one for both IPv6 and IPv4 first.
    ///
    /// Only numeric addresses are found without a lookup; looking up a name may block for seconds.
    static func resolve(
        host: String?, port: UInt16, digitsOnly: Bool
    ) throws(IOError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        let isEverywhere = host == TransportMoniker.everyInterface
        hints.ai_flags =
            (digitsOnly ? AI_NUMERICHOST : 0) | AI_NUMERICSERV | (isEverywhere ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(isEverywhere ? nil : host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard result == 0 else {
            let reason = gai_strerror(result).map { String(cString: $0) } ?? "error \(result)"
            throw IOError(.notFound, "cannot find the host \(host ?? "of the loopback"): \(reason)")
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            addresses.append(SocketAddress(copying: entry.ai_addr, length: entry.ai_addrlen))
            next = entry.ai_next
        }
        guard host == nil || isEverywhere else { return addresses }
        let first = isEverywhere ? AF_INET6 : AF_INET
        return addresses.filter { $0.family == first } + addresses.filter { $0.family != first }
    }

    /// The address of a Unix socket; a path that starts with `@` has no file (unix(7), "abstract").
    init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var octets = Array(path.utf8)
        let isAbstract = octets.first == UInt8(ascii: "@")
        if isAbstract { octets[0] = 0 }
        // Longer paths are refused when the moniker is parsed.
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            field.copyBytes(from: octets.prefix(field.count - 1))
        }
        let header = MemoryLayout<sa_family_t>.size
        length = socklen_t(header + octets.count + (isAbstract ? 0 : 1))
        withUnsafeBytes(of: &address) { source in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: source) }
        }
    }

    private init(copying address: UnsafePointer<sockaddr>?, length: socklen_t) {
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// Calls `body`, for example with `bind` or `connect`, with the C representation.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// A new non-blocking stream socket of this address family.
    func makeSocket() throws(IOError) -> OwnedDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw IOError("cannot create a socket", errno: errno) }
        return OwnedDescriptor(descriptor)
    }

    /// The address that a socket is bound to.
    init(boundTo descriptor: CInt) { self.init(of: descriptor, getsockname) }

    /// The address that a socket is connected to.
    init(connectedTo descriptor: CInt) { self.init(of: descriptor, getpeername) }

    private init(
        of descriptor: CInt,
        _ call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = call(descriptor, $0, &length)
            }
        }
    }

    /// The forms of a TCP address in /proc/net/tcp and tcp6: words of 32 bits, in the byte order of this machine. An
    /// IPv4 address is also one of IPv6 (RFC 4291, 2.5.5.2), in either of which the socket may be.
    var inTables: [String] {
        withUnsafeBytes(of: storage) { octets in
            func words(_ count: Int, at offset: Int) -> String {
                (0..<count).map { index in
                    let word = octets.loadUnaligned(
                        fromByteOffset: offset + 4 * index, as: UInt32.self)
                    return Self.digits(word, 8)
                }.joined()
            }
            let mapped =
                Self.digits(0, 8) + Self.digits(0, 8) + Self.digits(UInt32(0xFFFF).bigEndian, 8)
            // sin_addr follows the port; between sin6_addr and the port is sin6_flowinfo.
            let own = family == AF_INET ? mapped + words(1, at: 4) : words(4, at: 8)
            let forms = own.hasPrefix(mapped) ? [own, String(own.dropFirst(mapped.count))] : [own]
            return forms.map { "\($0):\(Self.digits(UInt32(port), 4))" }
        }
    }

    private static func digits(_ number: UInt32, _ count: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// The port of a TCP address.
    var port: UInt16 {
        // It has the same offset in an IPv4 and an IPv6 address.
        withUnsafeBytes(of: storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The host of a TCP address, in numeric form.
    var host: String {
        let name = CText.written(capacity: Int(NI_MAXHOST)) { text, capacity in
            withAddress { getnameinfo($0, $1, text, socklen_t(capacity), nil, 0, NI_NUMERICHOST) }
        }
        return name.result == 0 ? name.text : ""
    }

    /// Whether it stands for every interface: 0.0.0.0 or ::.
    var isEveryInterface: Bool { ["0.0.0.0", "::", "::ffff:0.0.0.0"].contains(host) }
}
