internal import CMosquitto
internal import Glibc
package import LinuxIO

/// A client of a broker, on the thread of an event loop: MQTT 3.1.1 with a clean session, by libmosquitto
/// without its thread.
///
///     client.connect(to: broker)
///     ◀ .connected                     publish(_:) and subscribe(to:) from here on
///     ◀ .acknowledged, .message …
///     ◀ .ended(why)                    connect(to:) again, after a pause
///
/// A thread of its own looks up the host name and connects, because getaddrinfo(3) has no form that does not
/// wait, and libmosquitto accepts neither an address in addition to the name in a certificate nor a connected
/// socket. There is at most one such thread. Everything else happens on the loop, which never waits for the
/// broker.
package final class MQTTClient: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    package enum Event: Sendable {
        /// The broker has accepted the client.
        case connected
        /// The broker has acknowledged a message; in the order of publishing (3.1.1, section 4.6).
        case acknowledged
        /// A message of a subscribed topic.
        case message(MQTTMessage)
        /// The connection has ended, or could not be established. Not after ``close()``.
        case ended(MQTTFailure)
    }

    /// Limits of one connection.
    package struct Limits: Equatable, Sendable {
        /// The limit from ``connect(to:)`` to the broker's answer.
        package var greeting = Duration.seconds(10)
        /// The longest incoming message in octets; libmosquitto would accept 256 MiB.
        package var message: UInt64 = 16_777_216

        package init() {}
    }

    private struct Open {
        var session: MQTTSession
        var descriptor: CInt
        var registration: DescriptorRegistration
        var interest: DescriptorInterest
        /// Whether the broker has accepted the client.
        var isGreeted = false
        /// The number of octets received when the last message was complete.
        var receivedBefore: UInt64 = 0
    }

    private enum State {
        case idle
        /// The thread of an earlier attempt has not returned yet.
        case waiting(MQTTBroker)
        /// The thread is connecting.
        case connecting(MQTTSession)
        case open(Open)
    }

    private let loop: EventLoop
    private let limits: Limits
    private let handler: @Sendable (Event) -> Void
    private var state = State.idle
    /// Whether a thread is connecting, for this attempt or an earlier one.
    private var isThreadOut = false
    private lazy var greetingTimer = LoopTimer(on: loop) { [weak self] in self?.greetingIsLate() }
    private lazy var livenessTimer = LoopTimer(on: loop) { [weak self] in self?.checkLiveness() }

    /// A client that is not connected. `handler` is called on the loop's thread, and may use the client.
    package init(
        on loop: EventLoop, limits: Limits = Limits(), handler: @escaping @Sendable (Event) -> Void
    ) { (self.loop, self.limits, self.handler) = (loop, limits, handler) }

    // MARK: Connecting

    /// Connects, once the previous attempt has ended. On the loop only.
    package func connect(to broker: MQTTBroker) {
        loop.checkIsolated()
        guard case .idle = state else { return }
        greetingTimer.deadline = loop.now + limits.greeting
        guard !isThreadOut else {
            state = .waiting(broker)
            return
        }
        start(broker)
    }

    private func start(_ broker: MQTTBroker) {
        do throws(MQTTFailure) {
            let session = try MQTTSession(broker)
            state = .connecting(session)
            try startThread(for: session)
        } catch {
            // Never during the caller's call.
            loop.execute { [weak self] in self?.end(error) }
        }
    }

    private func startThread(for session: MQTTSession) throws(MQTTFailure) {
        blockPipeSignal()
        isThreadOut = true
        do throws(IOError) {
            try startDetachedThread(named: "ancs-mqtt") { [weak self, loop] in
                let broker = session.broker
                errno = 0
                let result = mosquitto_connect(
                    session.handle, broker.host, CInt(broker.port), MQTTSession.keepAlive)
                let reason = errno
                loop.execute { [weak self] in self?.threadIsBack(session, result, errno: reason) }
            }
        } catch {
            isThreadOut = false
            throw MQTTFailure(.unreachable, error.message)
        }
    }

    /// libmosquitto writes to sockets that may have lost their peer, and does not handle the resulting
    /// signal: it is blocked for this thread and the threads that it starts.
    private func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func threadIsBack(_ session: MQTTSession, _ result: CInt, errno: CInt) {
        isThreadOut = false
        switch state {
        case .connecting(let wanted) where wanted === session:
            guard result == MOSQ_ERR_SUCCESS.code else { return fail(session, result, errno) }
            take(session)
        case .waiting(let broker): start(broker)
        // It was cancelled meanwhile.
        case .idle, .connecting, .open: break
        }
    }

    private func take(_ session: MQTTSession) {
        let descriptor = mosquitto_socket(session.handle)
        do throws(IOError) {
            let registration = try loop.register(descriptor, for: .readable) { [weak self] _ in
                self?.descriptorIsReady()
            }
            state = .open(
                Open(
                    session: session, descriptor: descriptor, registration: registration,
                    interest: .readable))
            watch()
        } catch { end(MQTTFailure(.lost, error.message)) }
    }

    private func greetingIsLate() {
        let broker: MQTTBroker
        switch state {
        case .idle: return
        case .waiting(let waiting): broker = waiting
        case .connecting(let session): broker = session.broker
        case .open(let open):
            guard !open.isGreeted else { return }
            broker = open.session.broker
        }
        let seconds = limits.greeting.components.seconds
        end(
            MQTTFailure(
                .noAnswer,
                "the broker at \(broker.place) does not answer within \(seconds) s; is it a broker, and does "
                    + "'tls' in [mqtt] match its port?"))
    }

    // MARK: Using it

    /// Publishes a message with quality of service 1: `acknowledged` follows, or the end. On the loop only.
    package func publish(_ message: MQTTMessage) {
        request { session in
            mosquitto_publish(
                session.handle, nil, message.topic, CInt(message.payload.count), message.payload, 1,
                message.isRetained)
        }
    }

    /// Subscribes to topics, in which `+` stands for one level. On the loop only.
    package func subscribe(to topics: [String]) {
        for topic in topics {
            request { session in mosquitto_subscribe(session.handle, nil, topic, 1) }
        }
    }

    /// Disconnects, so that the broker does not publish the will, and ends. On the loop only.
    package func close() {
        loop.checkIsolated()
        if case .open(let open) = state, open.isGreeted {
            mosquitto_disconnect(open.session.handle)
        }
        leave()
    }

    private func request(_ body: (MQTTSession) -> CInt) {
        loop.checkIsolated()
        guard case .open(let open) = state else { return }
        let result = body(open.session)
        let reason = errno
        guard result == MOSQ_ERR_SUCCESS.code else {
            return loop.execute { [weak self] in self?.fail(open.session, result, reason) }
        }
        watch()
    }

    // MARK: Processing

    private func descriptorIsReady() {
        guard case .open(let open) = state else { return }
        let session = open.session
        guard !isAtEnd(open.descriptor) else { return fail(session, MOSQ_ERR_CONN_LOST.code, 0) }
        guard !isTooMuch(open) else {
            return end(
                MQTTFailure(
                    .misbehaved,
                    "the broker at \(session.broker.place) sends a message of more than "
                        + "\(limits.message / 1_048_576) MiB"))
        }
        var result = mosquitto_loop_read(session.handle, 1)
        var reason = errno
        if result == MOSQ_ERR_SUCCESS.code, mosquitto_want_write(session.handle) {
            result = mosquitto_loop_write(session.handle, 1)
            reason = errno
        }
        report(session.takeHappenings(), of: session)
        guard result == MOSQ_ERR_SUCCESS.code else { return fail(session, result, reason) }
        watch()
    }

    /// While TLS is starting, libmosquitto retries at the end of the stream.
    private func isAtEnd(_ descriptor: CInt) -> Bool {
        var octet: UInt8 = 0
        let count = recv(descriptor, &octet, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    private func isTooMuch(_ open: Open) -> Bool {
        let received = receivedCount(of: open.descriptor)
        return received > open.receivedBefore && received - open.receivedBefore > limits.message
    }

    /// How many octets of the peer the kernel has received: `tcpi_bytes_received` of `struct tcp_info` in
    /// linux/tcp.h, which glibc's header lacks.
    private func receivedCount(of descriptor: CInt) -> UInt64 {
        let offset = 128
        var information = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(information.count)
        guard getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &information, &length) == 0,
            Int(length) >= offset + 8
        else { return 0 }
        return information.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
    }

    private func report(_ happenings: [MQTTSession.Happening], of session: MQTTSession) {
        for happening in happenings {
            // A handler may have ended it.
            guard case .open(var open) = state, open.session === session else { return }
            open.receivedBefore = receivedCount(of: open.descriptor)
            switch happening {
            case .answered(0):
                open.isGreeted = true
                state = .open(open)
                greetingTimer.deadline = nil
                livenessTimer.deadline = loop.now + Self.livenessInterval
                handler(.connected)
            case .answered(let code): return end(MQTTFailure(refusal: code, by: session.broker))
            case .acknowledged:
                state = .open(open)
                handler(.acknowledged)
            case .message(let message):
                state = .open(open)
                handler(.message(message))
            }
        }
    }

    /// Watches the socket for what libmosquitto waits for.
    private func watch() {
        guard case .open(var open) = state else { return }
        let interest: DescriptorInterest =
            mosquitto_want_write(open.session.handle) ? [.readable, .writable] : .readable
        guard interest != open.interest else { return }
        open.interest = interest
        state = .open(open)
        loop.update(open.registration, for: interest)
    }

    private static let livenessInterval = Duration.seconds(Int64(MQTTSession.keepAlive) / 2)

    /// Lets libmosquitto ping the broker, and detect that it does not answer.
    private func checkLiveness() {
        guard case .open(let open) = state else { return }
        livenessTimer.deadline = loop.now + Self.livenessInterval
        let result = mosquitto_loop_misc(open.session.handle)
        guard result == MOSQ_ERR_SUCCESS.code else { return fail(open.session, result, errno) }
        watch()
    }

    // MARK: End

    private func fail(_ session: MQTTSession, _ result: CInt, _ reason: CInt) {
        let (result, broker) = (mosq_err_t(rawValue: .init(result)), session.broker)
        switch state {
        case .connecting(let current) where current === session:
            end(MQTTFailure(connecting: result, errno: reason, log: session.log, to: broker))
        case .open(let open) where open.session === session:
            let isSecuring = broker.security != nil && !open.isGreeted
            end(
                isSecuring
                    ? MQTTFailure(insecure: session.log, at: broker)
                    : MQTTFailure(losing: result, errno: reason, to: broker))
        // It has already ended for another reason.
        case .idle, .waiting, .connecting, .open: break
        }
    }

    private func end(_ failure: MQTTFailure) {
        leave()
        handler(.ended(failure))
    }

    private func leave() {
        greetingTimer.deadline = nil
        livenessTimer.deadline = nil
        if case .open(let open) = state { loop.unregister(open.registration) }
        // A session that a thread still uses is freed when the thread returns.
        state = .idle
    }
}
