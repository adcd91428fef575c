internal import BluetoothLE
internal import LinuxIO
internal import Octets
internal import Synchronization

/// Drives the one ``BluetoothSystem`` of an adapter: moves its packets to the transport and back, wakes it,
/// stores what it knows, and tells its clients what happened.
///
/// Confined to the loop's thread but for ``makeClientID()``, ``enroll(_:as:)`` and ``dismiss(_:)``, and
/// synchronous: a call has had its effect when it returns. What comes of it is told afterwards, and so comes
/// what somebody waits for. All time is the loop's.
final class SystemDriver: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the transport checks, but for the counter.

    let loop: EventLoop
    let storage: DeviceStorage
    let moniker: TransportMoniker
    var transport: HCITransport
    var returning = ReturningDevice()
    var returnTimer: LoopTimer?
    private let transportConfiguration: HCITransport.Configuration
    private var machine: BluetoothSystem
    private var timer: LoopTimer?
    /// How long the machine had been suspended when that was looked at last.
    private var suspended = Duration.zero
    private var suspensionTimer: LoopTimer?
    private var isOpen = false
    private(set) var isClosed = false
    private let lastClient = Atomic<UInt64>(0)
    private var lastRequest: UInt64 = 0

    /// Those that are told what happens.
    private var clients: [(id: ClientID, client: WeakClient)] = []
    /// Those that wait for something.
    private var completions: [ClientRequest.ID: Completion] = [:]
    /// What waits for the end of the step, in the order in which it happened.
    private var deliveries = Queue<Delivery>()
    private var phase = Phase.resting
    /// The deadline of packets that came together is looked at once.
    private var isInBatch = false

    private enum Phase {
        case resting
        /// A call came from elsewhere: the loop is to tell what comes of it.
        case planned
        /// Something happens or is told; what comes of it is told by the same step.
        case inStep
    }

    /// What a step leaves to do when it is over.
    private enum Delivery {
        /// From here on a client is told what happens.
        case enroll(ClientID, WeakClient)
        case all(SystemEvent)
        case one(ClientID, SystemEvent)
        case call(@Sendable () -> Void)
    }

    /// A client, which the system does not hold. A class: to copy a weak reference is expensive.
    private final class WeakClient: Sendable {
        weak let value: (any SystemClient)?

        init(_ value: any SystemClient) { self.value = value }
    }

    /// How one that waits is told what came of it.
    enum Completion {
        case procedure(@Sendable (Result<GATTResult, GATTFailure>) -> Void)
        case rssi(@Sendable (Result<Int8, RSSIFailure>) -> Void)
        case services(@Sendable ([BluetoothUUID]) -> Void)
    }

    /// A system that has not been opened. Reads the state, and locks its file.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        if let fault = configuration.requiredProtection.fault(with: configuration.pairingAbility) {
            throw .configuration("the required protection cannot be had: " + fault)
        }
        self.loop = loop
        moniker = configuration.transport
        storage = try DeviceStorage(configuration.store, toolbox: configuration.toolbox)
        machine = BluetoothSystem(
            configuration, stored: storage.initial, toolbox: storage.toolbox)
        var transportConfiguration = HCITransport.Configuration()
        transportConfiguration.capture = configuration.capture
        self.transportConfiguration = transportConfiguration
        transport = HCITransport(moniker, on: loop, configuration: transportConfiguration)
    }

    // MARK: Life

    /// How often it is looked whether the machine was suspended.
    private static var suspensionInterval: Duration { .seconds(15) }
    /// What a machine that was not suspended may lose between two looks at two clocks.
    private static var suspensionTolerance: Duration { .seconds(1) }

    /// Opens the transport and sets the controller up. Again does nothing.
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
            transport = HCITransport(moniker, on: loop, configuration: transportConfiguration)
            openTransport()
        }
        openTransport()
    }

    /// Timers stand still while the machine is suspended, and the controller may have lost its power.
    private func lookForSuspension() {
        let now = loop.suspendedTime
        let wasSuspended = now - exchange(&suspended, with: now) > Self.suspensionTolerance
        suspensionTimer?.deadline = loop.now + Self.suspensionInterval
        if wasSuspended { update { machine, now in machine.resumed(at: now) } }
    }

    /// Closes the transport and lets go of the state's file. Clients are told that it is off, and then that
    /// it is closed, which is the last that they are told.
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

    /// A name for a client to be. From any thread.
    func makeClientID() -> ClientID {
        ClientID(rawValue: lastClient.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Tells a client what happens from now on. From any thread: from elsewhere as soon as the loop turns,
    /// before anything that the caller asks of an actor on it afterwards.
    func enroll(_ client: any SystemClient, as id: ClientID) {
        guard loop.isCurrent else {
            return loop.execute { [weak client] in
                if let client { self.enroll(client, as: id) }
            }
        }
        guard !isClosed else { return }
        // What happened before, and is not told yet, is not for it.
        add(.enroll(id, WeakClient(client)))
    }

    /// A client is gone, with all that it wanted: scans, connect requests, the use of links, services and
    /// advertisements. From any thread.
    func dismiss(_ id: ClientID) {
        guard loop.isCurrent else { return loop.execute { self.dismiss(id) } }
        clients.removeAll { $0.id == id }
        _ = deliveries.removeAll { if case .enroll(id, _) = $0 { true } else { false } }
        guard !isClosed else { return }
        update { machine, now in machine.dismiss(id, at: now) }
    }

    // MARK: The machine

    /// Tells the machine something and carries out what it then wants; what there is to tell waits for the
    /// end of the step.
    @discardableResult
    func update<Value, Failure: Error>(
        _ body: (inout BluetoothSystem, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { carryOut() }
        return try body(&machine, loop.now)
    }

    /// Asks the machine something. As `inout`, since Swift 6.3 copies a whole machine that a class has to the
    /// stack to lend it.
    func query<Value>(_ body: (inout BluetoothSystem) -> Value) -> Value { body(&machine) }

    private func carryOut() {
        while let output = machine.pollOutput() {
            switch output {
            case .send(let packet): if !isClosed { transport.send(packet) }
            case .tell(let event): add(.all(event))
            case .tellClient(let client, let event): add(.one(client, event))
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
        // The step plans when it is over, and the last one of a batch for all of them.
        guard case .resting = phase, !isInBatch else { return }
        timer?.deadline = query { $0.nextDeadline }
    }

    /// Does several steps: packets that came together.
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
            tell(
                .warning(DeviceWarning(.storage, "the bonds are not stored: \(error.message)")))
        }
    }

    // MARK: Requests

    /// A name for something that is waited for.
    func makeRequest(_ completion: Completion) -> ClientRequest.ID {
        lastRequest += 1
        let id = ClientRequest.ID(rawValue: lastRequest)
        completions[id] = completion
        return id
    }

    private func completion(of request: ClientRequest.ID) -> Completion? {
        completions.removeValue(forKey: request)
    }

    // MARK: Telling

    /// Does a step, and then tells what came of it. What a client calls while it is told something adds to
    /// what is to be told; a call from elsewhere is a step of its own, which the loop ends.
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
        case .enroll(let id, let client): clients.append((id, client))
        case .all(let event): for (_, client) in clients { client.value?.receive(event) }
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

    /// Tells all clients what became of the transport.
    func tell(_ event: SystemEvent.ControllerEvent) { add(.all(.controller(event))) }

    /// Calls when everything has been told that happened before.
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
