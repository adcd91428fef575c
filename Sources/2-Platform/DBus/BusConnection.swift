internal import CSystemd
internal import Glibc
public import LinuxIO

/// A connection to a message bus, on the thread of an event loop.
///
///     let bus = try BusConnection(.system, on: loop)
///     bus.open { error in … }    // it has ended
///     bus.call(BusCall("org.bluez", "/", …), within: .seconds(25)) { result in … }
///
/// It may be used only on the loop's thread, where its handlers are called too. Messages are queued until the
/// bus has answered `Hello`. A handler is never called during a call of the owner, and may use the connection.
/// Handlers are released when they are no longer needed.
///
/// sd-bus handles the wire protocol. Replies, subscriptions and objects are dispatched here, so that no code
/// of a user runs inside sd-bus. sd-bus uses the machine's clock for its deadlines, so a loop with a virtual
/// clock cannot be used.
public final class BusConnection: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    /// The address of a bus.
    public enum Bus: Equatable, Sendable {
        /// The system bus; `DBUS_SYSTEM_BUS_ADDRESS` in the environment overrides its address.
        case system
        /// The session bus of the user, at `DBUS_SESSION_BUS_ADDRESS` or in `XDG_RUNTIME_DIR`.
        case session
        /// An address in D-Bus syntax: `unix:path=/run/bus`.
        case address(String)
    }

    /// How many messages are processed before the rest of the loop may run.
    private static let messagesOfTurn = 64
    /// The limit for replies of the bus itself.
    static let limitOfBus = Duration.seconds(25)

    let loop: EventLoop
    private let bus: Bus
    /// The `sd_bus`; `nil` once the connection has ended.
    private(set) var handle: OpaquePointer?
    private var onEnd: (@Sendable (BusError) -> Void)?
    private var wasOpened = false
    /// Whether the owner closed it.
    private var isClosed = false
    private var isProcessing = false
    private var willProcess = false
    private var watched:
        (descriptor: CInt, interest: DescriptorInterest, key: DescriptorRegistration)?
    private lazy var timer = LoopTimer(on: loop) { [weak self] in self?.process() }

    /// The pending calls, by the serial number of their message.
    var calls: [UInt64: BusPendingCall] = [:]
    /// Fires when a call has not been answered in time.
    private(set) lazy var callTimer = LoopTimer(on: loop) { [weak self] in self?.endLateCalls() }
    /// In the order in which they were made.
    var subscriptions: [BusSignalSubscription] = []
    var lastHeader: BusSignalHeader?
    var watchers: [BusNameWatcher] = []
    /// The names whose owners are watched.
    var names: [String: BusName] = [:]
    var exports: [ObjectPath: BusExportedObject] = [:]
    private var lastKey: UInt64 = 0

    /// Connects to a bus, without waiting for its answer to `Hello`. From any thread.
    ///
    /// Throws if there is no such bus, it does not answer, or this user is not allowed to use it.
    public init(_ bus: Bus, on loop: EventLoop) throws(IOError) {
        self.bus = bus
        self.loop = loop
        var handle: OpaquePointer?
        let result =
            switch bus {
            case .system: sd_bus_open_system(&handle)
            case .session: sd_bus_open_user(&handle)
            case .address(let address): Self.connect(to: address, &handle)
            }
        guard result >= 0, let handle else { throw bus.failure(errno: -result) }
        self.handle = handle
    }

    private static func connect(to address: String, _ handle: inout OpaquePointer?) -> CInt {
        var new: OpaquePointer?
        var result = sd_bus_new(&new)
        if result >= 0 { result = sd_bus_set_address(new, address) }
        if result >= 0 { result = sd_bus_set_bus_client(new, 1) }
        if result >= 0 { result = sd_bus_start(new) }
        if result >= 0 { handle = new } else { sd_bus_close_unref(new) }
        return result
    }

    /// For owners that did not call ``close()``.
    deinit {
        guard let handle else { return }
        let remains = Remains(handle: handle, registration: watched?.key)
        loop.execute { [loop] in
            if let registration = remains.registration { loop.unregister(registration) }
            sd_bus_close_unref(remains.handle)
        }
    }

    private struct Remains: @unchecked Sendable {
        // Unchecked: no other reference to the pointer is left.
        let handle: OpaquePointer
        let registration: DescriptorRegistration?
    }

    /// Starts sending and receiving. `onEnd` is called once if the connection is lost, after the pending
    /// calls have failed, but not after ``close()``. Call this once, on the loop only.
    public func open(onEnd: @escaping @Sendable (BusError) -> Void) {
        loop.checkIsolated()
        precondition(!wasOpened && !isClosed, "a connection to a bus is opened once")
        wasOpened = true
        self.onEnd = onEnd
        processLater()
    }

    /// Writes what can be written at once, and closes the connection: no handler is called any more, and
    /// pending calls are dropped. On the loop only; further calls do nothing.
    public func close() {
        loop.checkIsolated()
        isClosed = true
        if wasOpened, let handle { Self.flush(handle) }
        onEnd = nil
        _ = end()
    }

    /// The unique name of this connection, such as `:1.5`; `nil` before the bus has answered `Hello` and
    /// after the end. On the loop only.
    public var uniqueName: String? {
        loop.checkIsolated()
        // sd-bus would wait for the answer.
        guard let handle, isReady else { return nil }
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(handle, &name) >= 0, let name else { return nil }
        return String(cString: name)
    }

    /// Whether the bus has answered `Hello`.
    var isReady: Bool { handle.map { sd_bus_is_ready($0) > 0 } ?? false }

    /// A key for something that can be cancelled.
    func makeKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// Runs `body` after the caller has returned, unless the owner closes the connection first.
    func later(_ body: @escaping @Sendable () -> Void) {
        let wasClosed = isClosed
        loop.execute { [self] in
            guard wasClosed || !isClosed else { return }
            body()
        }
    }

    // MARK: Sending

    /// Passes a message to sd-bus, which writes what can be written at once. Returns its serial number if a
    /// reply is expected.
    @discardableResult
    func send(_ message: BusMessage, expectsReply: Bool = false) throws(BusError) -> UInt64 {
        guard let handle else { throw hasEnded }
        guard !message.hasDescriptors || isReady else {
            // sd-bus would wait until the bus has reported whether it supports descriptors.
            throw BusError(
                BusError.failed,
                "descriptors cannot be sent before the connection to \(bus.name) is ready: wait for an answer first"
            )
        }
        var number: UInt64 = 0
        // Without a place for the serial number, sd-bus marks the message as not expecting a reply.
        let result =
            expectsReply
            ? sd_bus_send(handle, message.pointer, &number)
            : sd_bus_send(handle, message.pointer, nil)
        // What could not be written, or a lost connection. Otherwise the descriptor says when there is more to do.
        if result < 0 || Self.hasQueued(handle) { processLater() }
        guard result >= 0 else { throw BusError("send to \(bus.name)", result: result) }
        return number
    }

    /// The error of everything that is pending at the end.
    var hasEnded: BusError {
        BusError(BusError.disconnected, "the connection to \(bus.name) has ended")
    }

    /// Writes what sd-bus has queued, as far as that is possible without waiting.
    private static func flush(_ handle: OpaquePointer) {
        guard hasQueued(handle) else { return }
        // It writes before it reads; messages that it reads no longer matter.
        var message: OpaquePointer?
        sd_bus_process(handle, &message)
        sd_bus_message_unref(message)
    }

    /// Whether sd-bus has queued what it could not write.
    private static func hasQueued(_ handle: OpaquePointer) -> Bool {
        var count: UInt64 = 0
        return sd_bus_get_n_queued_write(handle, &count) >= 0 && count > 0
    }

    // MARK: Processing

    private func processLater() {
        guard wasOpened, !isProcessing, !willProcess else { return }
        willProcess = true
        loop.execute { [weak self] in
            guard let self else { return }
            willProcess = false
            process()
        }
    }

    /// Writes what is queued, and handles what has arrived.
    private func process() {
        isProcessing = true
        defer { isProcessing = false }
        for _ in 0..<Self.messagesOfTurn {
            // A handler may have closed it.
            guard let handle else { return }
            var pointer: OpaquePointer?
            let result = sd_bus_process(handle, &pointer)
            let message = pointer.map(BusMessage.init(owning:))
            guard result >= 0 else { return lose(BusError("use \(bus.name)", result: result)) }
            guard sd_bus_is_open(handle) > 0 else { return lose(hasEnded) }
            guard result > 0 else { break }
            // Usually nothing else has arrived, and another read would be wasted. If something has, the loop calls again.
            if let message, receive(message), calls.isEmpty { break }
        }
        watch()
    }

    /// Handles a message. Returns whether it was a reply.
    private func receive(_ message: BusMessage) -> Bool {
        switch message.kind {
        case .methodCall: receiveCall(message)
        case .methodReturn(let number):
            receiveReply(message, to: number)
            return true
        case .methodError(let number):
            receiveFailure(message.error, of: number)
            return true
        case .signal: receiveSignal(message)
        case nil: break
        }
        return false
    }

    /// Watches the descriptor and the deadline that sd-bus waits for.
    private func watch() {
        guard let handle else { return }
        let events = sd_bus_get_events(handle)
        let descriptor = sd_bus_get_fd(handle)
        guard events >= 0, descriptor >= 0 else {
            return lose(BusError("use \(bus.name)", result: min(events, descriptor)))
        }
        var interest: DescriptorInterest = []
        if events & CInt(POLLIN) != 0 { interest.insert(.readable) }
        if events & CInt(POLLOUT) != 0 { interest.insert(.writable) }
        do throws(IOError) { try watch(descriptor, for: interest) } catch {
            return lose(BusError(BusError.failed, error.message))
        }
        var microseconds: UInt64 = 0
        let hasDeadline = sd_bus_get_timeout(handle, &microseconds) > 0
        timer.deadline =
            hasDeadline && microseconds < UInt64(Int64.max) / 1_000
            ? MonotonicInstant(nanoseconds: Int64(microseconds) * 1_000) : nil
    }

    /// The descriptor changes if the bus has several addresses and the first one does not answer.
    private func watch(_ descriptor: CInt, for interest: DescriptorInterest) throws(IOError) {
        if let watched, watched.descriptor == descriptor {
            guard watched.interest != interest else { return }
            loop.update(watched.key, for: interest)
            self.watched?.interest = interest
            return
        }
        if let watched { loop.unregister(watched.key) }
        watched = nil
        let key = try loop.register(descriptor, for: interest) { [weak self] _ in self?.process() }
        watched = (descriptor, interest, key)
    }

    // MARK: End

    /// Ends the connection without a call of the owner. Must not be called during a call of the owner.
    func lose(_ error: BusError) {
        let onEnd = onEnd
        self.onEnd = nil
        // The handler may close the connection, after which no other may be called.
        for call in end() where !isClosed { call.reply(.failure(error)) }
        if !isClosed { onEnd?(error) }
    }

    /// Ends everything, and returns the pending calls in order.
    private func end() -> [BusPendingCall] {
        guard let handle else { return [] }
        self.handle = nil
        timer.deadline = nil
        callTimer.deadline = nil
        if let watched { loop.unregister(watched.key) }
        watched = nil
        sd_bus_close_unref(handle)
        subscriptions = []
        watchers = []
        names = [:]
        exports = [:]
        let calls = calls.sorted(byNumber: { $0.key }).map(\.value)
        self.calls = [:]
        return calls
    }
}

extension BusConnection.Bus {
    /// The name within a sentence.
    fileprivate var name: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }

    /// Why connecting failed.
    fileprivate func failure(errno: CInt) -> IOError {
        switch errno {
        case ENOENT, ENOMEDIUM:
            IOError(.notFound, errno: errno, "no \(name.dropFirst(4)): is D-Bus running?")
        // sd-bus returns this for an invalid address, too.
        case ECONNREFUSED, EINVAL:
            IOError(
                .connectionFailed, errno: errno,
                "\(name) does not answer: is D-Bus running, and is this its address?")
        case EACCES, EPERM:
            IOError(
                .permissionDenied, errno: errno,
                "this user is not allowed to connect to \(name)")
        default: IOError("cannot connect to \(name)", errno: errno)
        }
    }
}
