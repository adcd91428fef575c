internal import LinuxIO
internal import CLinux
internal import Glibc

/// Accepts one connection and then stops listening, so that the kernel refuses a second peer; behind a gate, it goes on
/// listening until it is cancelled. On the loop's thread only.
final class Listener: @unchecked Sendable {
    // Unchecked: see the type's comment; the transport that owns it checks.

    private let loop: EventLoop
    private let descriptor: OwnedDescriptor
    private let socketFile: SocketFile?
    private var registration: DescriptorRegistration?
    private var completion: ((Result<OwnedDescriptor, IOError>) -> Void)?
    private var gate: ConnectionGate?
    /// A second connection, and when it counts.
    private var second: (descriptor: OwnedDescriptor, timer: LoopTimer)?

    /// The address on which it listens.
    var address: SocketAddress { SocketAddress(boundTo: descriptor.number) }

    /// Listens on the first of `addresses` that is free.
    static func tcp(
        _ moniker: TransportMoniker, addresses: [SocketAddress], on loop: EventLoop
    ) throws(IOError) -> Listener {
        var failure = IOError(.notFound, "\(moniker) has no address")
        for address in addresses {
            do throws(IOError) {
                let descriptor = try address.makeSocket()
                // A port that was used a minute ago counts as free, but not one with a listener.
                set(SO_REUSEADDR, SOL_SOCKET, of: descriptor, to: 1)
                // Every interface includes IPv4.
                if address.family == AF_INET6, address.isEveryInterface {
                    set(IPV6_V6ONLY, CInt(IPPROTO_IPV6), of: descriptor, to: 0)
                }
                try listen(descriptor, at: address, moniker)
                return Listener(descriptor, socketFile: nil, on: loop)
            } catch { failure = error }
        }
        throw failure
    }

    /// Listens on a Unix socket. A socket file without a listener is replaced.
    static func unix(
        _ moniker: TransportMoniker, path: String, on loop: EventLoop
    ) throws(IOError) -> Listener {
        let address = SocketAddress(path: path)
        let descriptor = try address.makeSocket()
        guard !path.hasPrefix("@") else {
            try listen(descriptor, at: address, moniker)
            return Listener(descriptor, socketFile: nil, on: loop)
        }
        // A controller is private: the file gets the mode that the socket has before bind().
        fchmod(descriptor.number, 0o600)
        try SocketFile.removeIfStale(path, moniker)
        try listen(descriptor, at: address, moniker)
        return Listener(descriptor, socketFile: SocketFile(path: path), on: loop)
    }

    private init(_ descriptor: OwnedDescriptor, socketFile: SocketFile?, on loop: EventLoop) {
        (self.descriptor, self.socketFile, self.loop) = (descriptor, socketFile, loop)
    }

    func start(
        behind gate: ConnectionGate?,
        completion: @escaping (Result<OwnedDescriptor, IOError>) -> Void
    ) throws(IOError) {
        self.completion = completion
        self.gate = gate
        registration = try loop.register(descriptor.number, for: .readable) { [self] _ in
            acceptOne()
        }
    }

    func cancel() {
        completion = nil
        stop()
    }

    private func acceptOne() {
        let peer = uninterrupted { clinux_accept(descriptor.number) }
        guard peer >= 0 else {
            // The peer left the queue again: accept(2) lists these as temporary.
            let harmless = [EAGAIN, ECONNABORTED, ENETDOWN, EPROTO, EHOSTDOWN, ENETUNREACH]
            if harmless.contains(errno) { return }
            complete(.failure(IOError("cannot accept a connection", errno: errno)))
            return
        }
        let connection = OwnedDescriptor(peer)
        guard let gate else { return complete(.success(connection)) }
        guard gate.admits(peerOf: connection) else { return connection.close() }
        if let completion = exchange(&completion, with: nil) {
            completion(.success(connection))
        } else {
            hold(connection, gate)
        }
    }

    /// Holds a second connection until it counts, if the first one lasts until then.
    private func hold(_ connection: OwnedDescriptor, _ gate: ConnectionGate) {
        guard second == nil else { return connection.close() }
        let timer = LoopTimer(on: loop, handler: gate.contended)
        second = (connection, timer)
        timer.deadline = loop.now + ConnectionGate.patience
    }

    private func complete(_ result: Result<OwnedDescriptor, IOError>) {
        let completion = exchange(&completion, with: nil)
        stop()
        completion?(result)
    }

    private func stop() {
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        if let second = exchange(&second, with: nil) {
            second.timer.deadline = nil
            second.descriptor.close()
        }
        descriptor.close()
        socketFile?.remove()
    }

    private static func listen(
        _ descriptor: OwnedDescriptor, at address: SocketAddress, _ moniker: TransportMoniker
    ) throws(IOError) {
        let bound = address.withAddress { bind(descriptor.number, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor.number, 1) == 0 else {
            throw IOError("cannot listen on \(moniker)", errno: errno)
        }
    }

    private static func set(
        _ option: CInt, _ level: CInt, of descriptor: OwnedDescriptor, to value: CInt
    ) {
        var value = value
        setsockopt(descriptor.number, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}

/// The file of a Unix socket that this process has created, and no other.
private struct SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        unlink(path)
    }

    /// Removes the file of a listener that ended without removing it.
    static func removeIfStale(_ path: String, _ moniker: TransportMoniker) throws(IOError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw IOError(
                .busy, errno: EEXIST, "cannot listen on \(moniker): a file of this name exists")
        }
        let address = SocketAddress(path: path)
        let probe = try address.makeSocket()
        let result = address.withAddress { pointer, length in
            uninterrupted { connect(probe.number, pointer, length) }
        }
        // Any other error may mean a listener, or one that this user may not connect to.
        guard result < 0, errno == ECONNREFUSED else {
            throw IOError(
                .busy, errno: EADDRINUSE,
                "cannot listen on \(moniker): another process is listening there")
        }
        unlink(path)
    }
}
