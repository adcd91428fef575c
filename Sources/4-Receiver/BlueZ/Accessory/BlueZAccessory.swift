public import ANCSEvents
internal import BluetoothTypes
public import DBus
public import Octets

/// An ANCS accessory that uses bluetoothd, without I/O: the signals and replies of bluetoothd are its inputs,
/// calls are its outputs.
///
/// bluetoothd owns the controller, the links and the bonds, and discovers services. This machine has it
/// advertise and pair with phones, finds ANCS among the discovered services, and carries out the requests of
/// each phone's session. It uses the D-Bus interfaces of BlueZ 5.66 and later (`doc/org.bluez.*`), none of
/// them experimental.
///
/// Its owner watches the owner of the name `org.bluez` and reports it to ``ownerChanged(to:at:)``, passes on
/// the signals of that program and of `org.freedesktop.login1`, and calls to ``objectPaths``; then it calls
/// ``pollOutput()`` until that returns `nil`.
public struct BlueZAccessory: ~Copyable, Sendable {
    /// The identity of the accessory, and which phones it accepts.
    public struct Configuration: Equatable, Sendable {
        /// The name for phones: 1 to 248 octets of UTF-8.
        public var name: String
        /// Whether the name is on air at all times, and not only while phones may pair.
        public var showsNameAlways = true
        /// The adapter to use.
        public var adapter: AdapterName
        /// The input and output for the user while pairing.
        public var capability = AgentCapability.noInputNoOutput
        /// When phones may pair.
        public var pairingWindow = PairingWindow.untilPhoneIsPaired
        /// How many phones are served at a time. Every paired phone has a place, up to this limit.
        public var maximumPhones = 4
        /// Whether a bond counts only if the user has compared or typed digits for it: one that was made by
        /// Just Works is removed. Bonds from before remain valid.
        public var requiresAuthentication = false
        /// Which bonds make a device a phone.
        public var bonds = BondPolicy.any
        /// Whether the texts of notifications may be broadcast on the bus where bluetoothd does not give this
        /// program a socket for them.
        public var allowsTextsOnBus = false

        /// An accessory with this name, on an adapter.
        public init(name: String, adapter: AdapterName = .any) {
            self.name = name
            self.adapter = adapter
        }
    }

    /// The input and output for the user, with the names of `org.bluez.AgentManager1`.
    public enum AgentCapability: String, Equatable, Sendable {
        /// None.
        case noInputNoOutput = "NoInputNoOutput"
        /// Six digits can be displayed.
        case displayOnly = "DisplayOnly"
        /// Six digits can be entered.
        case keyboardOnly = "KeyboardOnly"
        /// Six digits can be displayed, and the user can answer yes or no.
        case displayYesNo = "DisplayYesNo"
        /// Six digits can be displayed and entered.
        case keyboardDisplay = "KeyboardDisplay"
    }

    /// When phones may pair with this accessory. A phone that the user pairs in the desktop's settings is not
    /// affected.
    public enum PairingWindow: Equatable, Sendable {
        /// Always.
        case open
        /// Until a phone is paired that has, or had, ANCS.
        case untilPhoneIsPaired
        /// Only after ``BlueZAccessory/openPairingWindow(for:at:)``.
        case closed
    }

    /// What the owner has to do, and what happened.
    @usableFromInline package typealias Output = BlueZOutput<Report>

    /// What only the owner of an accessory knows what to do with.
    @usableFromInline package enum Report: Equatable, Sendable {
        /// Look whether the link of a phone with this address is encrypted, and report it to
        /// ``BlueZAccessory/inspected(_:isEncrypted:at:)``.
        case inspect(PhoneID, address: String)
        /// Keep beyond the end of this program whether a bond is accepted; `nil` to keep nothing about it, because it
        /// is gone.
        case decided(BondIdentity, isAccepted: Bool?)
        /// An event.
        case event(BlueZEvent)
        case companion(PhoneID, CompanionEvent)
    }

    /// The well-known name of bluetoothd.
    public static let service = ObjectTree.service
    /// The objects whose calls have to be passed on.
    public static let objectPaths = [Advertisement.path, PairingAgent.path]

