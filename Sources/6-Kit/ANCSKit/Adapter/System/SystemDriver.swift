internal import BluetoothLE
internal import HCITransports
internal import LinuxIO

/// Drives the ``BluetoothSystem`` of an adapter: passes packets between it and the transport, handles its
/// timeouts, stores its state, and delivers its events to its clients.
///
/// Confined to the loop's thread except for ``makeClientID()``, ``enroll(_:as:)`` and ``dismiss(_:)``, and
/// synchronous: when a call returns it has taken effect. Events and completions that follow from it are
/// delivered later. All times are those of the loop.
final class SystemDriver: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the transport checks, but for the counter.

    let loop: EventLoop
    let storage: DeviceStorage
    var transport: HCITransport
    var returning = ReturningDevice()
    var returnTimer: LoopTimer?
    private var machine: BluetoothSystem
    private var timer: LoopTimer?
    /// How long the machine had been suspended at the last check.
    private var suspended = Duration.zero
    private var suspensionTimer: LoopTimer?
    private var isOpen = false
    private(set) var isClosed = false
    let desk: SystemDesk
    private var lastRequest: UInt64 = 0

    /// The pending completions, in the order of their requests, which is nearly that of their ends.
    private var completions: [(request: ClientRequest.ID, completion: Completion)] = []
    /// Whether the machine has reported that the controller cannot be set up.
    private var isControllerUnready = false

    /// The completion of a request.
    enum Completion {
        case procedure(@Sendable (Result<GATTResult, GATTFailure>) -> Void)
        case rssi(@Sendable (Result<Int8, RSSIFailure>) -> Void)
        case services(@Sendable ([BluetoothUUID]) -> Void)
    }

    /// A system that has not been opened. Reads the stored state, and locks its file.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        let controller = configuration.controller
        let required = controller.pairing.requiredProtection
        if let fault = required.fault(with: configuration.pairingAbility) {
            throw .configuration("the required protection is impossible: " + fault)
        }
        self.loop = loop
        desk = SystemDesk(on: loop)
        storage = try DeviceStorage(controller.store, toolbox: controller.toolbox)
        machine = BluetoothSystem(configuration, stored: storage.initial, toolbox: storage.toolbox)
        var transportConfiguration = HCITransport.Configuration()
        transportConfiguration.capture = controller.capture
        transportConfiguration.tap = controller.tap
        transport = HCITransport(
            controller.moniker, on: loop, configuration: transportConfiguration)
        desk.whenRested { [weak self] in self?.plan() }
    }

    // MARK: Life

    /// How often to check whether the machine was suspended.
    private static var suspensionInterval: Duration { .seconds(15) }
    /// The difference of two clocks between two checks that is possible without a suspension.
    private static var suspensionTolerance: Duration { .seconds(1) }

    /// Opens the transport and sets the controller up. Further calls do nothing.
    func open() {
        guard !isOpen, !isClosed else { return }
        isOpen = true
        timer = LoopTimer(on: loop) { [unowned self] in
            step { update { machine, now in machine.handleTimeout(at: now) } }
        }
        suspended = loop.suspendedTime
        suspensionTimer = LoopTimer(on: loop) { [unowned self] in step { lookForSuspension() } }
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
        returnTimer = LoopTimer(on: loop) { [unowned self] in
            transport = HCITransport(
                transport.moniker, on: loop, configuration: transport.configuration)
            openTransport()
        }
        openTransport()
    }

    /// Timers stop while the machine is suspended, and the controller may have lost its power.
    private func lookForSuspension() {
        let now = loop.suspendedTime
        let wasSuspended = now - exchange(&suspended, with: now) > Self.suspensionTolerance
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
        if wasSuspended { update { machine, now in machine.resumed(at: now) } }
    }

    /// Closes the transport and releases the file of the state. Clients receive that it is off, and then
    /// `closed`, the last event.
    func close() {
        guard !isClosed else { return }
        update { machine, now in machine.close(at: now) }
        isClosed = true
        desk.close()
        for timer in [timer, suspensionTimer, returnTimer] { timer?.deadline = nil }
        timer = nil
        suspensionTimer = nil
        returnTimer = nil
        if isOpen { transport.close() }
        storage.close()
    }

    // MARK: The machine

    /// Calls inputs of the machine and carries out its outputs; events are delivered at the end of the step.
    @discardableResult func update<Value, Failure: Error>(
        _ body: (inout BluetoothSystem, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = loop.now
        defer {
            if exchange(&isControllerUnready, with: false) { controllerNotReady() }
            plan()
        }
        return try update(&machine, at: now, body)
    }

    /// One access to the machine for its inputs and all their outputs, because Swift checks each access.
    private func update<Value, Failure: Error>(
        _ machine: inout BluetoothSystem, at now: MonotonicInstant,
        _ body: (inout BluetoothSystem, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { carryOut(of: &machine, at: now) }
        return try body(&machine, now)
    }

    /// Reads from the machine. `inout`, because Swift 6.3 copies a machine in a class to the stack in order
    /// to borrow it.
    func query<Value>(_ body: (inout BluetoothSystem) -> Value) -> Value { body(&machine) }

    @inline(never)
    private func carryOut(of machine: inout BluetoothSystem, at now: MonotonicInstant) {
        while let output = machine.pollOutput(at: now) {
            switch consume output {
            case .send(let packet): if !isClosed { transport.send(packet) }
            case .report(let event): desk.send(event)
            case .reportClient(let client, let event): desk.send(event, to: client)
            case .withdraw(let client, let withdrawal): desk.withdraw(withdrawal, from: client)
            case .completed(let request, let result):
                guard case .procedure(let body)? = completion(of: request) else { continue }
                desk.complete(body, with: result)
            case .rssiRead(let request, let result):
                guard case .rssi(let body)? = completion(of: request) else { continue }
                later { body(result) }
            case .servicesFound(let request, let uuids):
                guard case .services(let body)? = completion(of: request) else { continue }
                later { body(uuids) }
            case .store: store(&machine)
            case .controllerReady: returning.ready(at: now)
            case .controllerNotReady: isControllerUnready = true
            }
        }
    }

    private func plan() {
        // A step sets its timer when it ends.
        guard !isClosed, desk.isResting else { return }
        timer?.deadline = query { $0.nextDeadline }
    }

    private func store(_ machine: inout BluetoothSystem) {
        guard !isClosed else { return }
        do throws(BondStore.Failure) {
            try storage.save(bonds: machine.bondRecords, peers: machine.peers.takeKnown())
        } catch {
            report(.warning(DeviceWarning(.storage, "the bonds are not stored: \(error.message)")))
        }
    }

    // MARK: Requests

    /// A new identifier for a request.
    func makeRequest(_ completion: Completion) -> ClientRequest.ID {
        lastRequest += 1
        let id = ClientRequest.ID(rawValue: lastRequest)
        completions.append((id, completion))
        return id
    }

    private func completion(of request: ClientRequest.ID) -> Completion? {
        completions.firstIndex { $0.request == request }.map {
            completions.remove(at: $0).completion
        }
    }

    // MARK: Deliveries

    /// Runs a step, then delivers what follows from it.
    func step(_ body: () -> Void) { desk.step(body) }

    /// Delivers an event of the transport to all clients.
    func report(_ event: SystemEvent.ControllerEvent) { desk.send(.controller(event)) }

    /// Calls `body` once everything that has happened so far has been delivered.
    func later(_ body: @escaping @Sendable () -> Void) { desk.later(body) }
}
