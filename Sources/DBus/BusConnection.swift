internal import CSystemd
internal import Glibc
public import LinuxIO
internal import Octets

/// A connection to a message bus, on an event loop and its thread.
///
///     let bus = try BusConnection(.system, on: loop)
///     bus.open { error in … }    // it has ended
///     bus.call(BusCall("org.bluez", "/", …), within: .seconds(25)) { result in … }
///
/// Everything here happens on the loop's thread, which is also where it may be used. What is sent before the
/// bus has answered the greeting waits for that. No handler is called from within a call of its owner; each
/// may do with the connection what it likes. Handlers hold their captures until what they are for ends.
///
/// sd-bus does the protocol of the wire. What goes with which answer, subscription or object is decided here,
/// so that no code of a user ever runs inside of sd-bus. Its deadlines are on the machine's clock: a loop
/// with a virtual one does not do.
public final class BusConnection: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    /// Where a bus is.
    public enum Bus: Hashable, Sendable {
        /// The machine's; `DBUS_SYSTEM_BUS_ADDRESS` in the environment may say where it is.
        case system
        /// That of the session of the user, at `DBUS_SESSION_BUS_ADDRESS` or in `XDG_RUNTIME_DIR`.
        case session
        /// A place as D-Bus writes it: `unix:path=/run/bus`.
        case address(String)
    }

    /// After how many messages the rest of the loop has its turn.
    private static let messagesOfTurn = 64
    /// How long the bus itself may take for an answer.
    static let limitOfBus = Duration.seconds(25)

    let loop: EventLoop
    private let bus: Bus
    /// The `sd_bus`; `nil` once the connection has ended.
    private(set) var handle: OpaquePointer?
    private var onEnd: (@Sendable (BusError) -> Void)?
    private var wasOpened = false
    /// Whether the owner ended it.
    private var isClosed = false
    private var isProcessing = false
    private var willProcess = false
    private var watched:
        (descriptor: CInt, interest: DescriptorInterest, key: DescriptorRegistration)?
    private lazy var timer = LoopTimer(on: loop) { [weak self] in self?.process() }

    /// The calls that were not answered yet, by the number of their message.
    var calls: [UInt64: BusPendingCall] = [:]
    /// In the order in which they were made.
    var subscriptions: [BusSignalSubscription] = []
    var watchers: [BusNameWatcher] = []
    /// The names whose owners are known or asked for.
    var names: [String: BusName] = [:]
    var exports: [ObjectPath: BusExportedObject] = [:]
    private var lastKey: UInt64 = 0

    /// Connects to a bus, without waiting for its greeting. From any thread.
    ///
    /// The error says that there is no such bus, that it does not answer, or that this user may not use it.
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

    /// The net under owners that forget to close.
    deinit {
        guard let handle else { return }
        let remains = Remains(handle: handle, registration: watched?.key)
        loop.execute { [loop] in
            if let registration = remains.registration { loop.unregister(registration) }
            sd_bus_close_unref(remains.handle)
        }
    }

    private struct Remains: @unchecked Sendable {
        // Unchecked: nobody else has the pointer any more.
        let handle: OpaquePointer
        let registration: DescriptorRegistration?
    }

    /// Begins to send and to receive. `onEnd` is told once when the connection is lost, after the calls that
    /// were not answered have been told so; not where ``close()`` ended it. Once, on the loop only.
    public func open(onEnd: @escaping @Sendable (BusError) -> Void) {
        loop.checkIsolated()
        precondition(!wasOpened && !isClosed, "a connection to a bus is opened once")
        wasOpened = true
        self.onEnd = onEnd
        processLater()
    }

    /// Writes what can be written at once and ends: nothing is told any more, and calls that were not
    /// answered are forgotten. On the loop only; again does nothing.
    public func close() {
        loop.checkIsolated()
        isClosed = true
        if wasOpened, let handle { Self.flush(handle) }
        onEnd = nil
        _ = end()
    }

    /// The name that the bus gave to this connection, such as `:1.5`; `nil` before its greeting and after the
    /// end. On the loop only.
    public var uniqueName: String? {
        loop.checkIsolated()
        // sd-bus would wait for the greeting.
        guard let handle, isReady else { return nil }
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(handle, &name) >= 0, let name else { return nil }
        return String(cString: name)
    }

    /// Whether the bus has greeted.
    var isReady: Bool { handle.map { sd_bus_is_ready($0) > 0 } ?? false }

    /// A number for something that can be ended.
    func makeKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// Runs `body` when the caller has returned, unless the owner closes the connection before.
    func later(_ body: @escaping @Sendable () -> Void) {
        let wasClosed = isClosed
        loop.execute { [self] in
            guard wasClosed || !isClosed else { return }
            body()
        }
    }

    // MARK: Sending

    /// Gives a message to sd-bus, which writes what can be written at once. Returns its number, where an
    /// answer is expected.
    @discardableResult
    func send(_ message: BusMessage, expectsReply: Bool = false) throws(BusError) -> UInt64 {
        guard let handle else { throw hasEnded }
        guard !message.hasDescriptors || isReady else {
            // sd-bus would wait until the bus has said whether it passes descriptors on.
            throw BusError(
                BusError.failed,
                "no descriptor can be sent before \(bus.name) has greeted: wait for an answer first"
            )
        }
        var number: UInt64 = 0
        // Without a place for the number sd-bus tells the other side not to answer.
        let result =
            expectsReply
            ? sd_bus_send(handle, message.pointer, &number)
            : sd_bus_send(handle, message.pointer, nil)
        // What could not be written, or that the connection was lost, is dealt with there.
        processLater()
        guard result >= 0 else { throw BusError("send to \(bus.name)", result: result) }
        return number
    }

    /// What everything is answered with after the end.
    var hasEnded: BusError {
        BusError(BusError.disconnected, "the connection to \(bus.name) has ended")
    }

    /// Writes what sd-bus did not get rid of before, as far as that goes without waiting.
    private static func flush(_ handle: OpaquePointer) {
        var count: UInt64 = 0
        guard sd_bus_get_n_queued_write(handle, &count) >= 0, count > 0 else { return }
        // It writes before it reads; what it may have read is of no interest any more.
        var message: OpaquePointer?
        sd_bus_process(handle, &message)
        sd_bus_message_unref(message)
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

    /// Sends what waits, and takes what has come.
    private func process() {
        isProcessing = true
        defer { isProcessing = false }
        for _ in 0..<Self.messagesOfTurn {
            // A handler may have ended it.
            guard let handle else { return }
            var pointer: OpaquePointer?
            let result = sd_bus_process(handle, &pointer)
            let message = pointer.map(BusMessage.init(owning:))
            guard result >= 0 else { return lose(BusError("use \(bus.name)", result: result)) }
            guard sd_bus_is_open(handle) > 0 else { return lose(hasEnded) }
            guard result > 0 else { break }
            if let message { receive(message) }
        }
        watch()
    }

    private func receive(_ message: BusMessage) {
        switch message.kind {
        case .methodCall: receiveCall(message)
        case .methodReturn(let number): receiveReply(message, to: number)
        case .methodError(let number): receiveFailure(message.error, of: number)
        case .signal: receiveSignal(message)
        case nil: break
        }
    }

    /// Has the loop wake this up for what sd-bus waits for.
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

    /// The descriptor is another one where the bus has more addresses than one and the first does not answer.
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

    /// The end that the owner did not ask for. Not from within one of their calls.
    func lose(_ error: BusError) {
        let onEnd = onEnd
        self.onEnd = nil
        // Whoever is told may close it, and wants to hear no more of it.
        for call in end() where !isClosed { call.reply(.failure(error)) }
        if !isClosed { onEnd?(error) }
    }

    /// Ends what there is, and returns the calls that were not answered, the first one first.
    private func end() -> [BusPendingCall] {
        guard let handle else { return [] }
        self.handle = nil
        timer.deadline = nil
        if let watched { loop.unregister(watched.key) }
        watched = nil
        sd_bus_close_unref(handle)
        subscriptions = []
        watchers = []
        names = [:]
        exports = [:]
        let calls = calls.sorted { $0.key < $1.key }.map(\.value)
        self.calls = [:]
        for call in calls { call.timer.deadline = nil }
        return calls
    }
}

extension BusConnection.Bus {
    /// As it stands in a sentence.
    fileprivate var name: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }

    /// Why it could not be connected to.
    fileprivate func failure(errno: CInt) -> IOError {
        switch errno {
        case ENOENT, ENOMEDIUM:
            IOError(
                .notFound, errno: errno, "there is no \(name.dropFirst(4)): is D-Bus running?")
        // Also where sd-bus can make nothing of the address.
        case ECONNREFUSED, EINVAL:
            IOError(
                .connectionFailed, errno: errno,
                "\(name) does not answer: is D-Bus running, and is this its address?")
        case EACCES, EPERM:
            IOError(
                .permissionDenied, errno: errno,
                "this user may not connect to \(name): its socket belongs to others")
        default: IOError("cannot connect to \(name)", errno: errno)
        }
    }
}