    /// A phone with a bond in bluetoothd.
    public struct PairedPhone: Equatable, Sendable {
        /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
        public var address: String
        /// Its name, as last received by bluetoothd; untrusted.
        public var name: String?
        package let path: ObjectPath
        /// Whether its bond counts.
        package let isAccepted: Bool
        /// The call that makes bluetoothd end its link and remove its bond, including that for classic
        /// Bluetooth.
        public var removal: BusCall
    }

    /// The purpose of a pending call.
    package enum Purpose: Equatable, Sendable {
        case look
        case registerAgent
        case advertisement(Advertisement.Call)
        /// A call for a phone, in the session with this number.
        case phone(PhoneID, ObjectPath, PhoneLink.Call, session: Int)
        case companion(PhoneID, PhoneCompanion.Call, era: Int)
        /// Its reply is ignored.
        case nothing
    }

    /// A device that is a phone, or may be one.
    struct Phone: Sendable {
        package let id: PhoneID
        package let path: ObjectPath
        package var link: PhoneLink
        let connectedAt: MonotonicInstant
        /// Whether it is paired, and its user is asked to compare digits, or was.
        var pairsAgain = false
        /// Whether it was reported that it has too many services of ANCS.
        var hasExcess = false
        /// Whether trouble with its keys was noted on this link.
        var hasKeyTrouble = false
        /// Why it is not received from, as far as that was said.
        var unserved: Unserved?
    }

    /// What is remembered of a device while bluetoothd knows it.
    struct Acquaintance: Equatable, Sendable {
        /// Whether this program paired it.
        var isPairedHere = false
        /// Whether it came without a bond while phones were invited.
        var wasInvited = false
        /// Whether its link was ended because bluetoothd hung, and there was no session since.
        var wasRecovered = false
        /// How often its links were not encrypted, since one last was.
        var failedLooks = 0
        /// The trouble with its keys since the last session.
        var keyTrouble = KeyTroubleRecord()
        /// Its brief links since then.
        var briefLinks = BriefLinks()
        /// Whether its session was ended by this program, and its link continues.
        var isLeft = false
        /// Whether its bond was made without digits, where they are required, and is being removed.
        var isRefused = false
    }

    /// What has to appear when bluetoothd starts, in this order.
    enum Step: Int, Comparable, Sendable {
        case adapter
        case power
        case advertising

        package init(missing failure: BlueZEvent.Failure) {
            self =
                switch failure {
                case .off: .power
                case .cannotAdvertise: .advertising
                case .noAdapter, .adapterLost, .noDaemon, .daemonEnded, .denied, .noAnswer,
                    .unreadable, .refused:
                    .adapter
                }
        }

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package let configuration: Configuration
    package var daemon = DaemonLife()
    /// The adapter in use.
    package var adapter: ObjectPath?
    package var tree = ObjectTree()
    package var advertisement = Advertisement()
    package var agent: PairingAgent
    var phones: [Phone] = []
    /// The services of phones beside ANCS that are used.
    var companions: [PhoneID: PhoneCompanion] = [:]
    var acquaintances: [ObjectPath: Acquaintance] = [:]
    var window: Window
    /// The time until which it is not a failure that an adapter is missing.
    var startsUntil: MonotonicInstant?
    /// The last step that got time.
    var awaited: Step?
    /// The last reported failure, while it is not ready.
    var reportedFailure: BlueZEvent.Failure?
    var isLettingIn = true
    /// How many paired phones have a place; `nil` if they have to be counted again.
    var pairedPhoneCount: Int?
    /// Whether it was reported that the adapter is discoverable over BR/EDR.
    var isDrawingPhonesAway = false
    /// The phones that were reported as paired over BR/EDR alone, while pairing is open.
    var basicRatePhones: Set<ObjectPath> = []
    var pairability = Pairability()
    /// What was decided about bonds, and what is asked.
    var bonds = BondBook()
    var bondQuestions: [BondQuestion] = []
    var lastBondQuestion = firstBondQuestion
    /// What `AcquireNotify` has done to bluetoothd.
    package var sockets = SocketGuard()
    package var selinux = SELinuxState()
    /// When to look again what SELinux does, because a phone waits for a change.
    var readsSELinuxAt: MonotonicInstant?
    /// Whether it was reported that texts cannot be had.
    var hasReportedBar = false
    private var pending: [CallID: Purpose] = [:]
    private var lastID: UInt64 = 0
    private var lastPhone: UInt64 = 0
    private var outputs = Queue<Output>()

