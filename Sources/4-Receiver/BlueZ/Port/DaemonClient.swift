public import ANCSEvents
public import DBus

/// A client of bluetoothd: a machine that lives as long as a bluetoothd does, registers an agent there, and makes calls.
/// What two of them have in common is here, once. A ``BlueZRunner`` passes on to it what arrives, and carries out what it
/// asks for.
@usableFromInline package protocol DaemonClient: ~Copyable, Sendable {
    /// What it tells its owner.
    associatedtype Report: Equatable, Sendable
    /// The purposes of its own calls.
    associatedtype Own: Equatable, Sendable

    var desk: DaemonDesk<Own, Report> { get set }
    var adapters: [ObjectPath: AdapterObject] { get }
    /// The objects whose calls have to be passed on.
    static var objectPaths: [ObjectPath] { get }
    /// The signals that have to be passed on from the beginning.
    static var signals: [BusMatch] { get }
    /// A signal arrived.
    mutating func receive(_ signal: BusSignal, at now: MonotonicInstant)
    /// A value arrived on a socket.
    mutating func receive(_ value: [UInt8], from socket: SocketID, at now: MonotonicInstant)
    /// A socket was closed by bluetoothd.
    mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant)
    /// What SELinux does; before the owner of the name is reported, and when it changes.
    mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant)
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    var nextDeadline: MonotonicInstant? { get }
    /// These are all objects of bluetoothd.
    mutating func took(_ objects: BusValue?, at now: MonotonicInstant)
    /// The objects cannot be had for now.
    mutating func isUnavailable(because failure: BluetoothdFailure)
    /// bluetoothd cannot be used, and is not waited for.
    mutating func failed(because failure: BluetoothdFailure)
    /// bluetoothd has ended, and with it all links and registrations; its calls are not answered.
    mutating func daemonEnded(at now: MonotonicInstant)
    /// A call of its own was answered.
    mutating func replied(
        _ result: BusResult, to call: CallID, for purpose: Own, at now: MonotonicInstant)
    /// bluetoothd has called a method.
    mutating func called(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant)
    /// Something of its own may be due.
    mutating func advance(at now: MonotonicInstant)
    /// The agent says something of the pairing with a device, or of itself.
    mutating func said(_ event: PairingAgent.Event)
    /// Carries out what follows from an input.
    mutating func settle(at now: MonotonicInstant)
}

// MARK: - What happens

extension DaemonClient where Self: ~Copyable {
    /// The owner of bluetoothd's name changed; `nil` for none.
    package mutating func ownerChanged(to owner: String?, at now: MonotonicInstant) {
        guard !desk.daemon.hasFailed else { return }
        if desk.daemon.ownerChanged(to: owner, at: now) {
            if desk.sockets.daemonEnded(at: now) { keepEnds(at: now) }
            desk.pending = [:]
            daemonEnded(at: now)
        }
        if desk.daemon.wantsLook { look() }
        settle(at: now)
    }

    @inlinable package mutating func receive(
        _ result: BusResult, to call: CallID, at now: MonotonicInstant
    ) {
        guard let purpose = desk.pending.removeValue(forKey: call), !desk.daemon.hasFailed
        else { return }
        if desk.sockets.replied(to: call, result, at: now) { keepEnds(at: now) }
        switch purpose {
        case .own(let own): replied(result, to: call, for: own, at: now)
        case .look: looked(result, call, at: now)
        case .registerAgent: desk.agent.registered(result)
        case .nothing: break
        }
        settle(at: now)
    }

    /// Asks for all objects of bluetoothd.
    package mutating func look() {
        let isStarted = desk.daemon.owner == nil
        desk.daemon.looks(
            by: call(.managedObjects(startsProgram: isStarted), for: .look, within: .seconds(25)))
    }

    @usableFromInline package mutating func looked(
        _ result: BusResult, _ call: CallID, at now: MonotonicInstant
    ) {
        switch desk.daemon.looked(result, by: call, at: now) {
        case .success(let objects): took(objects, at: now)
        case .failure(let failure) where desk.daemon.hasFailed: failed(because: failure)
        case .failure(let failure): isUnavailable(because: failure)
        case nil: break
        }
    }

    /// Any program can call our objects.
    package mutating func receive(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        guard let owner = desk.daemon.owner, call.sender == owner, !desk.daemon.hasFailed
        else { return output(.refusal(of: invocation)) }
        called(call, invocation, at: now)
        settle(at: now)
    }

    /// What earlier runs of this program have kept; before the owner of the name is reported.
    package mutating func remembered(_ ends: [DaemonEnds], at now: MonotonicInstant) {
        desk.sockets.remember(ends, at: now)
    }

    @usableFromInline package mutating func keepEnds(at now: MonotonicInstant) {
        output(.remember(desk.sockets.ends(at: now)))
    }

