internal import ANCS
internal import BluetoothLE
internal import DBus
internal import Octets

/// What is done at bluetoothd for a phone that is connected, until ANCS runs on it and while it does.
///
///     stranger ─▶ pairing ─▶ resolving ◀─▶ available ─▶ leaving ─▶ ended
///         ▲          │                        │
///         └──────────┘  └────▶ recovering ◀──┘─▶ hung
///
/// bluetoothd has the link, the bond and the discovery of services; here is what it has to be told, and what
/// it does otherwise than one would expect. The sources are those of BlueZ 5.66.
struct PhoneLink: Sendable {
    typealias Characteristic = ConsumerSession.Characteristic

    /// How often a subscription that bluetoothd is not ready for is tried in a row.
    static let maximumAttempts = 6
    /// How many values are kept for a session that does not stand yet; a phone replays everything that it
    /// shows, which is some hundreds.
    static let maximumHeldValues = 4_096
    /// How often a command is written that another program's command is in the way of.
    static let maximumWrites = 20

    /// How long services may take to be found before it is said that they are waited for.
    static let resolutionTime = Duration.seconds(15)
    /// How long the objects of a service may take to come, from the first to the last.
    static let completionTime = Duration.milliseconds(500)
    /// How long a phone that was just paired may take to show ANCS by itself, by Service Changed.
    static let appearanceTime = Duration.seconds(10)
    /// How long a device without ANCS may be in the place of a phone.
    static let yieldingTime = Duration.seconds(180)

    var state = State.stranger
    private(set) var device: DeviceObject
    var places: ServicePlaces?
    var notificationSource = Subscription()
    var dataSource = Subscription()
    /// bluetoothd subscribes again by itself, and the phone replays, before the session stands.
    private var held: [[UInt8]] = []
    private var dropped = 0
    /// A command that is to be written again, how often it was, and when.
    private var repeated: (value: [UInt8], writes: Int, at: MonotonicInstant?)?
    /// A link was ended because bluetoothd hung, and no session has stood since.
    private(set) var wasRecovered: Bool
    private var toldName: String?
    var toldIdentity: String?
    /// A session has stood on this link.
    private var hasServed = false
    /// Pairing was tried on this link.
    var hasFailedToPair = false
    /// Counts the sessions, so that answers to what an earlier one asked are told from others.
    private(set) var session = 0
    var outputs = Queue<Output>()