    /// An accessory that starts when the owner of the name is first reported.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        window = Window(configuration.pairingWindow)
        agent = PairingAgent(requiresAuthentication: configuration.requiresAuthentication)
    }

    // MARK: What happened

    /// The owner of bluetoothd's name changed; `nil` for none.
    public mutating func ownerChanged(to owner: String?, at now: MonotonicInstant) {
        guard daemon.state != .failed else { return }
        if daemon.ownerChanged(to: owner, at: now) { daemonEnded(at: now) }
        if daemon.wantsLook { look() }
    }

    /// A signal of bluetoothd or of logind arrived.
    public mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {
        if signal.interface == "org.freedesktop.login1.Manager" {
            guard signal.member == "PrepareForSleep", signal.arguments.first?.bool == false else {
                return
            }
            resumed()
        } else if signal.sender == daemon.owner {
            // Any program can send this one a signal and claim to be bluetoothd.
            for change in tree.receive(signal, at: now) { changed(change, at: now) }
        }
        settle(at: now)
    }

    /// A call was answered.
    public mutating func receive(
        _ result: Result<[BusValue], BusError>, to call: CallID, at now: MonotonicInstant
    ) {
        guard let purpose = pending.removeValue(forKey: call), daemon.state != .failed else {
            return
        }
        noteReply(to: call, result, at: now)
        switch purpose {
        case .look: looked(daemon.looked(result, by: call, at: now), at: now)
        case .registerAgent: agent.registered(result)
        case .advertisement(let call): advertisement.replied(to: call, result, at: now)
        case .phone(let phone, let path, let call, let session):
            if call == .pair { pairReplied(result, of: phone, path, at: now) }
            replied(to: call, of: phone, in: session, result, at: now)
        case .companion(let phone, let call, let era):
            let socket = makeSocketID()
            companions[phone]?.replied(to: call, in: era, result, socket, at: now)
        case .nothing: break
        }
        settle(at: now)
    }

    /// A program called a method of one of the ``objectPaths``.
    public mutating func receive(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        guard call.sender == daemon.owner, daemon.state != .failed else {
            return output(.refusal(of: invocation))
        }
        switch call.path {
        case PairingAgent.path: agentCalled(call, invocation)
        case _: advertisementCalled(call, invocation, at: now)
        }
        settle(at: now)
    }

    /// A value arrived on a socket.
    public mutating func receive(
        _ value: [UInt8], from socket: SocketID, at now: MonotonicInstant
    ) {
        if let index = phones.firstIndex(where: { $0.link.characteristic(of: socket) != nil }) {
            phones[index].link.receive(value, from: socket)
        }
        eachCompanion { $0?.receive(value, from: socket) }
        settle(at: now)
    }