    @usableFromInline package mutating func handleTimeout(at now: MonotonicInstant) {
        guard !desk.daemon.hasFailed else { return }
        if desk.daemon.handleTimeout(at: now) { look() }
        if desk.daemon.hasFailed { failed(because: .ended) }
        advance(at: now)
        settle(at: now)
    }

    @inlinable package mutating func pollOutput() -> BlueZOutput<Report>? {
        desk.outputs.popFirst()
    }
}

// MARK: - What it does

extension DaemonClient where Self: ~Copyable {
    @inlinable package var adapter: ObjectPath? {
        get { desk.adapter }
        set { desk.adapter = newValue }
    }

    @inlinable package mutating func output(_ output: BlueZOutput<Report>) {
        desk.outputs.append(output)
    }

    @inlinable @discardableResult package mutating func call(
        _ call: BusCall, for purpose: DaemonDesk<Own, Report>.Purpose, within limit: Duration
    ) -> CallID {
        desk.lastID += 1
        let id = CallID(rawValue: desk.lastID)
        desk.pending[id] = purpose
        desk.outputs.append(.call(id, call, limit: limit))
        return id
    }

    @inlinable package mutating func makeSocketID() -> SocketID {
        desk.lastID += 1
        return SocketID(rawValue: desk.lastID)
    }

    /// Something pairs: the adapter has to be pairable.
    package mutating func makePairable() {
        guard let adapter = desk.adapter, adapters[adapter]?.isPairable == false else { return }
        desk.pairable = adapter
        setPairable(true, adapter)
    }

    /// Nothing pairs any more.
    @inlinable package mutating func restorePairable() {
        if let adapter = desk.pairable { restorePairable(adapter) }
    }

    @usableFromInline mutating func restorePairable(_ adapter: ObjectPath) {
        desk.pairable = nil
        if adapters[adapter] != nil { setPairable(false, adapter) }
    }

    private mutating func setPairable(_ isPairable: Bool, _ adapter: ObjectPath) {
        call(
            .set("Pairable", isPairable, of: AdapterObject.interface, at: adapter), for: .nothing,
            within: .seconds(10))
    }

    @inlinable package mutating func drainAgent() {
        while let output = desk.agent.pollOutput() { carryOut(output) }
    }

    @usableFromInline mutating func carryOut(_ output: PairingAgent.Output) {
        switch output {
        case .register: call(desk.agent.registration, for: .registerAgent, within: .seconds(10))
        case .answer(let invocation, let result): self.output(.answer(invocation, result))
        case .event(let event): said(event)
        }
    }

    /// Passes on the user's answer to a question of the agent; ignored if the question is no longer pending.
    package mutating func passOn(
        _ answer: PairingReply.Answer, to question: UInt64, at now: MonotonicInstant
    ) {
        if let device = desk.agent.answer(question, answer) { cancelPairing(with: device) }
        settle(at: now)
    }

    package mutating func cancelPairing(with device: ObjectPath) {
        call(.device(device, "CancelPairing"), for: .nothing, within: .seconds(10))
    }

    // MARK: Sockets

    @usableFromInline package var circumstances: DaemonCircumstances {
        DaemonCircumstances(
            modalias: desk.adapter.flatMap { adapters[$0]?.modalias } ?? "", selinux: desk.selinux)
    }

    /// Makes a call for a device, with what `AcquireNotify` and `StopNotify` may do to bluetoothd in mind. Returns the
    /// reply where it is not made: its object is gone, or a subscription may not be stopped, and ends with this program.
    @inlinable package mutating func call(
        _ bus: BusCall?, about subscription: ValueSubscription.Call?, for purpose: Own,
        within limit: Duration
    ) -> BusResult? {
        guard let bus else {
            return .failure(BusError(BusError.unknownObject, "it was removed"))
        }
        if subscription == .stop, !desk.sockets.mayStop(bus.path, under: circumstances) {
            return .success([])
        }
        let id = call(bus, for: .own(purpose), within: limit)
        if subscription == .acquire {
            desk.sockets.acquires(id, of: bus.path, under: circumstances)
        }
        return nil
    }

    /// The link of a device has ended: bluetoothd must not keep a socket that was asked for there.
    package mutating func releaseSockets(of device: ObjectPath) {
        for characteristic in desk.sockets.linkEnded(to: device, under: circumstances) {
            call(
                .attribute(characteristic, "StopNotify"), for: .nothing,
                within: ValueSubscription.Call.limit)
        }
    }
}

extension BlueZAccessory: DaemonClient {
    package static let signals = [
        BusMatch(sender: ObjectTree.service),
        BusMatch(
            sender: "org.freedesktop.login1", interface: "org.freedesktop.login1.Manager",
            member: "PrepareForSleep"),
    ]
}
