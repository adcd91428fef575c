public import DBus
public import Octets

/// An accessory for ANCS at bluetoothd, without I/O: what bluetoothd does goes in, what it is to be told comes
/// out.
///
/// bluetoothd has the controller, the links, the bonds, and the discovery of services. This has it advertise,
/// has phones paired, finds ANCS among what bluetoothd discovered, and does on each phone what its session
/// asks for. The D-Bus interfaces are those of BlueZ 5.66 and later, of its `doc/org.bluez.*`, and none that
/// are experimental.
///
/// The owner watches who has the name `org.bluez` and says it to ``ownerChanged(to:at:)``, passes on the
/// signals of that program and of `org.freedesktop.login1`, and calls of ``objectPaths``; then drains
/// ``pollOutput()`` until it is `nil`.
public struct BlueZAccessory: ~Copyable, Sendable {
    /// What the accessory is, and whom it lets in.
    public struct Configuration: Hashable, Sendable {
        /// The name that phones show: 1 to 248 octets of UTF-8.
        public var name: String
        /// Which adapter it is at.
        public var adapter: AdapterName
        /// What the user can be shown and asked while pairing.
        public var capability = AgentCapability.noInputNoOutput
        /// When phones may pair.
        public var pairingWindow = PairingWindow.untilPhoneIsPaired
        /// How many phones are served at a time.
        public var maximumPhones = 1

        /// An accessory at an adapter.
        public init(name: String, adapter: AdapterName = .any) {
            self.name = name
            self.adapter = adapter
        }
    }

    /// What a user can be shown and asked, as `org.bluez.AgentManager1` calls it.
    public enum AgentCapability: String, Hashable, Sendable {
        /// Nothing.
        case noInputNoOutput = "NoInputNoOutput"
        /// Six digits can be shown.
        case displayOnly = "DisplayOnly"
        /// Six digits can be typed.
        case keyboardOnly = "KeyboardOnly"
        /// Six digits can be shown and agreed to.
        case displayYesNo = "DisplayYesNo"
        /// All of that.
        case keyboardDisplay = "KeyboardDisplay"
    }

    /// When phones may pair. This is about what is paired from here: a phone that the user pairs in the
    /// desktop's settings is paired.
    public enum PairingWindow: Hashable, Sendable {
        /// Always.
        case open
        /// As long as no phone is paired that has, or had, ANCS.
        case untilPhoneIsPaired
        /// Only after ``BlueZAccessory/openPairingWindow(for:at:)``.
        case closed
    }

