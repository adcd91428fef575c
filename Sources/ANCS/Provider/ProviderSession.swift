public import Octets

/// The Notification Provider's side of one link with an accessory. A session (R49) starts when the
/// accessory subscribes to the Notification Source and ends when it unsubscribes or the link goes; then
/// its identifiers are forgotten (R51), and the next one begins afresh.
///
/// The owner says what happened, then takes what there is to do from ``pollOutput(from:hasRoom:)``
/// until it is `nil`. Values for the accessory are made only when they are taken: as long as the link
/// has no room for another value, pass `hasRoom: false`, and nothing piles up here, however many
/// notifications wait to be announced and however long an answer is.
///
/// The machine knows no ATT: the owner reports each write of a Client Characteristic Configuration,
/// also when it changes nothing, and each whole value written to the Control Point, and gives the
/// accessory the one response to that write that comes out.
public struct ProviderSession: ~Copyable, Sendable {
    /// The characteristics that an accessory subscribes to.
    public typealias Characteristic = NotifyingCharacteristic

    /// Limits.
    public struct Configuration: Hashable, Sendable {
        /// How many answers wait, the one on its way included. The response to a command beyond them
        /// is held back until there is room, and ATT lets no other come before it.
        public var maximumPendingAnswers: Int

        /// The usual limits.
        public init() { maximumPendingAnswers = 8 }
    }

    /// What was written to the Control Point.
    public enum Command: Hashable, Sendable {
        /// A command.
        case decoded(ControlPointCommand)
        /// Octets that are none, and why.
        case malformed([UInt8], ControlPointCommand.Rejection)
    }

    /// An action that the owner is asked to perform.
    public struct ActionRequest: Hashable, Sendable {
        /// Tells this request from all others of this machine.
        let number: UInt64
        /// The notification, as the store knows it.
        public let notificationID: NotificationID
        /// The notification, as the accessory knows it.
        public let notificationUID: NotificationUID
        /// The action.
        public let actionID: ActionID
    }

    /// How a command ended.
    public enum Outcome: Hashable, Sendable {
        /// The answer was handed over, so many octets.
        case sent(octets: Int)
        /// The write succeeded and there was no answer: nobody subscribes to the Data Source (S25), or
        /// a fault had it so.
        case withheld
        /// The action was performed.
        case performed
        /// The write was refused.
        case refused(ControlPointError)
        /// The write was not answered: a fault had it so.
        case ignored
        /// The session, the subscription or the consent ended first; so many octets were handed over.
        case abandoned(octets: Int)
    }

    /// What has to be done on the link to the accessory. Every layer between the session and the link
    /// passes it on as it is.
    public enum LinkRequest: Hashable, Sendable {
        /// Send a value of a characteristic.
        case notify(Characteristic, [UInt8])
        /// Answer the write to the Control Point: `nil` is success.
        case respond(ControlPointError?)
    }

    /// What the accessory did on its link.
    public enum LinkReport: Hashable, Sendable {
        /// It has subscribed, or is a bonded one whose subscription was kept.
        case subscribed(Characteristic)
        /// It has unsubscribed.
        case unsubscribed(Characteristic)
        /// It has written a whole value to the Control Point. There is exactly one
        /// ``LinkRequest/respond(_:)`` for it, at once or later, unless a fault has it otherwise or the
        /// link goes; it comes before the first octet of the answer (R22).
        case controlPointWritten([UInt8])
        /// Values may be longer from now on: up to ATT_MTU - 3 octets, at least 20. The answer on its
        /// way goes on as it began.
        case mtuChanged(Int)
    }

    /// What the owner has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// Do something on the link.
        case link(LinkRequest)
        /// Perform an action, then report it to ``actionFinished(_:performed:)``.
        case perform(ActionRequest)
        /// A session has started.
        case started
        /// The session has ended.
        case ended
        /// The accessory has written to the Control Point.
        case commandReceived(Command)
        /// What became of a command.
        case answered(Command, Outcome)
        /// Drop the link: a fault wants it (``AnswerFault/Effect/dropLink(afterOctets:)``).
        case dropLink
    }

    /// The write to the Control Point that has no response yet.
    enum OutstandingWrite: Sendable {
        case none
        /// The answer waits for room in the queue.
        case held(Command, [AnswerQueue.Entry])
        /// The owner is asked to perform an action.
        case performing(Command, ActionRequest)
        /// There will never be a response.
        case ignored
    }

    /// How the provider behaves from now on. What has begun goes on as it began.
    public var behavior: ProviderBehavior
    let configuration: Configuration
    /// `nil` as long as there is no session.
    var announcements: Announcements?
    var isSubscribedToDataSource = false
    var isConsented: Bool
    var attMTU = 23
    var answers = AnswerQueue()
    var write = OutstandingWrite.none
    var faults = FaultQueue()
    var outputs = Queue<Output>()
    /// The owner was asked to drop the link.
    var isLinkDropped = false
    private var nextSessionUID: NotificationUID
    /// How many commands came, to tell them apart.
    var commandCount: UInt64 = 0
    private var isDataSourceNext = true
    /// How many writes came while another had no response yet, which ATT does not allow; they were
    /// ignored (Core Vol 3, Part F, 3.3.2).
    public internal(set) var ignoredWrites = 0

    /// A link without a session, to an accessory with or without the user's consent (S1).
    public init(
        behavior: ProviderBehavior = ProviderBehavior(), isConsented: Bool = true,
        configuration: Configuration = Configuration()
    ) {
        self.behavior = behavior
        self.isConsented = isConsented
        self.configuration = configuration
        nextSessionUID = behavior.firstUID
    }

    /// Whether there is a session (R49).
    public var isActive: Bool { announcements != nil }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? { answers.nextDeadline }

    /// How the accessory knows a notification; `nil` if it was not announced, or is gone.
    public func notificationUID(of id: NotificationID) -> NotificationUID? {
        announcements?.uid(of: id)
    }

    /// Which notification the accessory means; `nil` if none that is still there.
    public func notificationID(of uid: NotificationUID) -> NotificationID? {
        announcements?.id(of: uid)
    }
}

