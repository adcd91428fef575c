internal import CLinux
internal import Glibc
internal import Octets

/// Connects a stream socket to the first of some addresses that accepts. On the loop's thread only.
final class Connector: @unchecked Sendable {
    // Unchecked: see the type's comment; the transport that owns it checks.

    private struct Attempt {
        let descriptor: OwnedDescriptor
        let registration: DescriptorRegistration
    }

    private let loop: EventLoop
    private let moniker: TransportMoniker
    private var remaining: ArraySlice<SocketAddress>
    private var attempt: Attempt?
    private var timer: LoopTimer?
    private var completion: ((Result<OwnedDescriptor, IOError>) -> Void)?

    init(
        _ moniker: TransportMoniker, addresses: [SocketAddress], on loop: EventLoop,
        completion: @escaping (Result<OwnedDescriptor, IOError>) -> Void
    ) {
        self.moniker = moniker
        self.loop = loop
        self.completion = completion
        remaining = addresses[...]
    }

    func start(timeout: Duration) {
        let timer = LoopTimer(on: loop) { [weak self] in
            guard let self else { return }
            complete(.failure(failure(errno: ETIMEDOUT)))
        }
        self.timer = timer
        timer.deadline = loop.now + timeout
        tryNext(after: IOError(.notFound, "\(moniker) has no address"))
    }

    func cancel() {
        completion = nil
        stop()
    }

    private func tryNext(after failure: IOError) {
        guard let address = remaining.popFirst() else {
            complete(.failure(failure))
            return
        }
        do throws(IOError) { try connect(to: address) } catch { tryNext(after: error) }
    }

    private func connect(to address: SocketAddress) throws(IOError) {
        let descriptor = try address.makeSocket()
        let result = address.withAddress { pointer, length in
            uninterrupted { Glibc.connect(descriptor.number, pointer, length) }
        }
        if result == 0 {
            complete(.success(descriptor))
            return
        }
        // EAGAIN is a Unix socket whose queue is full: its owner does not accept.
        guard errno == EINPROGRESS else {
            throw failure(errno: errno == EAGAIN ? ECONNREFUSED : errno)
        }
        let registration = try loop.register(descriptor.number, for: .writable) { [self] _ in
            attemptEnded()
        }
        attempt = Attempt(descriptor: descriptor, registration: registration)
    }

    private func attemptEnded() {
        guard let attempt = exchange(&attempt, with: nil) else { return }
        loop.unregister(attempt.registration)
        var reason: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(attempt.descriptor.number, SOL_SOCKET, SO_ERROR, &reason, &length)
        if reason == 0 {
            complete(.success(attempt.descriptor))
        } else {
            tryNext(after: failure(errno: reason))
        }
    }

    private func failure(errno: CInt) -> IOError {
        IOError("cannot connect to \(moniker)", errno: errno)
    }

    private func complete(_ result: Result<OwnedDescriptor, IOError>) {
        let completion = exchange(&completion, with: nil)
        stop()
        completion?(result)
    }

    private func stop() {
        timer?.deadline = nil
        timer = nil
        guard let attempt = exchange(&attempt, with: nil) else { return }
        loop.unregister(attempt.registration)
        attempt.descriptor.close()
    }
}