    /// A socket was closed by bluetoothd.
    public mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        for index in phones.indices { phones[index].link.hungUp(socket, at: now) }
        eachCompanion { $0?.hungUp(socket) }
        settle(at: now)
    }

    /// Whether the link of a phone is encrypted; `nil` if that cannot be told.
    public mutating func inspected(_ phone: PhoneID, isEncrypted: Bool?, at now: MonotonicInstant) {
        guard let index = index(of: phone) else { return }
        let isAuthenticating = agent.isAuthenticating(phones[index].path)
        if isEncrypted == true { noteNewBond(of: index, at: now) }
        phones[index].link.isRoomLeft = hasRoom
        phones[index].link.inspected(
            isEncrypted: isEncrypted, isAuthenticating: isAuthenticating, at: now)
        settle(at: now)
    }

    /// Call it when ``nextDeadline`` has passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard daemon.state != .failed else { return }
        if let until = startsUntil, until <= now { patienceEnded() }
        switch daemon.handleTimeout(at: now) {
        case .look: look()
        case .failure: fail(.daemonEnded)
        case nil: break
        }
        readSELinuxAgain(at: now)
        voidOverdueBonds(at: now)
        advertisement.handleTimeout(at: now)
        window.handleTimeout(at: now)
        for index in phones.indices {
            phones[index].link.isRoomLeft = hasRoom
            phones[index].link.handleTimeout(at: now)
        }
        eachCompanion { $0?.handleTimeout(at: now) }
        settle(at: now)
    }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        if daemon.state == .failed { return nil }
        var deadline = MonotonicInstant.earliest(startsUntil, advertisement.nextDeadline)
        deadline = .earliest(deadline, window.nextDeadline)
        deadline = .earliest(.earliest(deadline, barDeadline), bonds.nextDeadline)
        deadline = .earliest(deadline, daemon.nextDeadline)
        for phone in phones { deadline = .earliest(deadline, phone.link.nextDeadline) }
        return companions.values.reduce(deadline) { .earliest($0, $1.nextDeadline) }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    @usableFromInline package mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What the app requests

    /// Accepts no more phones.
    public mutating func stopAdvertising(at now: MonotonicInstant) {
        isLettingIn = false
        settle(at: now)
    }

    /// Carries out a request of the session with a phone.
    public mutating func request(
        _ request: PhoneRequest, of phone: PhoneID, at now: MonotonicInstant
    ) {
        guard let index = index(of: phone) else { return }
        phones[index].link.request(request, at: now)
        settle(at: now)
    }

    /// Reads the time and the zone of a phone, and has its time notified. Values are followed by
    /// `PhoneServiceEvent.clockRead`, unless the session ends meanwhile.
    public mutating func readClock(of phone: PhoneID, at now: MonotonicInstant) {
        guard let index = index(of: phone) else { return }
        phones[index].link.readClock()
        settle(at: now)
    }

    /// Ends the session with a phone; its link continues.
    public mutating func leave(_ phone: PhoneID, at now: MonotonicInstant) {
        guard let index = index(of: phone) else { return }
        phones[index].link.leave(at: now)
        settle(at: now)
    }

    /// Allows phones to pair, for this duration or without limit. Connected phones that have failed to pair
    /// may try again.
    public mutating func openPairingWindow(for duration: Duration?, at now: MonotonicInstant) {
        window.open(until: duration.map { now + $0 })
        askAgain()
        letPhonesPair(again: true, at: now)
        settle(at: now)
    }

    /// Forbids phones to pair. A pairing in progress continues.
    public mutating func closePairingWindow(at now: MonotonicInstant) {
        window.close()
        settle(at: now)
    }

    /// Passes on the user's answer to a question; ignored if the question is no longer pending.
    public mutating func answer(
        _ question: UInt64, _ answer: PhoneEvent.Answer, at now: MonotonicInstant
    ) {
        if question > Self.firstBondQuestion { answerBond(question, answer, at: now) }
        if let device = agent.answer(question, answer),
            let phone = phones.first(where: { $0.path == device })
        {
            call(.device(phone.path, "CancelPairing"), for: .nothing, within: .seconds(10))
        }
        settle(at: now)
    }

    // MARK: Internals

    package mutating func output(_ output: Output) { outputs.append(output) }

    package mutating func report(_ event: BlueZEvent) { outputs.append(.report(.event(event))) }

    package mutating func report(_ event: PhoneEvent, of phone: PhoneID) {
        report(.phone(phone, event))
    }

    // Not inlined: it is called in many places.
    @discardableResult @inline(never)
    package mutating func call(_ call: BusCall, for purpose: Purpose, within limit: Duration)
        -> CallID
    {
        lastID += 1
        let id = CallID(rawValue: lastID)
        pending[id] = purpose
        outputs.append(.call(id, call, limit: limit))
        return id
    }

    /// Ignores the replies to some calls from now on.
    mutating func forgetCalls(where isForgotten: (Purpose) -> Bool) {
        for (id, purpose) in pending where isForgotten(purpose) { pending[id] = nil }
    }

    package mutating func makeSocketID() -> SocketID {
        lastID += 1
        return SocketID(rawValue: lastID)
    }

    mutating func makePhoneID() -> PhoneID {
        lastPhone += 1
        return PhoneID(rawValue: lastPhone)
    }

    package func index(of phone: PhoneID) -> Int? { phones.firstIndex { $0.id == phone } }
}
