internal import BluetoothLE
internal import LinuxIO
internal import Synchronization

/// Delivers the events of a system to its clients, and the completions of their requests: in order, at the end of the
/// step in which they happened, and never during a call of a client.
///
/// Confined to the loop's thread, except for ``makeClientID()`` and ``enroll(_:as:)``.
final class SystemDesk: @unchecked Sendable {
    // Unchecked: see the type's comment; the counter is atomic.

    private let loop: EventLoop
    private let lastClient = Atomic<UInt64>(0)
    /// The clients that receive events.
    private var clients: [Enrolled] = []
    /// Deliveries for the end of the step, in order.
    private var deliveries = Queue<Delivery>(keepingOctets: 1_024)
    private var phase = Phase.resting
    private var isClosed = false
    /// Called when a step has ended and everything is delivered, until the desk is closed.
    private var rested: @Sendable () -> Void = {}

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
        case completion(Completion, Result<GATTResult, GATTFailure>)
    }

    /// What a client has called with the result of a procedure.
    typealias Completion = @Sendable (Result<GATTResult, GATTFailure>) -> Void

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

    /// The kinds of events that a client must not receive any more, because it cancelled what they are about.
    enum Withdrawal: Sendable {
        /// The result of its connect request.
        case connection(PeerKey)
        /// The failure of its scan.
        case scanFailure
        /// All results of its scan.
        case scan
        /// The end of its advertising.
        case advertisingEnd
        /// All results of its advertising.
        case advertising
    }

    init(on loop: EventLoop) { self.loop = loop }

    /// Has `body` called when a step has ended and everything is delivered, until the desk is closed.
    func whenRested(_ body: @escaping @Sendable () -> Void) { rested = body }

    /// Whether no step is running or planned.
    var isResting: Bool { if case .resting = phase { true } else { false } }

    /// After what is queued, nothing is delivered to clients any more.
    func close() {
        isClosed = true
        rested = {}
    }

    // MARK: Clients

    /// A new identifier for a client. From any thread.
    func makeClientID() -> ClientID {
        ClientID(rawValue: lastClient.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Delivers events to a client from now on; those that are queued but not delivered yet are not for it. From any
    /// thread: if not called on the loop, it takes effect when the loop runs, before anything that the caller then
    /// asks of an actor on it.
    func enroll(_ client: any SystemClient, as id: ClientID) {
        guard loop.isCurrent else {
            return loop.execute { [weak client] in
                if let client { self.enroll(client, as: id) }
            }
        }
        guard !isClosed else { return }
        add(.enroll(Enrolled(id: id, topics: type(of: client).topics, client: WeakClient(client))))
    }

    /// Delivers nothing to a client any more.
    func dismiss(_ id: ClientID) {
        clients.removeAll { $0.id == id }
        _ = deliveries.removeAll { delivery in
            if case .enroll(let client) = delivery { client.id == id } else { false }
        }
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
        if isClosed { clients = [] } else { rested() }
    }

    /// Delivers an event to all clients.
    func send(_ event: SystemEvent) { add(.all(event)) }

    /// Delivers an event to one client.
    func send(_ event: SystemEvent, to client: ClientID) { add(.one(client, event)) }

    /// Calls `body` once everything that has happened so far has been delivered.
    func later(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

    /// Calls a client with the result of a procedure, as ``later(_:)``.
    func complete(_ completion: @escaping Completion, with result: Result<GATTResult, GATTFailure>)
    { add(.completion(completion, result)) }

    private func deliver(_ delivery: consuming Delivery) {
        switch consume delivery {
        case .enroll(let client): clients.append(client)
        case .all(let event):
            let topic = event.topic
            for client in clients where client.topics.contains(topic) {
                client.client.value?.receive(event)
            }
        case .one(let id, let event): clients.first { $0.id == id }?.client.value?.receive(event)
        case .call(let body): body()
        case .completion(let body, let result): body(result)
        }
    }

    private func add(_ delivery: consuming Delivery) {
        deliveries.append(delivery)
        guard case .resting = phase else { return }
        phase = .planned
        loop.execute { [self] in step {} }
    }

    /// Removes what is queued for a client.
    func withdraw(_ withdrawal: Withdrawal, from client: ClientID) {
        guard !deliveries.isEmpty else { return }
        _ = deliveries.removeAll { delivery in
            switch delivery {
            case .one(client, let event): withdrawal.includes(event)
            case .enroll, .all, .one, .call, .completion: false
            }
        }
    }
}

extension SystemDesk.Withdrawal {
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
