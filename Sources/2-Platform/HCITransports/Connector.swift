internal import LinuxIO
internal import CLinux
internal import Glibc

/// Connects a stream socket to the first of several addresses that accepts. It keeps trying for a while,
/// because a program is often started together with its controller. On the loop's thread only.
final class Connector: @unchecked Sendable {
    // Unchecked: see the type's comment; the transport that owns it checks.

    private struct Attempt {
        let descriptor: OwnedDescriptor
        let registration: DescriptorRegistration
    }

    /// Short, so that a listener that has just started is found quickly; the attempts cost next to nothing.
    private static let pause = Duration.milliseconds(100)

    private let loop: EventLoop
    private let moniker: TransportMoniker
    private let addresses: [SocketAddress]
    private let patience: Duration
    private let began: MonotonicInstant
    private var remaining: ArraySlice<SocketAddress> = []
    /// The failure of an address that may accept soon.
    private var passingFailure: IOError?
    private var attempt: Attempt?
    private var timer: LoopTimer?
    private var retryTimer: LoopTimer?
    private var completion: ((Result<OwnedDescriptor, IOError>) -> Void)?

    /// `patience` is how long to keep trying while no process listens.
    init(
        _ moniker: TransportMoniker, addresses: [SocketAddress], patience: Duration,
        on loop: EventLoop, completion: @escaping (Result<OwnedDescriptor, IOError>) -> Void
    ) {
        (self.moniker, self.addresses, self.patience) = (moniker, addresses, patience)
        (self.loop, self.completion) = (loop, completion)
        began = loop.now
    }

    func start(timeout: Duration) {
        let timer = LoopTimer(on: loop) { [weak self] in
            guard let self else { return }
            complete(.failure(failure(errno: ETIMEDOUT)))
        }
        self.timer = timer
        timer.deadline = began + timeout
        retryTimer = LoopTimer(on: loop) { [weak self] in self?.tryAll() }
        tryAll()
    }

    func cancel() {
        completion = nil
        stop()
    }

    private func tryAll() {
        remaining = addresses[...]
        passingFailure = nil
        tryNext(after: IOError(.notFound, "\(moniker) has no address"))
    }

    private func tryNext(after failure: IOError) {
        guard let address = remaining.popFirst() else { return failed(failure) }
        do throws(IOError) { try connect(to: address) } catch { tryNext(afterRefusal: error) }
    }

    private func tryNext(afterRefusal failure: IOError) {
        if let errno = failure.errno, Self.passingErrors.contains(errno) {
            passingFailure = passingFailure ?? failure
        }
        tryNext(after: failure)
    }

    /// No address accepts. If one may accept soon, tries again, whatever is wrong with the others:
    /// `localhost` is also ::1, which a machine without IPv6 does not have.
    private func failed(_ last: IOError) {
        guard patience > .zero, var failure = passingFailure else {
            return complete(.failure(passingFailure ?? last))
        }
        let next = loop.now + Self.pause
        guard next <= began + patience else {
            failure.message += "; tried for \(patience.components.seconds) s" + Self.advice(failure)
            return complete(.failure(failure))
        }
        retryTimer?.deadline = next
    }

    /// A virtual controller stops listening while a host uses it, which looks as if there were none.
    private static func advice(_ failure: IOError) -> String {
        guard let errno = failure.errno, errno == ENOENT || errno == ECONNREFUSED else { return "" }
        return "; no controller waits there: start it, or end the program that uses it (a virtual "
            + "controller serves one program at a time)"
    }

    /// No process listens yet, or the network is not up yet.
    private static let passingErrors: Set<CInt> = [
        ECONNREFUSED, ENOENT, EHOSTUNREACH, ENETUNREACH,
    ]

    private func connect(to address: SocketAddress) throws(IOError) {
        let descriptor = try address.makeSocket()
        let result = address.withAddress { pointer, length in
            uninterrupted { Glibc.connect(descriptor.number, pointer, length) }
        }
        if result == 0 {
            complete(.success(descriptor))
            return
        }
        // EAGAIN: the queue of a Unix socket is full, because its owner does not accept.
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
            tryNext(afterRefusal: failure(errno: reason))
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
        retryTimer?.deadline = nil
        retryTimer = nil
        guard let attempt = exchange(&attempt, with: nil) else { return }
        loop.unregister(attempt.registration)
        attempt.descriptor.close()
    }
}
