internal import BluetoothLE
internal import HCITransports
internal import LinuxIO
internal import Octets
internal import Synchronization

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
    private let lastClient = Atomic<UInt64>(0)
    private var lastRequest: UInt64 = 0

    /// The clients that receive events.
    private var clients: [Enrolled] = []
    /// The pending completions.
    private var completions: [ClientRequest.ID: Completion] = [:]
    /// Deliveries for the end of the step, in order.
    private var deliveries = Queue<Delivery>()
    private var phase = Phase.resting
    /// Packets that arrive together set the deadline once.
    private var isInBatch = false

    private enum Phase {
        case resting
        /// A call came from outside a step: the loop will deliver what follows from it.
        case planned
        /// A step is running or delivering, and also delivers what follows from it.
        case inStep
    }

    /// A delivery at the end of a step.
    private enum Delivery {
        /// From here on a client receives events.
        case enroll(Enrolled)
        case all(SystemEvent)
        case one(ClientID, SystemEvent)
        case call(@Sendable () -> Void)
    }

    /// A client that receives events.
    private struct Enrolled {
        let id: ClientID
        let topics: SystemTopics
        let client: WeakClient
    }

    /// A client, held weakly. A class, because copying a weak reference is expensive.
    private final class WeakClient: Sendable {
        weak let value: (any SystemClient)?

        init(_ value: any SystemClient) { self.value = value }
    }

    /// The completion of a request.
    enum Completion {
        case procedure(@Sendable (Result<GATTResult, GATTFailure>) -> Void)
        case rssi(@Sendable (Result<Int8, RSSIFailure>) -> Void)
        case services(@Sendable ([BluetoothUUID]) -> Void)
    }

    /// A system that has not been opened. Reads the stored state, and locks its file.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        if let fault = configuration.requiredProtection.fault(with: configuration.pairingAbility) {
            throw .configuration("the required protection is impossible: " + fault)
        }
        self.loop = loop
        storage = try DeviceStorage(configuration.store, toolbox: configuration.toolbox)
        machine = BluetoothSystem(
            configuration, stored: storage.initial, toolbox: storage.toolbox)
        var transportConfiguration = HCITransport.Configuration()
        transportConfiguration.capture = configuration.capture
        transport = HCITransport(
            configuration.transport, on: loop, configuration: transportConfiguration)
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
        for timer in [timer, suspensionTimer, returnTimer] { timer?.deadline = nil }
        timer = nil
        suspensionTimer = nil
        returnTimer = nil
        if isOpen { transport.close() }
        storage.close()
    }

    // MARK: Clients

    /// A new identifier for a client. From any thread.
    func makeClientID() -> ClientID {
        ClientID(rawValue: lastClient.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Delivers events to a client from now on. From any thread: if not called on the loop, it takes effect
    /// when the loop runs, before anything that the caller then asks of an actor on it.
    func enroll(_ client: any SystemClient, as id: ClientID) {
        guard loop.isCurrent else {
            return loop.execute { [weak client] in
                if let client { self.enroll(client, as: id) }
            }
        }
        guard !isClosed else { return }
        // Events that are queued but not delivered yet are not for it.
        add(
            .enroll(
                Enrolled(id: id, topics: type(of: client).topics, client: WeakClient(client))))
    }

    /// Removes a client, and ends its scans, connect requests, use of links, services and advertisements.
    /// From any thread.
    func dismiss(_ id: ClientID) {
        guard loop.isCurrent else { return loop.execute { self.dismiss(id) } }
        clients.removeAll { $0.id == id }
        _ = deliveries.removeAll { delivery in
            if case .enroll(let client) = delivery { client.id == id } else { false }
        }
        guard !isClosed else { return }
        update { machine, now in machine.dismiss(id, at: now) }
    }

    // MARK: The machine

    /// Calls an input of the machine and carries out its outputs; events are delivered at the end of the
    /// step.
    @discardableResult
    func update<Value, Failure: Error>(
        _ body: (inout BluetoothSystem, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { carryOut() }
        return try body(&machine, loop.now)
    }

    /// Reads from the machine. `inout`, because Swift 6.3 copies a machine in a class to the stack in order
    /// to borrow it.
    func query<Value>(_ body: (inout BluetoothSystem) -> Value) -> Value { body(&machine) }

    @inline(never)
    private func carryOut() {
        while let output = machine.pollOutput() {
            switch output {
            case .send(let packet): if !isClosed { transport.send(packet) }
            case .report(let event): add(.all(event))
            case .reportClient(let client, let event): add(.one(client, event))
            case .withdraw(let client, let withdrawal): withdraw(withdrawal, from: client)
            case .completed(let request, let result):
                guard case .procedure(let body)? = completion(of: request) else { continue }
                add(.call { body(result) })
            case .rssiRead(let request, let result):
                guard case .rssi(let body)? = completion(of: request) else { continue }
                add(.call { body(result) })
            case .servicesFound(let request, let uuids):
                guard case .services(let body)? = completion(of: request) else { continue }
                add(.call { body(uuids) })
            case .store: store()
            case .controllerReady: returning.ready(at: loop.now)
            case .controllerNotReady: controllerNotReady()
            }
        }
        plan()
    }

    private func plan() {
        // A step sets its timer when it ends, and the last step of a batch does so for all of them.
        guard case .resting = phase, !isInBatch else { return }
        timer?.deadline = query { $0.nextDeadline }
    }

    /// Runs several steps, for packets that arrived together.
    func batch(_ body: () -> Void) {
        isInBatch = true
        body()
        isInBatch = false
        if !isClosed { plan() }
    }

    private func store() {
        guard !isClosed else { return }
        do throws(BondStore.Failure) {
            try storage.save(bonds: machine.bondRecords, peers: machine.peers.takeKnown())
        } catch {
            report(
                .warning(DeviceWarning(.storage, "the bonds are not stored: \(error.message)")))
        }
    }

    // MARK: Requests

    /// A new identifier for a request.
    func makeRequest(_ completion: Completion) -> ClientRequest.ID {
        lastRequest += 1
        let id = ClientRequest.ID(rawValue: lastRequest)
        completions[id] = completion
        return id
    }

    private func completion(of request: ClientRequest.ID) -> Completion? {
        completions.removeValue(forKey: request)
    }

    // MARK: Deliveries

    /// Runs a step, then delivers what follows from it. Calls that clients make meanwhile add to the
    /// deliveries; a call from outside is a step of its own, which the loop completes.
    func step(_ body: () -> Void) {
        if case .inStep = phase { return body() }
        phase = .inStep
        body()
        while let delivery = deliveries.popFirst() { deliver(delivery) }
        phase = .resting
        if isClosed { clients = [] } else { plan() }
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .enroll(let client): clients.append(client)
        case .all(let event):
            let topic = event.topic
            for client in clients where client.topics.contains(topic) {
                client.client.value?.receive(event)
            }
        case .one(let id, let event):
            clients.first { $0.id == id }?.client.value?.receive(event)
        case .call(let body): body()
        }
    }

    private func add(_ delivery: Delivery) {
        deliveries.append(delivery)
        guard case .resting = phase else { return }
        phase = .planned
        loop.execute { [self] in step {} }
    }

    /// Delivers an event of the transport to all clients.
    func report(_ event: SystemEvent.ControllerEvent) { add(.all(.controller(event))) }

    /// Calls `body` once everything that has happened so far has been delivered.
    func later(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

    private func withdraw(_ withdrawal: BluetoothSystem.Withdrawal, from client: ClientID) {
        guard !deliveries.isEmpty else { return }
        _ = deliveries.removeAll { delivery in
            switch delivery {
            case .one(client, let event): withdrawal.includes(event)
            case .enroll, .all, .one, .call: false
            }
        }
    }
}

extension BluetoothSystem.Withdrawal {
    fileprivate func includes(_ event: SystemEvent) -> Bool {
        switch (self, event) {
        case (.connection(let peer), .link(let other, .connected)),
            (.connection(let peer), .link(let other, .connectFailed)):
            peer == other
        case (.scanFailure, .scan(.failed)), (.scan, .scan(.failed)), (.scan, .scan(.discovered)):
            true
        case (.advertisingEnd, .advertising(.ended)), (.advertising, .advertising): true
        case (.connection, _), (.scanFailure, _), (.scan, _), (.advertisingEnd, _),
            (.advertising, _):
            false
        }
    }
}
