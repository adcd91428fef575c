package import ANCSEvents
package import DBus

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
package struct BlueZAccessory: ~Copyable, Sendable {
    /// The identity of the accessory, and which phones it accepts.
    package struct Configuration: Equatable, Sendable {
        /// The name for phones: 1 to 248 octets of UTF-8.
        package var name: String
        /// Whether the name is on air at all times, and not only while phones may pair.
        package var showsNameAlways = true
        /// The adapter to use.
        package var adapter: AdapterName
        /// The input and output for the user while pairing.
        package var ability = PairingAbility.noInputNoOutput
        /// When phones may pair. A phone that the user pairs in the desktop's settings is not affected.
        package var pairingWindow = PairingWindow.untilPhoneIsBonded
        /// How many phones are served at a time. Every paired phone has a place, up to this limit.
        package var maximumPhones = 4
        /// Whether a bond counts only if the user has compared or typed digits for it: one that was made by
        /// Just Works is removed. Bonds from before remain valid.
        package var requiresAuthentication = false
        /// Which bonds make a device a phone.
        package var bonds = BondPolicy.any
        /// Whether the texts of notifications may be broadcast on the bus where bluetoothd does not give this
        /// program a socket for them.
        package var allowsTextsOnBus = false

        /// An accessory with this name, on an adapter.
        package init(name: String, adapter: AdapterName = .any) {
            self.name = name
            self.adapter = adapter
        }
    }

    /// What the owner has to do, and what happened.
    package typealias Output = BlueZOutput<Report>

    /// What only the owner of an accessory knows what to do with.
    package enum Report: Equatable, Sendable {
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

    /// The objects whose calls have to be passed on.
    package static let objectPaths = [Advertisement.path, PairingAgent.path]

    /// A phone with a bond in bluetoothd.
    package struct PairedPhone: Equatable, Sendable {
        /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
        package var address: String
        /// Its name, as last received by bluetoothd; untrusted.
        package var name: String?
        package let path: ObjectPath
        /// Whether its bond counts.
        package let isAccepted: Bool
        /// The call that makes bluetoothd end its link and remove its bond, including that for classic
        /// Bluetooth.
        package var removal: BusCall
    }

    /// The purpose of a pending call.
    package enum Own: Equatable, Sendable {
        case advertisement(Advertisement.Call)
        /// A call for a phone, in the session with this number.
        case phone(PhoneID, ObjectPath, PhoneLink.Call, session: Int)
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

    package let configuration: Configuration
    package var desk: DaemonDesk<Own, Report>
    package var tree = ObjectTree()
    package var advertisement = Advertisement()
    var phones: [Phone] = []
    var acquaintances: [ObjectPath: Acquaintance] = [:]
    var window: PairingWindowState
    /// The time until which it is not a failure that an adapter is missing.
    var startsUntil: MonotonicInstant?
    /// The last step of the start that got time, by its number.
    var awaited: Int?
    /// The last reported failure, while it is not ready.
    var reportedFailure: BluetoothdFailure?
    var isLettingIn = true
    /// How many paired phones have a place; `nil` if they have to be counted again.
    var pairedPhoneCount: Int?
    /// Whether it was reported that the adapter is discoverable over BR/EDR.
    var isDrawingPhonesAway = false
    /// The phones that were reported as paired over BR/EDR alone, while pairing is open.
    var basicRatePhones: Set<ObjectPath> = []
    /// What was decided about bonds, and what is asked.
    var bonds = BondBook()
    var bondQuestions: [BondQuestion] = []
    var lastBondQuestion = firstBondQuestion
    /// When to look again what SELinux does, because a phone waits for a change.
    var readsSELinuxAt: MonotonicInstant?
    /// Whether it was reported that texts cannot be had.
    var hasReportedBar = false
    private var lastPhone: UInt64 = 0

    /// An accessory that starts when the owner of the name is first reported.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        window = PairingWindowState(configuration.pairingWindow)
        desk = DaemonDesk(
            agent: PairingAgent(
                for: configuration.ability,
                requiresAuthentication: configuration.requiresAuthentication))
    }

    // MARK: What happened

    package var adapters: [ObjectPath: AdapterObject] { tree.adapters }

    /// A signal of bluetoothd or of logind arrived.
    package mutating func receive(_ signal: BusSignal, at now: MonotonicInstant) {
        if signal.interface == "org.freedesktop.login1.Manager" {
            guard signal.member == "PrepareForSleep", signal.arguments.first?.bool == false else {
                return
            }
            resumed()
        } else if signal.sender == desk.daemon.owner {
            // Any program can send this one a signal and claim to be bluetoothd.
            for change in tree.receive(signal, at: now) { changed(change, at: now) }
        }
        settle(at: now)
    }

    package mutating func replied(
        _ result: BusResult, to call: CallID, for purpose: Own, at now: MonotonicInstant
    ) {
        switch purpose {
        case .advertisement(let call): advertisement.replied(to: call, result, at: now)
        case .phone(let phone, let path, let call, let session):
            if call == .pair { pairReplied(result, of: phone, path, at: now) }
            replied(to: call, of: phone, in: session, result, at: now)
        }
    }

    package mutating func called(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant
    ) {
        switch call.path {
        case PairingAgent.path: agentCalled(call, invocation)
        case _: advertisementCalled(call, invocation, at: now)
        }
    }

    /// A value arrived on a socket.
    package mutating func receive(
        _ value: [UInt8], from socket: SocketID, at now: MonotonicInstant
    ) {
        for index in phones.indices { phones[index].link.receive(value, from: socket) }
        settle(at: now)
    }

    /// A socket was closed by bluetoothd.
    package mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant) {
        for index in phones.indices { phones[index].link.hungUp(socket, at: now) }
        settle(at: now)
    }

    /// Whether the link of a phone is encrypted; `nil` if that cannot be told.
    package mutating func inspected(_ phone: PhoneID, isEncrypted: Bool?, at now: MonotonicInstant)
    {
        guard let index = index(of: phone) else { return }
        let isAuthenticating = desk.agent.isAuthenticating(phones[index].path)
        if isEncrypted == true { noteNewBond(of: index, at: now) }
        phones[index].link.isRoomLeft = hasRoom
        phones[index].link.inspected(
            isEncrypted: isEncrypted, isAuthenticating: isAuthenticating, at: now)
        settle(at: now)
    }

    package mutating func advance(at now: MonotonicInstant) {
        if let until = startsUntil, until <= now { patienceEnded() }
        readSELinuxAgain(at: now)
        voidOverdueBonds(at: now)
        advertisement.handleTimeout(at: now)
        window.handleTimeout(at: now)
        for index in phones.indices {
            phones[index].link.isRoomLeft = hasRoom
            phones[index].link.handleTimeout(at: now)
        }
    }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    package var nextDeadline: MonotonicInstant? {
        if desk.daemon.hasFailed { return nil }
        var deadline = MonotonicInstant.earliest(startsUntil, advertisement.nextDeadline)
        deadline = .earliest(deadline, window.nextDeadline)
        deadline = .earliest(.earliest(deadline, barDeadline), bonds.nextDeadline)
        deadline = .earliest(deadline, desk.daemon.nextDeadline)
        for phone in phones { deadline = .earliest(deadline, phone.link.nextDeadline) }
        return deadline
    }

    // MARK: What the app requests

    /// Accepts no more phones.
    package mutating func stopAdvertising(at now: MonotonicInstant) {
        isLettingIn = false
        settle(at: now)
    }

    /// Carries out a request of the session with a phone.
    package mutating func request(
        _ request: ConsumerSession.LinkRequest, of phone: PhoneID, at now: MonotonicInstant
    ) { change(phone, at: now) { $0.request(request, at: now) } }

    /// Carries out a request about a service of a phone beside ANCS: the Apple Media Service.
    package mutating func request(
        _ request: CompanionRequest, of phone: PhoneID, at now: MonotonicInstant
    ) { change(phone, at: now) { $0.request(request, at: now) } }

    /// Reads the time and the zone of a phone, and has its time notified. Values are followed by
    /// `PhoneServiceEvent.clockRead`, unless the session ends meanwhile.
    package mutating func readClock(of phone: PhoneID, at now: MonotonicInstant) {
        change(phone, at: now) { $0.readClock() }
    }

    /// Ends the session with a phone; its link continues.
    package mutating func leave(_ phone: PhoneID, at now: MonotonicInstant) {
        change(phone, at: now) { $0.leave(at: now) }
    }

    private mutating func change(
        _ phone: PhoneID, at now: MonotonicInstant, _ body: (inout PhoneLink) -> Void
    ) {
        guard let index = index(of: phone) else { return }
        body(&phones[index].link)
        settle(at: now)
    }

    /// Allows phones to pair, for this duration or without limit. Connected phones that have failed to pair
    /// may try again.
    package mutating func openPairingWindow(for duration: Duration?, at now: MonotonicInstant) {
        window.open(until: duration.map { now + $0 })
        askAgain()
        letPhonesPair(again: true, at: now)
        settle(at: now)
    }

    /// Forbids phones to pair. A pairing in progress continues.
    package mutating func closePairingWindow(at now: MonotonicInstant) {
        window.close()
        settle(at: now)
    }

    /// Passes on the user's answer to a question; ignored if the question is no longer pending.
    package mutating func answer(
        _ question: UInt64, _ answer: PairingReply.Answer, at now: MonotonicInstant
    ) {
        if case .confirm(let isAccepted) = answer,
            let asked = bondQuestions.first(where: { $0.id == question })
        {
            decide(asked.bond, isAccepted: isAccepted, at: now)
        }
        passOn(answer, to: question, at: now)
    }

    // MARK: Internals

    package mutating func report(_ event: BlueZEvent) { output(.report(.event(event))) }

    package mutating func report(_ event: PhoneEvent, of phone: PhoneID) {
        report(.phone(phone, event))
    }

    mutating func report(_ event: PhoneEvent, ofPhoneAt path: ObjectPath) {
        if let index = index(at: path) { report(event, of: phones[index].id) }
    }

    mutating func makePhoneID() -> PhoneID {
        lastPhone += 1
        return PhoneID(rawValue: lastPhone)
    }

    package func index(of phone: PhoneID) -> Int? { phones.firstIndex { $0.id == phone } }

    func index(at path: ObjectPath) -> Int? { phones.firstIndex { $0.path == path } }
}
