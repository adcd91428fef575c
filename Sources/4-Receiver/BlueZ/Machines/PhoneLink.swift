package import ANCSEvents
package import DBus

/// Handles a connected phone in bluetoothd, until ANCS runs and while it does.
///
///     stranger ─▶ discovering ─▶ pairing ─▶ identifying ─▶ resolving ◀─▶ available ─▶ leaving ─▶ ended
///         ▲            │      └▶ answering ─▶ ▲              └▶ keyless ◀──┤
///         └────────────┴────────────┘                      │└▶ recovering ◀─┘─▶ hung
///                                                          └─▶ barred, unaccepted
///
/// bluetoothd owns the link and the bond, and discovers services. This machine makes the calls, and has
/// workarounds for unexpected behavior of BlueZ 5.66, according to its source.
package struct PhoneLink: Sendable {
    package typealias Characteristic = ConsumerSession.Characteristic

    /// How many values are kept for a session that has not started; a phone announces everything that it
    /// shows, which is some hundreds.
    static let maximumHeldValues = 4_096

    package var state = State.stranger
    /// How far the search for ANCS is; it has a meaning only in the state `resolving`, which begins with a new one.
    var resolution = Resolution()
    private(set) var device: DeviceObject
    var places: ServicePlaces?
    var subscriptions: [Subscription] = []
    /// Values from before the session: bluetoothd subscribes again on its own, and the phone announces
    /// everything.
    private var held = Queue<[UInt8]>()
    private var dropped = 0
    /// The command that is being written, and the one after it, which the session wrote because it gave the first one up.
    private var commands = AttributeQueue()
    /// What is asked of the service beside ANCS, and what there is of that.
    private var companionRequests = AttributeQueue()
    var companion = Companion()
    var lastNumber: UInt64 = 0
    /// Whether the phone's clock is being read, and whether its time is notified.
    var isReadingClock = false
    var isFollowingClock = false
    /// Whether a link was ended because bluetoothd hung, and there was no session since.
    private(set) var wasRecovered: Bool
    private var reportedName: String?
    var reportedIdentity: String?
    /// Whether there was a session on this link.
    private(set) var hasServed = false
    /// Whether bluetoothd has asked our agent about it while its services were being discovered.
    var isAsked = false
    /// Whether our agent has refused Just Works since pairing began.
    var hasRefusedJustWorks = false
    /// Whether bluetoothd has answered no request since the phone was paired on this link.
    var isUntried = false
    /// Whether bluetoothd may keep the socket of the Data Source for a call that it never answered.
    var isSocketKept = false
    /// Whether pairing has failed on this link.
    var hasFailedToPair = false
    /// Whether a new bond counts only if the user has compared or typed digits for it.
    let requiresAuthentication: Bool
    /// Whether texts may be broadcast on the bus where there is no socket for them.
    let allowsTextsOnBus: Bool
    /// Whether the user has, in the pairing that this program requested last.
    var isAuthenticated = false
    /// Whether there is a place for one more phone.
    var isRoomLeft = true
    /// Whether it offers ANCS, and there is no place for it.
    var waitsForPlace = false
    /// Whether its bond counts, if it has one.
    var isAccepted: Bool
    /// Whether a bond that another program made counts, so that one that may be such is removed where digits are
    /// required.
    let acceptsAnyBond: Bool
    /// Whether it has its keys.
    var keyCheck = KeyCheck()
    /// How the texts may come.
    private(set) var route: Route
    /// The number of the session, to distinguish replies to earlier ones.
    private(set) var session = 0
    package var outputs = Queue<Output>()

    /// A phone that connected, or a connected device that turned out to be a phone.
    package init(
        _ device: DeviceObject, places: ServicePlaces?, mayPair: Bool, wasRecovered: Bool,
        requiresAuthentication: Bool = false, route: Route = .socket,
        allowsTextsOnBus: Bool = false, failedLooks: Int = 0, isAccepted: Bool = true,
        acceptsAnyBond: Bool = true, isRoomLeft: Bool = true, at now: MonotonicInstant
    ) {
        (self.device, self.isAccepted, self.acceptsAnyBond) = (device, isAccepted, acceptsAnyBond)
        (self.isRoomLeft, self.route, self.allowsTextsOnBus) = (isRoomLeft, route, allowsTextsOnBus)
        (self.places, self.wasRecovered) = (places, wasRecovered)
        self.requiresAuthentication = requiresAuthentication
        report(
            .connected(
                address: device.address, identity: device.isPaired ? device.address : nil))
        reportName()
        if device.isPaired {
            reportedIdentity = device.address
            keyCheck = KeyCheck(
                lookAt: now + Self.firstKeyTime, countsFrom: now + Self.keyTime,
                failedLooks: failedLooks)
            beginResolving(at: now)
        } else if mayPair {
            discover(at: now)
        } else {
            report(.pairingRefused)
        }
    }

    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether the subscription that a session needs is established; it comes last.
    var isServing: Bool { state == .available && self[.notifications].isStanding }

    /// Whether it is paired and ANCS was found.
    var isPairedAndAvailable: Bool { state == .available && device.isPaired }

    /// Whether it occupies the place of a phone.
    var isServed: Bool {
        switch state {
        case .stranger, .refused, .keyless, .unaccepted, .ended: false
        case .resolving: resolution.yieldAt != nil
        case .discovering, .answering, .pairing, .identifying, .available, .barred, .recovering,
            .hung, .leaving:
            true
        }
    }

    package var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(deadlineOfState, isServing ? nil : keyCheck.lookAt)
        deadline = .earliest(deadline, companion.settleAt)
        deadline = .earliest(deadline, commands.nextDeadline)
        deadline = .earliest(deadline, companionRequests.nextDeadline)
        return subscriptions.reduce(deadline) { .earliest($0, $1.machine.deadline) }
    }

    private var deadlineOfState: MonotonicInstant? {
        if state == .resolving { return resolution.nextDeadline }
        if case .recovering(_, let instant) = state { return instant }
        if case .discovering(let instant) = state { return instant }
        if case .identifying(let instant) = state { return instant }
        return nil
    }

    package mutating func handleTimeout(at now: MonotonicInstant) {
        if let instant = keyCheck.lookAt, instant <= now { inspect() }
        if case .discovering(let instant) = state, instant <= now { discovered() }
        if case .identifying(let instant) = state, instant <= now { identified(at: now) }
        if state == .resolving {
            if let instant = resolution.sayAt, instant <= now { sayWaiting() }
            // It may never show ANCS, and may only keep phones away.
            if let instant = resolution.yieldAt, instant <= now { resolution.yieldAt = nil }
            resolve(at: now)
        }
        if state == .resolving, let instant = resolution.renewAt, instant <= now { discoverAgain() }
        if case .recovering(let fault, let instant?) = state, instant <= now {
            linkStays(after: fault)
        }
        for source in subscriptions.map(\.source) {
            // The one before may have ended the session.
            guard let attempt = self[source].machine.attempt(at: now) else { continue }
            retry(source, attempt: attempt, at: now)
        }
        settleCompanion(at: now)
        callFirst(of: .session, commands.resume(at: now))
        callFirst(of: .companion, companionRequests.resume(at: now))
    }

    // MARK: What bluetoothd says of the device

    /// Its properties or its services have changed.
    package mutating func changed(
        _ device: DeviceObject, places: ServicePlaces?, at now: MonotonicInstant
    ) {
        self.device = device
        if let source = self.places?[.notificationSource], source != places?[.notificationSource] {
            // The phone announces everything again when the service is back.
            forgetHeldValues()
        }
        let isOther = exchange(&self.places, with: places) != places
        reportName()
        switch state {
        case .stranger:
            // Another program's agent may have paired it.
            guard device.isPaired else { break }
            // After a failure, it may also have paired by itself, and nobody was asked.
            if hasFailedToPair, mayBeJustWorks { refuse() } else { becamePaired(at: now) }
        case .answering:
            guard device.isPaired else { break }
            if requiresAuthentication, !isAuthenticated { refuse() } else { becamePaired(at: now) }
        case .discovering:
            if device.isPaired {
                becamePaired(at: now)
            } else if device.hasResolvedServices {
                discovered()
            }
        case .identifying: if device.hasIdentity { identified(at: now) }
        case .resolving:
            reportIdentity()
            resolve(at: now)
        case .available:
            reportIdentity()
            if isOther { lostService(at: now) }
        case .barred, .unaccepted:
            reportIdentity()
            if isOther { beginResolving(at: now) }
        case .pairing, .refused, .keyless, .recovering, .hung, .leaving, .ended: break
        }
    }

    private mutating func reportName() {
        guard let name = device.name, name != reportedName else { return }
        reportedName = name
        report(.named(name))
    }

    /// The session is over; bluetoothd has dropped the subscriptions, with the objects or the link.
    mutating func lostService(at now: MonotonicInstant) {
        forgetSession()
        report(.unavailable)
        beginResolving(at: now)
    }

    mutating func forgetSession() {
        forgetSubscriptions(ofANCS: true)
        session += 1
        forgetHeldValues()
        commands = AttributeQueue()
        isReadingClock = false
    }

    /// What is known of `AcquireNotify` has changed. A session that stands is not disturbed.
    mutating func routeChanged(to route: Route, at now: MonotonicInstant) {
        guard exchange(&self.route, with: route) != route, state == .barred else { return }
        beginResolving(at: now)
    }

    /// The link ended, or is no longer used.
    package mutating func end(_ ending: DisconnectReason) {
        guard state != .ended else { return }
        forgetSubscriptions(ofANCS: true)
        loseCompanion()
        switch (exchange(&state, with: .ended), ending) {
        case (.recovering(.hang, _), .linkEnded): report(.disconnected(.bluetoothdHung))
        case (.recovering(.earlyDiscovery, _), .linkEnded): report(.disconnected(.discoveredEarly))
        case (_, _): report(.disconnected(ending))
        }
    }

    // MARK: Answers

    /// A call that was made in a session was answered. `socket` identifies the socket in the reply.
    package mutating func replied(
        to call: Call, in session: Int, _ result: BusResult, socket: SocketID,
        at now: MonotonicInstant
    ) {
        // A socket that arrives too late is closed when its descriptor is released.
        guard session == self.session || !call.isForSession else { return }
        switch call {
        case .pair: paired(result, at: now)
        // Nothing depends on the reply.
        case .trust, .remove: break
        case .disconnect: linkEnds(result, at: now)
        case .subscription(let source, let call, _):
            subscriptionReplied(source, to: call, result, socket, at: now)
        case .readConfiguration(let characteristic): configurationRead(characteristic, result)
        case .request(let request): answered(request, result, at: now)
        case .readClock(let characteristic): clockRead(characteristic, result)
        case .followClock: clockFollowed(result)
        case .unfollowClock: break
        }
    }

    // MARK: What the session wants

    package mutating func request(_ request: ConsumerSession.LinkRequest, at now: MonotonicInstant)
    {
        guard state == .available, let places else { return }
        switch request {
        case .subscribe(let characteristic):
            guard places[characteristic] != nil else {
                return report(.ancs(characteristic), .attributeNotFound)
            }
            subscribe(to: .ancs(characteristic), at: now)
        case .unsubscribe(let characteristic): unsubscribe(from: .ancs(characteristic), at: now)
        case .readSubscription(let characteristic):
            if places[characteristic] != nil { call(.readConfiguration(characteristic)) }
        case .writeControlPoint(let value):
            guard let controlPoint = places.controlPoint else {
                let error = ControlPointError(rawValue: ATTErrorCode.attributeNotFound.rawValue)
                return report(.controlPointWritten(value, error))
            }
            writeCommand(value, to: controlPoint, at: now)
        }
    }

    /// Ends the session; the link remains for other programs.
    mutating func leave(at now: MonotonicInstant) {
        switch state {
        case .available:
            state = .leaving
            commands = AttributeQueue()
            stopFollowingClock()
            unsubscribe(from: .notifications, at: now)
            if state == .leaving { unsubscribe(from: .data, at: now) }
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .resolving,
            .keyless, .barred, .unaccepted, .recovering, .hung:
            end(.left)
        case .leaving, .ended: break
        }
    }

    mutating func leftIfUnsubscribed() {
        if self[.notifications].machine.state == .none, self[.data].machine.state == .none {
            end(.left)
        }
    }

    // MARK: Hanging

    /// bluetoothd does not answer. Its read of a protected value was refused before pairing, and was repeated
    /// while the kernel sends nothing; bluetoothd before 5.78 counts it as sent (`can_write_data` in
    /// src/shared/att.c), and all requests wait behind it until there is a new link. So the link is ended, but
    /// only once.
    ///
    /// The requests of the session will not be answered, so the session is over in any case.
    package mutating func hang() {
        switch state {
        case .available: break
        case .leaving: return end(.left)
        // There are no calls in this state that could hang.
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .resolving,
            .keyless, .barred, .unaccepted, .recovering, .hung, .ended:
            return
        }
        forgetSession()
        report(.unavailable)
        guard !wasRecovered else { return hungForGood() }
        state = .recovering(.hang, until: nil)
        report(.hung(isEnded: true))
        call(.disconnect)
    }

    /// A phone shows ANCS only after pairing. bluetoothd may have discovered the services before that, and
    /// may not have subscribed to Service Changed yet; it then discovers them again only on a new link. So
    /// the link is ended, once.
    mutating func discoverAgain() {
        state = .recovering(.earlyDiscovery, until: nil)
        report(.discoveredEarly)
        call(.disconnect)
    }

    private mutating func linkEnds(_ result: BusResult, at now: MonotonicInstant) {
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
        case .earlyDiscovery:
            // To end it again would not help either.
            wasRecovered = true
            (state, resolution) = (.resolving, Resolution())
        }
    }

    private mutating func hungForGood() {
        guard state != .ended else { return }
        state = .hung
        report(.hung(isEnded: false))
    }

    // MARK: Values

    /// A value of the Notification Source was broadcast to all programs.
    mutating func receiveNotificationSource(_ value: [UInt8]) {
        let source = self[.notifications]
        switch state {
        case .available where source.isStanding: report(.notificationSource(value))
        // Of the session that is being ended: bluetoothd has yet to answer `StopNotify`.
        case .available where source.machine.state == .stopping: break
        // Values from before a session can only be announcements of what the phone shows.
        case .available, .resolving, .barred, .unaccepted, .pairing, .answering, .identifying,
            .discovering:
            hold(value)
        case .stranger, .refused, .keyless, .recovering, .hung, .leaving, .ended: break
        }
    }

    private mutating func forgetHeldValues() {
        held.removeAll()
        dropped = 0
    }

    private mutating func hold(_ value: [UInt8]) {
        held.append(value)
        guard held.count > Self.maximumHeldValues else { return }
        _ = held.popFirst()
        dropped += 1
    }

    /// The session has started: it receives what arrived before.
    mutating func sessionStands() {
        hasServed = true
        wasRecovered = false
        keyCheck = KeyCheck()
        while let value = held.popFirst() { report(.notificationSource(value)) }
        let dropped = exchange(&dropped, with: 0)
        if dropped > 0 { report(.dropped(dropped)) }
    }

    // MARK: Internals

    subscript(source: Source) -> Subscription {
        get { subscriptions.first { $0.source == source } ?? Subscription(source: source) }
        // Not inlined: it is called in many places.
        @inline(never)
        set {
            if let index = subscriptions.firstIndex(where: { $0.source == source }) {
                subscriptions[index] = newValue
            } else {
                subscriptions.append(newValue)
            }
        }
    }

    subscript(user: ClientID) -> AttributeQueue {
        get { user == .session ? commands : companionRequests }
        set { if user == .session { commands = newValue } else { companionRequests = newValue } }
    }

    package mutating func report(_ event: PhoneEvent) { outputs.append(.event(event)) }

    package mutating func report(_ event: PeerEvent) { report(.peer(event)) }

    package mutating func report(_ event: PhoneServiceEvent) { report(.service(event)) }

    package mutating func report(_ event: ConsumerSession.LinkReport) {
        report(.service(.link(event)))
    }

    package mutating func call(_ call: Call) { outputs.append(.call(call)) }

    mutating func forgetSubscriptions(ofANCS isOfANCS: Bool) {
        for subscription in subscriptions where subscription.source.isOfANCS == isOfANCS {
            if let socket = subscription.machine.socket { outputs.append(.close(socket)) }
        }
        subscriptions.removeAll { $0.source.isOfANCS == isOfANCS }
    }
}