// MARK: - The life of a session

extension ProviderSession {
    /// The accessory did something on its link.
    public mutating func receive(
        _ report: LinkReport, store: NotificationStore, at now: MonotonicInstant
    ) {
        switch report {
        case .subscribed(let characteristic): subscribed(to: characteristic)
        case .unsubscribed(let characteristic): unsubscribed(from: characteristic)
        case .controlPointWritten(let value): receiveControlPoint(value, store: store, at: now)
        case .mtuChanged(let mtu): attMTU = max(23, mtu)
        }
    }

    private mutating func subscribed(to characteristic: Characteristic) {
        switch characteristic {
        case .dataSource:
            isSubscribedToDataSource = true
        case .notificationSource:
            if announcements?.isLost == true { endSession() }
            guard announcements == nil else { return }
            let first = behavior.restartsUIDs ? behavior.firstUID : nextSessionUID
            announcements = Announcements(firstUID: first)
            outputs.append(.started)
        }
    }

    private mutating func unsubscribed(from characteristic: Characteristic) {
        switch characteristic {
        case .dataSource:
            isSubscribedToDataSource = false
            abandonAnswers()
            releaseHeldWrite()
        case .notificationSource:
            endSession()
            refuseOutstandingWrite(.invalidParameter)
        }
    }

    /// The link is gone, and with it the session, the subscriptions and whatever was outstanding; the
    /// machine can serve the next link.
    public mutating func disconnected() {
        abandonOutstandingWrite()
        abandonAnswers()
        endSession()
        isSubscribedToDataSource = false
        isLinkDropped = false
        attMTU = 23
    }

    /// The user has consented that the accessory receives notifications, or no longer does (S1). As
    /// long as he does not, subscriptions stand and nothing is announced, unless
    /// ``ProviderBehavior/announcesWithoutConsent``; what changes meanwhile is announced afterwards.
    public mutating func consentChanged(_ isConsented: Bool) {
        guard self.isConsented != isConsented else { return }
        self.isConsented = isConsented
        guard !isConsented else { return }
        abandonAnswers()
        refuseOutstandingWrite(behavior.missingConsent)
    }

    /// The store has changed.
    public mutating func storeChanged(_ change: StoreChange) {
        announcements?.storeChanged(change)
    }

    /// The deadline may have passed.
    public mutating func handleTimeout(at now: MonotonicInstant) { answers.handleTimeout(at: now) }

    private mutating func endSession() {
        guard let announcements else { return }
        nextSessionUID = announcements.nextUID
        self.announcements = nil
        abandonAnswers()
        outputs.append(.ended)
    }
}

// MARK: - What is sent

extension ProviderSession {
    /// Takes the next thing to do; call it after every input until it is `nil`. With `hasRoom: false`
    /// no value to send is among them: call again when the link has room.
    public mutating func pollOutput(
        from store: NotificationStore, hasRoom: Bool = true
    ) -> Output? {
        beginAnnouncing(store)
        if let output = outputs.popFirst() { return output }
        guard hasRoom, !isLinkDropped else { return nil }
        // Announcements and answers take turns, so that neither waits for the end of the other.
        isDataSourceNext.toggle()
        if isDataSourceNext { return nextAnswerValue() ?? nextAnnouncement(from: store) }
        return nextAnnouncement(from: store) ?? nextAnswerValue()
    }

    private var isAnnouncing: Bool {
        (isConsented || behavior.announcesWithoutConsent) && announcements?.isLost == false
    }

    private mutating func beginAnnouncing(_ store: NotificationStore) {
        guard isAnnouncing, announcements?.hasBegun == false else { return }
        announcements?.begin(with: store, behavior.announcedExisting)
    }

    private mutating func nextAnnouncement(from store: NotificationStore) -> Output? {
        guard isAnnouncing, let value = announcements?.next(from: store, behavior) else {
            return nil
        }
        return .link(.notify(.notificationSource, value.octets))
    }

    private mutating func nextAnswerValue() -> Output? {
        guard let value = answers.nextValue(attMTU: attMTU, joins: behavior.joinsAnswers) else {
            return nil
        }
        for entry in value.finished { finish(entry) }
        releaseHeldWrite()
        // An answer that was cut before its first octet ends without a value.
        let isEnd = value.octets.isEmpty && !value.finished.isEmpty
        return isEnd ? outputs.popFirst() : .link(.notify(.dataSource, value.octets))
    }

    private mutating func finish(_ entry: AnswerQueue.Entry) {
        if let command = entry.command {
            let octets = entry.answer.sentCount
            let outcome =
                entry.dropsLink ? Outcome.abandoned(octets: octets) : .sent(octets: octets)
            outputs.append(.answered(command, outcome))
        }
        guard entry.dropsLink else { return }
        isLinkDropped = true
        outputs.append(.dropLink)
    }

    mutating func abandonAnswers() {
        for entry in answers.removeAll() {
            guard let command = entry.command else { continue }
            outputs.append(.answered(command, .abandoned(octets: entry.answer.sentCount)))
        }
    }
}
