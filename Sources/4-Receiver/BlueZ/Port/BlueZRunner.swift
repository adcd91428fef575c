public import DBus

/// What a ``BlueZRunner`` tells its owner.
@usableFromInline package enum BlueZNews<Report: Equatable & Sendable>: Sendable {
    /// The machine reports something.
    case report(Report)
    /// What has ended bluetoothd cannot be read or kept, for people.
    case memoryFailed(String)
    /// The bus cannot be used, or not any more; the last news.
    case lost(IOError)
}

/// Runs a machine over a bus: passes on what arrives from there, and carries out what the machine asks for.
///
/// Synchronous, and on the loop only: when a call returns it has taken effect. News come while a call or an input of
/// the bus is carried out, in order; the owner may call the machine again meanwhile, and what follows from that comes
/// after.
///
/// What each message passes through is inlinable, so that code in the module of a machine is specialized for it: without
/// that, each step asks Swift's runtime for the types of the machine and of its outputs.
@usableFromInline
package final class BlueZRunner<Machine: DaemonClient & ~Copyable>: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the connection to the bus checks.

    @usableFromInline package let loop: EventLoop
    @usableFromInline let makeBus: () throws(IOError) -> any MessageBus
    private let memory: (any DaemonEndsMemory)?
    /// The directory below which SELinux' files are; tests have another.
    private let root: String
    @usableFromInline var core: Core
    @usableFromInline var bus: (any MessageBus)?
    @usableFromInline var deliver: (@Sendable (BlueZNews<Machine.Report>) -> Void)?
    @usableFromInline var timer: LoopTimer?
    /// What the machine has subscribed to.
    @usableFromInline var subscriptions: [(match: BusMatch, subscription: BusSubscription)] = []
    private var sockets: [SocketID: ValueSocket] = [:]
    @usableFromInline var invocations: [InvocationID: BusReply] = [:]
    private var lastInvocation: UInt64 = 0
    /// The calls of the owner that are not answered.
    private var ownCalls: [UInt64: @Sendable (BusResult) -> Void] = [:]
    private var lastOwnCall: UInt64 = 0
    private var willDrain = false
    private var hasReportedMemory = false

    /// The machine, and how far it is. In one place, because Swift checks each access to a property of a class.
    @usableFromInline struct Core: ~Copyable, Sendable {
        @usableFromInline enum State: Sendable {
            /// It is not on the bus yet; its outputs wait.
            case new
            case resting
            /// Its outputs are carried out.
            case draining
            case closed
        }

        @usableFromInline var machine: Machine
        @usableFromInline var state = State.new
        /// When the timer fires. It is only moved to an earlier time: setting it for each request would cost more than
        /// one timeout too many.
        @usableFromInline var firesAt: MonotonicInstant?

        @inlinable init(_ machine: consuming Machine) { self.machine = machine }

        /// Calls an input of the machine. Returns whether its outputs have to be carried out; while they are, further up
        /// the stack, that goes on with what has been added.
        @inlinable mutating func step(
            at now: MonotonicInstant, _ body: (inout Machine, MonotonicInstant) -> Void
        ) -> Bool {
            guard state != .closed else { return false }
            body(&machine, now)
            return state == .resting
        }

        /// The next output to carry out.
        @inlinable mutating func nextOutput() -> BlueZOutput<Machine.Report>? {
            guard state != .closed else { return nil }
            guard let output = machine.pollOutput() else {
                state = .resting
                return nil
            }
            state = .draining
            return output
        }

        /// What the timer has to be set to, if anything.
        @inlinable mutating func earlierDeadline() -> MonotonicInstant? {
            guard state == .resting, let next = machine.nextDeadline,
                firesAt.map({ next < $0 }) ?? true
            else { return nil }
            firesAt = next
            return next
        }
    }

    /// A machine that is not on the bus yet, to which `makeBus` connects.
    package init(
        _ machine: consuming Machine, on loop: EventLoop, memory: (any DaemonEndsMemory)? = nil,
        root: String = "", makeBus: @escaping () throws(IOError) -> any MessageBus
    ) {
        core = Core(machine)
        self.loop = loop
        self.memory = memory
        self.root = root
        self.makeBus = makeBus
    }

    // MARK: Life

    /// Connects to the bus, and begins. Call it once.
    @inlinable package func open(deliver: @escaping @Sendable (BlueZNews<Machine.Report>) -> Void) {
        loop.checkIsolated()
        precondition(core.state == .new, "a machine is put on the bus once")
        core.state = .resting
        self.deliver = deliver
        timer = LoopTimer(on: loop) { [weak self] in
            self?.core.firesAt = nil
            self?.step { $0.handleTimeout(at: $1) }
        }
        remember()
        do throws(IOError) {
            let bus = try makeBus()
            self.bus = bus
            listen(to: bus)
        } catch { deliver(.lost(error)) }
    }

    @inlinable func listen(to bus: any MessageBus) {
        bus.open { [weak self] error in self?.ended(error) }
        for match in Machine.signals { _ = passOn(match, from: bus) }
        for path in Machine.objectPaths {
            bus.export(path, introspection: "") { [weak self] call, reply in
                self?.called(call, reply)
            }
        }
        watch(bus)
    }

    @usableFromInline func watch(_ bus: any MessageBus) {
        bus.watch(name: ObjectTree.service) { [weak self] owner in
            guard let self else { return }
            // Another bluetoothd may come with another policy.
            readSELinux()
            step { $0.ownerChanged(to: owner, at: $1) }
        }
    }

    @inlinable func passOn(_ match: BusMatch, from bus: any MessageBus) -> BusSubscription {
        bus.signals(match) { [weak self] signal in
            guard let self else { return }
            if !signal.isAboutAdvertising { readSockets() }
            step { $0.receive(signal, at: $1) }
        }
    }

    @inlinable func subscribe(to match: BusMatch) {
        guard let bus else { return }
        subscriptions.append((match, passOn(match, from: bus)))
    }

    @usableFromInline func unsubscribe(from match: BusMatch) {
        for (_, subscription) in subscriptions.filter({ $0.match == match }) {
            bus?.cancel(subscription)
        }
        subscriptions.removeAll { $0.match == match }
    }

    /// Our objects on the bus are gone with the connection.
    @usableFromInline func ended(_ error: BusError) {
        let message = "the connection to the system bus has ended: \(error.message)"
        deliver?(.lost(IOError(.hangUp, message)))
    }

    /// Closes the connection to the bus, and with it what bluetoothd has registered for this program: discoveries,
    /// subscriptions, the agent. Links remain. No news follow. Further calls do nothing.
    package func close() {
        core.state = .closed
        deliver = nil
        timer?.deadline = nil
        timer = nil
        for socket in sockets.values { socket.close() }
        sockets = [:]
        invocations = [:]
        bus?.close()
        bus = nil
        // The bus gives up what is not answered.
        for (_, reply) in exchange(&ownCalls, with: [:]).sorted(byNumber: { $0.key }) {
            loop.execute { reply(.failure(Self.noBus)) }
        }
    }

    /// Whether it is connected to the bus, or is being connected.
    package var isOpen: Bool { bus != nil }

    /// The unique name of this program on the bus; `nil` if it has none.
    package var uniqueName: String? { bus?.uniqueName }

    // MARK: The machine

    /// Calls an input of the machine, and carries out what follows; before ``open(deliver:)``, that waits.
    @inlinable package func step(_ body: (inout Machine, MonotonicInstant) -> Void) {
        if core.step(at: loop.now, body) { drain() }
    }

    /// Calls an input of the machine; what follows is carried out after the caller has returned.
    package func stepLater(_ body: (inout Machine, MonotonicInstant) -> Void) {
        guard core.step(at: loop.now, body), !exchange(&willDrain, with: true) else { return }
        loop.execute { [weak self] in
            self?.willDrain = false
            self?.drain()
        }
    }

    /// Reads from the machine. `inout`, because Swift 6.3 copies a machine in a class to the stack in order to borrow
    /// it.
    @inlinable
    package func query<Value>(_ body: (inout Machine) -> Value) -> Value { body(&core.machine) }

    /// Makes a call for the owner, past the machine; `disconnected` without a bus, and after ``close()``.
    package func call(
        _ call: BusCall, within limit: Duration, reply: @escaping @Sendable (BusResult) -> Void
    ) {
        guard let bus else { return loop.execute { reply(.failure(Self.noBus)) } }
        lastOwnCall += 1
        let number = lastOwnCall
        ownCalls[number] = reply
        bus.call(call, within: limit) { [weak self] result in
            self?.ownCalls.removeValue(forKey: number)?(result)
        }
    }

    private static var noBus: BusError {
        BusError(BusError.disconnected, "there is no connection to the system bus")
    }

    @inlinable func drain() {
        while let output = core.nextOutput() { carryOut(output) }
        if let deadline = core.earlierDeadline() { timer?.deadline = deadline }
    }

    @inlinable func carryOut(_ output: consuming BlueZOutput<Machine.Report>) {
        switch consume output {
        case .call(let id, let call, let limit):
            bus?.call(call, within: limit) { [weak self] in self?.replied(to: id, $0) }
        case .subscribe(let match): subscribe(to: match)
        case .unsubscribe(let match): unsubscribe(from: match)
        case .open(let socket, let descriptor): open(socket, descriptor)
        case .close(let socket): close(socket)
        case .answer(let invocation, .success(let values)):
            invocations.removeValue(forKey: invocation)?.succeed(values)
        case .answer(let invocation, .failure(let error)):
            invocations.removeValue(forKey: invocation)?.fail(error)
        case .readSELinux: readSELinux()
        case .remember(let ends): keep(ends)
        case .report(let report): deliver?(.report(report))
        }
    }

    // MARK: What bluetoothd does

    @usableFromInline func called(_ call: BusMethodCall, _ reply: BusReply) {
        lastInvocation += 1
        let invocation = InvocationID(rawValue: lastInvocation)
        invocations[invocation] = reply
        step { $0.receive(call, invocation, at: $1) }
    }

    @inlinable func replied(to call: CallID, _ result: BusResult) {
        // The bus is lost, which is reported next; this says nothing about bluetoothd or a device.
        if case .failure(let error) = result, error.name == BusError.disconnected,
            bus?.uniqueName == nil
        {
            return
        }
        step { $0.receive(result, to: call, at: $1) }
    }

    /// Reads what came before a signal: bluetoothd has written a value to the socket before it announces what came
    /// after it, and the loop may find both at once.
    @usableFromInline func readSockets() {
        for socket in sockets.values { socket.readPending() }
    }

    @usableFromInline func open(_ id: SocketID, _ descriptor: BusDescriptor) {
        let socket = ValueSocket(descriptor, on: loop) { [weak self] event in
            switch event {
            case .value(let value): self?.step { $0.receive(value, from: id, at: $1) }
            case .hangUp: self?.step { $0.hungUp(id, at: $1) }
            }
        }
        guard let socket else { return step { $0.hungUp(id, at: $1) } }
        sockets[id] = socket
    }

    @usableFromInline func close(_ id: SocketID) { sockets.removeValue(forKey: id)?.close() }

    // MARK: What ended bluetoothd

    @usableFromInline func readSELinux() {
        let selinux = SELinuxState(SELinux.state(root: root))
        step { $0.selinuxRead(selinux, at: $1) }
    }

    @usableFromInline func remember() {
        do throws(DaemonEndsTrouble) {
            if let ends = try memory?.remembered() { step { $0.remembered(ends, at: $1) } }
        } catch { deliver?(.memoryFailed(error.message)) }
    }

    @usableFromInline func keep(_ ends: [DaemonEnds]) {
        do throws(DaemonEndsTrouble) { try memory?.keep(ends) } catch {
            guard !exchange(&hasReportedMemory, with: true) else { return }
            deliver?(.memoryFailed(error.message))
        }
    }
}

extension BusSignal {
    /// Whether it tells that a device was heard. In a crowded place there are hundreds of these a second.
    @usableFromInline var isAboutAdvertising: Bool {
        guard member == "PropertiesChanged", arguments.first?.string == DeviceObject.interface,
            arguments.count > 1, let changed = arguments[1].dictionary
        else { return false }
        // bluetoothd puts what changes at a time into one signal: the end of the link too.
        return changed[.string("RSSI")] != nil && changed[.string("Connected")] == nil
            && changed[.string("ServicesResolved")] == nil
    }
}

extension SELinuxState {
    /// What SELinux does at this machine.
    package init(_ selinux: SELinux) {
        self.init(isEnforcing: selinux.mode == .enforcing, policy: selinux.policy?.identity ?? "")
    }
}