    /// What the owner has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// Make a call, and pass its answer on; where there is none in time, `BusError.noReply`.
        case call(CallID, BusCall, limit: Duration)
        /// Pass on every value that comes by this socket, as soon as it comes, and its end.
        case open(SocketID, BusDescriptor)
        /// Close the socket.
        case close(SocketID)
        /// Answer a call of bluetoothd's.
        case answer(InvocationID, Result<[BusValue], BusError>)
        /// Something happened.
        case event(BlueZEvent)
    }

    /// The well-known name of bluetoothd.
    public static let service = "org.bluez"
    /// The objects whose calls have to be passed on.
    public static let objectPaths = [Advertisement.path, PairingAgent.path]

    enum State: Hashable, Sendable {
        /// It has not been said yet who has the name.
        case unknown
        /// The objects are being asked for.
        case looking(CallID)
        /// bluetoothd is there, and no adapter that can be used.
        case withoutAdapter
        /// bluetoothd is not there, or does not answer before then.
        case away(lookAt: MonotonicInstant?)
        case ready(ObjectPath)
        case failed
    }

    /// A phone that bluetoothd has a bond with.
    public struct PairedPhone: Hashable, Sendable {
        /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
        public var address: String
        /// Its name, as bluetoothd heard it last; untrusted.
        public var name: String?
        /// The call that has bluetoothd end its link and forget it, its bond for classic Bluetooth included.
        public var removal: BusCall
    }

    /// A call whose answer is awaited.
    enum Purpose: Hashable, Sendable {
        case look
        case registerAgent
        case advertisement(Advertisement.Call)
        /// A call for a phone; the number is that of its session.
        case phone(PhoneID, ObjectPath, PhoneLink.Call, session: Int)
        /// Its answer changes nothing.
        case nothing
    }

    /// A device that is a phone, or may be one.
    struct Phone: Sendable {
        let id: PhoneID
        let path: ObjectPath
        var link: PhoneLink
        let connectedAt: MonotonicInstant
    }

    /// What is remembered of a device as long as bluetoothd knows it.
    struct Acquaintance: Hashable, Sendable {
        /// It was paired from here.
        var isPairedHere = false
        /// Its link was ended because bluetoothd hung, and no session stood since.
        var wasRecovered = false
        /// How often in a row its link ended soon, without a session.
        var briefLinks = 0
        /// Its session was ended from here, and its link goes on.
        var isLeft = false
    }

    /// How long bluetoothd and its adapter may take to appear at the start: its name comes before its
    /// adapters.
    static let patience = Duration.seconds(5)

    let configuration: Configuration
    var state = State.unknown
    /// The unique name of bluetoothd.
    var owner: String?
    var tree = ObjectTree()
    var advertisement = Advertisement()
    var agent = PairingAgent()
    var phones: [Phone] = []
    var acquaintances: [ObjectPath: Acquaintance] = [:]
    var window: Window
    /// It was ready before: what is not there now will be again.
    var hasBeenReady = false
    /// Until when a start without bluetoothd or an adapter is no failure.
    var startsUntil: MonotonicInstant?
    /// What was said of Bluetooth last, where it is not ready.
    var toldTrouble: BlueZEvent.Trouble?
    var isLettingIn = true
    /// The adapter that was made pairable from here.
    var madePairable: ObjectPath?
    private var pending: [CallID: Purpose] = [:]
    private var lastID: UInt64 = 0
    private var lastPhone: UInt64 = 0
    private var outputs = Queue<Output>()

    /// An accessory that begins when it is said who has the name.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        window = Window(configuration.pairingWindow)
    }

    // MARK: What happened

    /// Somebody else has the name of bluetoothd now, or nobody.
    public mutating func ownerChanged(to owner: String?, at now: MonotonicInstant) {
        guard state != .failed else { return }
        let hadOwner = exchange(&self.owner, with: owner) != nil
        if hadOwner { daemonEnded(at: now) }
        switch (owner, state) {
        case (nil, .unknown):
            // The bus may start it.
            look()
        case (.some, _): look()
        case (nil, _): break
        }
    }

    /// A signal of bluetoothd, or of logind.
    public mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {
        if signal.interface == "org.freedesktop.login1.Manager" {
            guard signal.member == "PrepareForSleep", signal.arguments.first?.bool == false else {
                return
            }
            resumed()
        } else if signal.sender == owner {
            // Any program may send a signal to this one, and say that it were bluetoothd's.
            for change in tree.receive(signal, at: now) { changed(change, at: now) }
        }
        settle(at: now)
    }

    /// What came of a call.
    public mutating func receive(
        _ result: Result<[BusValue], BusError>, to call: CallID, at now: MonotonicInstant
    ) {
        guard let purpose = pending.removeValue(forKey: call), state != .failed else { return }
        switch purpose {
        case .look: if state == .looking(call) { looked(result, at: now) }
        case .registerAgent: agent.registered(result)
        case .advertisement(let call): advertisement.replied(to: call, result, at: now)
        case .phone(let phone, let path, let call, let session):
            if call == .pair { pairReplied(result, of: path) }
            replied(to: call, of: phone, in: session, result, at: now)
        case .nothing: break
        }
        settle(at: now)
    }

    /// A program called a method of one of ``objectPaths``.
    public mutating func receive(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        guard call.sender == owner, state != .failed else {
            return output(
                .answer(
                    invocation,
                    .failure(BusError(BusError.accessDenied, "this is for bluetoothd only"))))
        }
        switch call.path {
        case PairingAgent.path:
            let pairing = Set(phones.filter { $0.link.state == .pairing }.map(\.path))
            agent.receive(call, invocation, isPairing: { pairing.contains($0) })
        case _: advertisementCalled(call, invocation, at: now)
        }
        settle(at: now)
    }

    /// A value came by a socket.
    public mutating func receive(
        _ value: [UInt8], from socket: SocketID, at now: MonotonicInstant
    ) {
        guard let index = phones.firstIndex(where: { $0.link.characteristic(of: socket) != nil })
        else { return }
        phones[index].link.receive(value, from: socket)
        settle(at: now)
    }

    /// A socket hung up.
    public mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        for index in phones.indices { phones[index].link.hungUp(socket, at: now) }
        settle(at: now)
    }

    /// The time of ``nextDeadline`` has come.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard state != .failed else { return }
        if let until = startsUntil, until <= now { patienceEnded() }
        if case .away(let instant?) = state, instant <= now { look() }
        advertisement.handleTimeout(at: now)
        window.handleTimeout(at: now)
        for index in phones.indices { phones[index].link.handleTimeout(at: now) }
        settle(at: now)
    }

    /// When ``handleTimeout(at:)`` has to be called, if nothing happens before.
    public var nextDeadline: MonotonicInstant? {
        if state == .failed { return nil }
        var deadline = MonotonicInstant.earliest(startsUntil, advertisement.nextDeadline)
        deadline = .earliest(deadline, window.nextDeadline)
        if case .away(let instant) = state { deadline = .earliest(deadline, instant) }
        for phone in phones { deadline = .earliest(deadline, phone.link.nextDeadline) }
        return deadline
    }

    /// What is to be done next; `nil` when nothing is.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What is wished

    /// Lets no further phone in.
    public mutating func stopAdvertising(at now: MonotonicInstant) {
        isLettingIn = false
        settle(at: now)
    }

    /// Does what the session with a phone wants.
    public mutating func request(
        _ request: PhoneRequest, of phone: PhoneID, at now: MonotonicInstant
    ) {
        guard let index = index(of: phone) else { return }
        phones[index].link.request(request)
        settle(at: now)
    }

    /// Ends the session with a phone; its link goes on.
    public mutating func leave(_ phone: PhoneID, at now: MonotonicInstant) {
        guard let index = index(of: phone) else { return }
        phones[index].link.leave()
        settle(at: now)
    }

    /// Lets phones pair: for this long, or until the end where no duration is given. Those that are connected
    /// and have failed to pair may try again.
    public mutating func openPairingWindow(for duration: Duration?, at now: MonotonicInstant) {
        window.open(until: duration.map { now + $0 })
        letPhonesPair(again: true)
        settle(at: now)
    }

    /// Lets no phone pair any more. Pairing that is under way goes on.
    public mutating func closePairingWindow(at now: MonotonicInstant) {
        window.close()
        settle(at: now)
    }

    /// What the user said to a question; nothing happens where it is not asked any more.
    public mutating func answer(
        _ question: UInt64, _ answer: PhoneEvent.Answer, at now: MonotonicInstant
    ) {
        if let device = agent.answer(question, answer),
            let phone = phones.first(where: { $0.path == device })
        {
            call(.device(phone.path, "CancelPairing"), for: .nothing, within: .seconds(10))
        }
        settle(at: now)
    }

    // MARK: Internals

    mutating func output(_ output: Output) { outputs.append(output) }

    mutating func tell(_ event: BlueZEvent) { outputs.append(.event(event)) }

    mutating func tell(_ event: PhoneEvent, of phone: PhoneID) { tell(.phone(phone, event)) }

    @discardableResult
    mutating func call(_ call: BusCall, for purpose: Purpose, within limit: Duration) -> CallID {
        lastID += 1
        let id = CallID(rawValue: lastID)
        pending[id] = purpose
        outputs.append(.call(id, call, limit: limit))
        return id
    }

    /// Answers to some calls are of no interest any more.
    mutating func forgetCalls(where isForgotten: (Purpose) -> Bool) {
        pending = pending.filter { !isForgotten($0.value) }
    }

    mutating func makeSocketID() -> SocketID {
        lastID += 1
        return SocketID(rawValue: lastID)
    }

    mutating func makePhoneID() -> PhoneID {
        lastPhone += 1
        return PhoneID(rawValue: lastPhone)
    }

    func index(of phone: PhoneID) -> Int? { phones.firstIndex { $0.id == phone } }
}
