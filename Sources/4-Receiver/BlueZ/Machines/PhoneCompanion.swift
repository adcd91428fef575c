package import ANCSEvents
internal import BluetoothTypes
package import DBus
internal import Octets

/// Uses a service of a phone beside ANCS through bluetoothd's objects. What it sends comes as the texts of notifications
/// do. What bluetoothd does not answer is refused: whether it hangs is found out with ANCS, whose session nothing here ends.
///
///     absent ◀─▶ settling ─▶ available ──its objects change, or a socket hangs up──▶ absent, settling
package struct PhoneCompanion: Sendable {
    package enum Call: Equatable, Sendable {
        case subscription(ObjectPath, ValueSubscription.Call)
        case request(AttributeQueue.Request)

        var bus: BusCall? {
            switch self {
            case .subscription(let path, let call): call.bus(path, nil)
            case .request(let request): request.bus
            }
        }

        var limit: Duration {
            if case .request = self { .seconds(35) } else { ValueSubscription.Call.limit }
        }
    }

    package enum Output: Equatable, Sendable {
        case call(Call)
        case open(SocketID, BusDescriptor)
        case close(SocketID)
        case event(CompanionEvent)
    }

    let allowsTextsOnBus: Bool
    private var route = PhoneLink.Route.socket
    /// The characteristics that may be used.
    private var places: [ObjectPath: BluetoothUUID] = [:]
    private var isAvailable = false
    /// When its objects count as complete.
    private var settleAt: MonotonicInstant?
    private var subscriptions: [(path: ObjectPath, machine: ValueSubscription)] = []
    private var queue = AttributeQueue()
    private var lastNumber: UInt64 = 0
    /// How often it went: replies to calls from before do not count.
    private(set) var era = 0
    private var outputs = Queue<Output>()

    init(allowsTextsOnBus: Bool) { self.allowsTextsOnBus = allowsTextsOnBus }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    private mutating func report(_ path: ObjectPath, _ event: (BluetoothUUID) -> CompanionEvent) {
        if let uuid = places[path] { outputs.append(.event(event(uuid))) }
    }

    // MARK: The service

    /// What there is of it; nothing while there is no link.
    mutating func changed(to places: [ObjectPath: BluetoothUUID], at now: MonotonicInstant) {
        guard places != self.places else { return }
        lose()
        self.places = places
        settleAt = places.isEmpty ? nil : now + PhoneLink.completionTime
    }

    private mutating func lose() {
        if exchange(&isAvailable, with: false) { outputs.append(.event(.unavailable)) }
        for (path, machine) in exchange(&subscriptions, with: []) {
            if case .socket(let socket) = machine.state { outputs.append(.close(socket)) }
            // bluetoothd would subscribe by itself on the next link.
            if machine.state == .notifying { outputs.append(.call(.subscription(path, .stop))) }
        }
        queue = AttributeQueue()
        era += 1
        settleAt = nil
    }

    var nextDeadline: MonotonicInstant? {
        subscriptions.reduce(.earliest(settleAt, queue.nextDeadline)) {
            .earliest($0, $1.machine.deadline)
        }
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let instant = settleAt, instant <= now {
            settleAt = nil
            isAvailable = true
            outputs.append(.event(.available(Array(places.values))))
        }
        for (path, machine) in subscriptions {
            if let attempt = machine.attempt(at: now) { subscribe(to: path, attempt, at: now) }
        }
        callFirst(queue.resume(at: now))
    }

    // MARK: Requests

    /// Carries out a request about what was found, whose values may come by this route.
    mutating func request(
        _ request: CompanionRequest, by route: PhoneLink.Route, at now: MonotonicInstant
    ) {
        self.route = route
        let (uuid, kind): (BluetoothUUID, AttributeQueue.Kind?) =
            switch request {
            case .find(let uuid), .subscribe(let uuid): (uuid, nil)
            case .write(let uuid, let value): (uuid, .write(value, .request))
            case .read(let uuid): (uuid, .read)
            }
        guard isAvailable, let path = places.first(where: { $0.value == uuid })?.key else { return }
        guard let kind else {
            subscriptions.append((path, ValueSubscription()))
            return subscribe(to: path, 1, at: now)
        }
        lastNumber += 1
        queue.append(
            .init(
                id: .init(rawValue: lastNumber), client: ClientID(rawValue: 0), kind: kind,
                path: path, number: lastNumber))
        callFirst(.init(end: now + .seconds(30)))
    }

    private mutating func callFirst(_ attempt: AttributeQueue.Attempt?) {
        guard queue.state == .resting, let attempt, let request = queue.first else { return }
        queue.state = .called(attempt)
        outputs.append(.call(.request(request)))
    }

    private mutating func answered(
        _ request: AttributeQueue.Request, _ result: Result<[BusValue], BusError>,
        at now: MonotonicInstant
    ) {
        guard case .called(let attempt) = queue.state, queue.first == request else { return }
        var code: ATTErrorCode?
        if case .failure(let error) = result {
            if error.isMomentary, queue.pause(attempt, at: now) { return }
            code = ATTErrorCode(rawValue: error.attErrorCode)
        }
        _ = queue.removeFirst()
        report(request.path) { uuid in
            request.kind == .read
                ? .read(uuid, (try? result.get())?.first?.octets) : .written(uuid, code)
        }
        callFirst(.init(end: now + .seconds(30)))
    }

    private mutating func subscribe(to path: ObjectPath, _ attempt: Int, at now: MonotonicInstant) {
        guard let index = subscriptions.firstIndex(where: { $0.path == path }) else { return }
        let means: ValueSubscription.Means =
            route == .socket ? .socket(triesFirst: false) : .broadcast(instead: nil)
        guard route != .closed else { return report(path) { .subscribed($0, .unlikelyError) } }
        carryOut(subscriptions[index].machine.begin(attempt, by: means), of: index, at: now)
    }

    private mutating func carryOut(
        _ step: ValueSubscription.Step?, of index: Int, at now: MonotonicInstant
    ) {
        let path = subscriptions[index].path
        switch step {
        case .call(let call): outputs.append(.call(.subscription(path, call)))
        case .open(let socket, let descriptor):
            outputs.append(.open(socket, descriptor))
            report(path) { .subscribed($0, nil) }
        case .stands: report(path) { .subscribed($0, nil) }
        case .notConnected(let attempt):
            subscriptions[index].machine.state = .pausing(
                until: now + .seconds(2), attempt: attempt)
        case .refused(let error):
            let code = ATTErrorCode(rawValue: error.attErrorCode)
            report(path) { .subscribed($0, error.isOfPhone ? code : .unlikelyError) }
        case .hang: report(path) { .subscribed($0, .unlikelyError) }
        // Nothing is tried first, and none that stands is stopped.
        case .answered, .close, .ended, nil: break
        }
    }

    // MARK: What bluetoothd says

    /// A call that was made in an era was answered. `socket` identifies the socket in the reply.
    mutating func replied(
        to call: Call, in era: Int, _ result: Result<[BusValue], BusError>, _ socket: SocketID,
        at now: MonotonicInstant
    ) {
        // A socket that arrives too late is closed when its descriptor is released.
        guard era == self.era else { return }
        switch call {
        case .subscription(let path, let call):
            guard let index = subscriptions.firstIndex(where: { $0.path == path }) else { return }
            let step = subscriptions[index].machine.replied(
                to: call, result, socket, isWanted: true,
                fallback: allowsTextsOnBus ? .broadcast : .none, at: now)
            carryOut(step, of: index, at: now)
        case .request(let request): answered(request, result, at: now)
        }
    }

    mutating func receive(_ value: [UInt8], from socket: SocketID) {
        for (path, machine) in subscriptions where machine.state == .socket(socket) {
            report(path) { .value($0, value) }
        }
    }

    /// A value was broadcast to all programs.
    mutating func receiveBroadcast(_ value: [UInt8], of uuid: BluetoothUUID) {
        for (path, machine) in subscriptions
        where places[path] == uuid && machine.state == .notifying {
            report(path) { .value($0, value) }
        }
    }

    /// A socket was closed: the link is ending, or bluetoothd has dropped the subscription: it starts again.
    mutating func hungUp(_ socket: SocketID) {
        guard subscriptions.contains(where: { $0.machine.state == .socket(socket) }) else { return }
        lose()
        places = [:]
    }
}
