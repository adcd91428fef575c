public import ANCS

/// The Notification Provider's side of one link with an accessory. A session (R49) starts when the accessory
/// subscribes to the Notification Source, and ends when it unsubscribes or the link is lost; its identifiers
/// are then void (R51), and the next session starts with none.
///
/// The owner reports what happened, then calls ``pollOutput(from:hasRoom:)`` until it returns `nil`. Values
/// for the accessory are made only when they are taken: while the link has no room for another value, pass
/// `hasRoom: false`. Nothing accumulates here, however many notifications have to be announced and however
/// long an answer is.
///
/// The machine does not know ATT. The owner reports every write of a Client Characteristic Configuration,
/// even if it changes nothing, and every complete value written to the Control Point, and it sends the one
/// response to that write.
public struct ProviderSession: ~Copyable, Sendable {
    /// The characteristics that an accessory subscribes to.
    public typealias Characteristic = NotifyingCharacteristic

    /// Limits.
    public struct Configuration: Hashable, Sendable {
        /// How many answers may be queued, including the one being sent; 8 by default. The response to one
        /// more command is held back until there is room, and ATT allows no other command before it.
        public var maximumPendingAnswers: Int

        /// The default limits.
        public init() { maximumPendingAnswers = 8 }
    }

    /// A write to the Control Point.
    public enum Command: Hashable, Sendable {
        /// A command.
        case decoded(ControlPointCommand)
        /// Octets that are not a command, and why.
        indirect case malformed([UInt8], ControlPointCommand.Rejection)
    }

    /// An action for the owner to perform.
    public struct ActionRequest: Hashable, Sendable {
        /// Distinguishes this request from all others of this machine.
        let number: UInt64
        /// The notification, as the store identifies it.
        public let notificationID: NotificationID
        /// The notification, as the accessory identifies it.
        public let notificationUID: NotificationUID
        /// The action.
        public let actionID: ActionID
    }

    /// How a command ended.
    public enum Outcome: Hashable, Sendable {
        /// The whole answer was handed to the link; its length in octets.
        case sent(octets: Int)
        /// The write succeeded, and there is no answer: the accessory has not subscribed to the Data Source
        /// (S25), or because of a fault.
        case withheld
        /// The action was performed.
        case performed
        /// The write was refused.
        case refused(ControlPointError)
        /// The write got no response, because of a fault.
        case ignored
        /// The session, the subscription or the consent ended first; the number of octets that were
        /// handed to the link.
        case abandoned(octets: Int)
    }

    /// What the owner has to do on the link to the accessory. Every layer between the session and the link
    /// passes it on unchanged.
    public enum LinkRequest: Hashable, Sendable {
        /// Send a value of a characteristic.
        case notify(Characteristic, [UInt8])
        /// Respond to the write to the Control Point; `nil` for success.
        case respond(ControlPointError?)
    }

    /// An event on the link to the accessory.
    public enum LinkReport: Hashable, Sendable {
        /// It subscribed, or it is bonded and its subscription was restored.
        case subscribed(Characteristic)
        /// It unsubscribed.
        case unsubscribed(Characteristic)
        /// It wrote a complete value to the Control Point. Exactly one ``LinkRequest/respond(_:)`` follows,
        /// at once or later, unless a fault suppresses it or the link is lost. It precedes the first octet of
        /// the answer (R22).
        case controlPointWritten([UInt8])
        /// The ATT_MTU changed: values may have up to this number minus 3 octets, at least 20. An answer that
        /// has begun keeps its size of values.
        case mtuChanged(Int)
    }

    /// What the owner has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// Do something on the link.
        case link(LinkRequest)
        /// Perform an action, then report the result with ``actionFinished(_:performed:)``.
        case perform(ActionRequest)
        /// A session has started.
        case started
        /// The session has ended.
        case ended
        /// The accessory wrote to the Control Point.
        case commandReceived(Command)
        /// A command has ended.
        case answered(Command, Outcome)
        /// Drop the link, because of a fault (``AnswerFault/Effect/dropLink(afterOctets:)``).
        case dropLink
    }

    /// The write to the Control Point that has no response yet.
    enum OutstandingWrite: Sendable {
        case none
        /// The answer is held until the queue has room.
        case held(Command, [AnswerQueue.Entry])
        /// The owner is performing an action.
        case performing(Command, ActionRequest)
        /// There will be no response.
        case ignored
    }

    /// How the provider behaves from now on. Answers in progress are not changed.
    public var behavior: ProviderBehavior
    let configuration: Configuration
    /// `nil` if there is no session.
    var announcements: Announcements?
    var isSubscribedToDataSource = false
    var isConsented: Bool
    var attMTU = 23
    var answers = AnswerQueue()
    var write = OutstandingWrite.none
    var faults = FaultQueue()
    var outputs = Queue<Output>()
    /// Whether the owner was asked to drop the link.
    var isLinkDropped = false
    private var nextSessionUID: NotificationUID
    /// The number of commands received; it identifies them.
    var commandCount: UInt64 = 0
    /// The attributes that the last command for those of a notification asked for.
    var lastAttributes: [NotificationAttributeRequest] = []
    private var isDataSourceNext = true
    /// How many writes arrived before the previous one had its response, which ATT does not allow; they were
    /// ignored (Core Vol 3, Part F, 3.3.2).
    public internal(set) var ignoredWrites = 0

    /// A link without a session. `isConsented` says whether the user allows notifications for the accessory
    /// (S1).
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

    /// The accessory's identifier of a notification; `nil` if it was not announced or no longer exists.
    public func notificationUID(of id: NotificationID) -> NotificationUID? {
        announcements?.uid(of: id)
    }

    /// The notification that an accessory's identifier stands for; `nil` if it no longer exists.
    public func notificationID(of uid: NotificationUID) -> NotificationID? {
        announcements?.id(of: uid)
    }
}

// MARK: - The life of a session

extension ProviderSession {
    /// Reports an event on the link.
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
        case .dataSource: isSubscribedToDataSource = true
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

    /// The link was lost, and with it the session, the subscriptions and any outstanding command; the machine
    /// can serve the next link.
    public mutating func disconnected() {
        abandonOutstandingWrite()
        abandonAnswers()
        endSession()
        isSubscribedToDataSource = false
        isLinkDropped = false
        attMTU = 23
    }

    /// The user has allowed or forbidden notifications for the accessory (S1). Without consent, subscriptions
    /// stay and nothing is announced, unless ``ProviderBehavior/announcesWithoutConsent``; changes are
    /// announced once there is consent.
    public mutating func consentChanged(_ isConsented: Bool) {
        guard self.isConsented != isConsented else { return }
        self.isConsented = isConsented
        guard !isConsented else { return }
        abandonAnswers()
        refuseOutstandingWrite(behavior.missingConsent)
    }

    /// Reports a change of the store.
    public mutating func storeChanged(_ change: StoreChange) { announcements?.storeChanged(change) }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
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
    /// Takes the next output. After every input, call it until it returns `nil`. With `hasRoom: false` it
    /// returns no value to send; call it again when the link has room.
    public mutating func pollOutput(
        from store: NotificationStore, hasRoom: Bool = true
    ) -> Output? {
        beginAnnouncing(store)
        if let output = outputs.popFirst() { return output }
        guard hasRoom, !isLinkDropped else { return nil }
        // Announcements and answers alternate, so that neither delays the other.
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