    /// A phone that connected, or was found to be one.
    init(
        _ device: DeviceObject, places: ServicePlaces?, mayPair: Bool, wasRecovered: Bool,
        at now: MonotonicInstant
    ) {
        self.device = device
        self.places = places
        self.wasRecovered = wasRecovered
        tell(
            .connected(
                address: device.address, identity: device.isPaired ? device.address : nil))
        tellName()
        if device.isPaired {
            toldIdentity = device.address
            beginResolving(at: now)
        } else if mayPair {
            pair()
        } else {
            tell(.pairingRefused(isPaired: false))
        }
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// What no session can be without stands; it comes last.
    var isServing: Bool {
        guard case .available = state else { return false }
        return notificationSource.isStanding
    }

    /// It is paired, and ANCS is there.
    var isPairedAndAvailable: Bool {
        guard case .available = state else { return false }
        return device.isPaired
    }

    /// It is paired, and no session has stood on this link.
    var isFruitless: Bool {
        switch state {
        case .resolving, .available: !hasServed
        case .stranger, .pairing, .recovering, .hung, .leaving, .ended: false
        }
    }

    /// Whether it takes the place of a phone.
    var isServed: Bool {
        switch state {
        case .stranger, .ended: false
        case .resolving(let resolution): resolution.yieldAt != nil
        case .pairing, .available, .recovering, .hung, .leaving: true
        }
    }

    var nextDeadline: MonotonicInstant? {
        if case .resolving(let resolution) = state { return resolution.nextDeadline }
        if case .recovering(_, let instant) = state { return instant }
        return .earliest(
            .earliest(notificationSource.deadline, dataSource.deadline), repeated?.at)
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if case .resolving(let resolution) = state {
            if let instant = resolution.sayAt, instant <= now { sayWaiting() }
            if let instant = resolution.yieldAt, instant <= now { yield() }
            resolve(at: now)
        }
        if case .resolving(let resolution) = state, let instant = resolution.renewAt,
            instant <= now
        {
            discoverAgain()
        }
        if case .recovering(let fault, let instant?) = state, instant <= now {
            linkStays(after: fault)
        }
        for characteristic in [Characteristic.dataSource, .notificationSource] {
            guard case .pausing(let instant, let attempt) = self[characteristic].state,
                instant <= now
            else { continue }
            retry(characteristic, attempt: attempt, at: now)
        }
        if let again = repeated, let instant = again.at, instant <= now {
            repeated?.at = nil
            call(.writeControlPoint(again.value))
        }
    }

    // MARK: What bluetoothd says of the device

    /// Its properties or its services changed.
    mutating func changed(
        _ device: DeviceObject, places: ServicePlaces?, at now: MonotonicInstant
    ) {
        self.device = device
        self.places = places
        tellName()
        switch state {
        case .stranger:
            // Somebody else's agent may have paired it.
            if device.isPaired { becamePaired(at: now) }
        case .resolving:
            tellIdentity()
            resolve(at: now)
        case .available(let before):
            tellIdentity()
            if before != places { lostService(at: now) }
        case .pairing, .recovering, .hung, .leaving, .ended: break
        }
    }

    private mutating func tellName() {
        guard let name = device.name, name != toldName else { return }
        toldName = name
        tell(.named(name))
    }

    /// The session is over; bluetoothd has forgotten what was subscribed to, with the objects or the link.
    mutating func lostService(at now: MonotonicInstant) {
        forgetSession()
        tell(.unavailable)
        beginResolving(at: now)
    }

    private mutating func forgetSession() {
        closeSockets()
        session += 1
        notificationSource = Subscription()
        dataSource = Subscription()
        held = []
        dropped = 0
        repeated = nil
    }

    /// The link ended, or is to be nothing of ours any more.
    mutating func end(_ ending: PhoneEvent.Ending) {
        guard state != .ended else { return }
        closeSockets()
        switch (exchange(&state, with: .ended), ending) {
        case (.recovering(.hang, _), .linkEnded): tell(.disconnected(.hung))
        case (.recovering(.earlyDiscovery, _), .linkEnded): tell(.disconnected(.earlyDiscovery))
        case (_, _): tell(.disconnected(ending))
        }
    }

    // MARK: Answers

    /// What came of a call that was made in a session. `socket` names the socket that it may bring.
    mutating func replied(
        to call: Call, in session: Int, _ result: Result<[BusValue], BusError>, socket: SocketID,
        at now: MonotonicInstant
    ) {
        // A socket that comes too late is closed when nobody holds its descriptor.
        guard session == self.session || !call.isForSession else { return }
        switch call {
        case .pair: paired(result, at: now)
        // Nothing depends on it.
        case .trust: break
        case .disconnect: linkEnds(result, at: now)
        case .acquireNotify(let characteristic):
            acquired(characteristic, result, socket, at: now)
        case .startNotify(let characteristic): started(characteristic, result, at: now)
        case .stopNotify(let characteristic): stopped(characteristic)
        case .readConfiguration(let characteristic): configurationRead(characteristic, result)
        case .writeControlPoint(let value): written(value, result, at: now)
        }
    }

    private mutating func configurationRead(
        _ characteristic: Characteristic, _ result: Result<[BusValue], BusError>
    ) {
        // One that cannot be read says nothing; the session finds out otherwise.
        guard case .success(let values) = result, let octets = values.first?.octets else { return }
        report(
            .subscriptionRead(characteristic, isSubscribed: (octets.first ?? 0) & 0x01 != 0))
    }

    private mutating func written(
        _ value: [UInt8], _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        let writes = repeated?.writes ?? 1
        switch result {
        case .success:
            repeated = nil
            report(.controlPointWritten(nil))
        // bluetoothd takes one at a time, of all programs.
        case .failure(let error) where error.isInProgress && writes < Self.maximumWrites:
            repeated = (value, writes + 1, now + .milliseconds(50))
        case .failure(let error) where error.isNoReply:
            repeated = nil
            hang()
        case .failure(let error):
            repeated = nil
            report(.controlPointWritten(ControlPointError(rawValue: error.attErrorCode)))
        }
    }

    // MARK: What the session wants

    mutating func request(_ request: ConsumerSession.LinkRequest) {
        guard case .available(let places) = state else { return }
        switch request {
        case .subscribe(let characteristic):
            guard places[characteristic] != nil else {
                return report(
                    .subscriptionRefused(characteristic, errorCode: Self.attributeNotFound))
            }
            subscribe(to: characteristic)
        case .unsubscribe(let characteristic): unsubscribe(from: characteristic)
        case .readSubscription(let characteristic):
            if places[characteristic] != nil { call(.readConfiguration(characteristic)) }
        case .writeControlPoint(let value):
            guard places.controlPoint != nil else {
                return report(
                    .controlPointWritten(ControlPointError(rawValue: Self.attributeNotFound)))
            }
            call(.writeControlPoint(value))
        }
    }

    /// *Attribute Not Found*: what a phone would answer where there is no such characteristic. Core Vol 3,
    /// Part F, 3.4.1.1.
    private static let attributeNotFound: UInt8 = 0x0A

    /// Ends the session; the link is everybody's, and goes on.
    mutating func leave() {
        switch state {
        case .available:
            state = .leaving
            repeated = nil
            unsubscribe(from: .notificationSource)
            if state == .leaving { unsubscribe(from: .dataSource) }
        case .stranger, .pairing, .resolving, .recovering, .hung: end(.left)
        case .leaving, .ended: break
        }
    }

    mutating func leftIfUnsubscribed() {
        if notificationSource.state == .none, dataSource.state == .none { end(.left) }
    }

    // MARK: Hanging

    /// bluetoothd does not answer. Its read of a protected value was refused before pairing, is to be
    /// repeated, and never is; all requests wait behind it, and a new link has no such queue. So the link is
    /// ended, and only once.
    ///
    /// What the session has asked is not answered any more, so that it is over either way.
    mutating func hang() {
        switch state {
        case .available: break
        case .leaving: return end(.left)
        // Nothing is asked there that hangs.
        case .stranger, .pairing, .resolving, .recovering, .hung, .ended: return
        }
        forgetSession()
        tell(.unavailable)
        guard !wasRecovered else { return hungForGood() }
        state = .recovering(.hang, until: nil)
        tell(.hung(isEnded: true))
        call(.disconnect)
    }

    /// A phone shows ANCS only when it is paired, which bluetoothd may be too early for, with no Service
    /// Changed subscribed to yet that could tell it: it looks again only on a new link. So the link is ended,
    /// once.
    private mutating func discoverAgain() {
        state = .recovering(.earlyDiscovery, until: nil)
        tell(.discoveredEarly)
        call(.disconnect)
    }

    private mutating func linkEnds(
        _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        guard case .recovering(let fault, _) = state else { return }
        switch result {
        case .success: state = .recovering(fault, until: now + .seconds(10))
        case .failure: linkStays(after: fault)
        }
    }

    /// bluetoothd has not ended it.
    private mutating func linkStays(after fault: Fault) {
        switch fault {
        case .hang: hungForGood()
        case .earlyDiscovery: state = .resolving(Resolution())
        }
    }

    private mutating func hungForGood() {
        guard state != .ended else { return }
        state = .hung
        tell(.hung(isEnded: false))
    }

    // MARK: Values

    /// A value was broadcast to all programs.
    mutating func receiveBroadcast(_ value: [UInt8], of characteristic: Characteristic) {
        switch (characteristic, state) {
        case (.notificationSource, .available) where notificationSource.isStanding:
            report(.notificationSource(value))
        // What comes before a session can only be what the phone replays.
        case (.notificationSource, .available), (.notificationSource, .resolving),
            (.notificationSource, .pairing):
            hold(value)
        case (.dataSource, .available) where dataSource.state == .notifying:
            report(.dataSource(value))
        case (_, _): break
        }
    }

    /// A value came by a socket.
    mutating func receive(_ value: [UInt8], from socket: SocketID) {
        guard case .available = state, let characteristic = characteristic(of: socket) else {
            return
        }
        switch characteristic {
        case .notificationSource: report(.notificationSource(value))
        case .dataSource: report(.dataSource(value))
        }
    }

    private mutating func hold(_ value: [UInt8]) {
        guard held.count < Self.maximumHeldValues else {
            dropped += 1
            return
        }
        held.append(value)
    }

    /// The session stands: it is told what came before it did.
    mutating func sessionStands() {
        hasServed = true
        wasRecovered = false
        for value in exchange(&held, with: []) { report(.notificationSource(value)) }
        let dropped = exchange(&dropped, with: 0)
        if dropped > 0 { tell(.dropped(dropped)) }
    }

    // MARK: Internals

    subscript(characteristic: Characteristic) -> Subscription {
        get { characteristic == .dataSource ? dataSource : notificationSource }
        set {
            switch characteristic {
            case .dataSource: dataSource = newValue
            case .notificationSource: notificationSource = newValue
            }
        }
    }

    mutating func tell(_ event: PhoneEvent) { outputs.append(.event(event)) }

    mutating func report(_ report: ConsumerSession.LinkReport) { tell(.report(report)) }

    mutating func call(_ call: Call) { outputs.append(.call(call)) }

    private mutating func closeSockets() {
        for characteristic in [Characteristic.notificationSource, .dataSource] {
            guard case .socket(let socket) = self[characteristic].state else { continue }
            outputs.append(.close(socket))
            self[characteristic].state = .none
        }
    }
}
