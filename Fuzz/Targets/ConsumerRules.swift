import ANCSService
import Octets

@testable import ANCS

/// The rules that a ``NotificationFeed`` must keep with any provider.
struct ConsumerRules {
    private let configuration: NotificationFeed.Configuration
    private var unansweredRequests: Set<RequestID> = []
    /// Requests that ended before their identifiers were known to the caller.
    private var earlyOutcomes: Set<RequestID> = []
    private var outputLimit = 0
    /// Whether nothing new may be begun.
    var isEnding = false
    /// Whether the provider refused the Notification Source, which ended the session.
    private var isRefused = false
    /// The announcements of the session, and how many of them were delivered.
    private var events: [NotificationUID: [Announcement]] = [:]
    private var delivered: [NotificationUID: Int] = [:]
    /// The present notifications: each is added once (R19).
    private var live: BoundedDictionary<NotificationUID, Bool>
    /// Ringing calls that have not been reported yet.
    private var unreportedCalls: [NotificationSourceValue] = []

    private struct Announcement {
        var value: NotificationSourceValue
        /// Whether it was a ringing call and reported as such.
        var isReported = false
        /// Whether the next session will announce it again (R53).
        var isLostWithSession: Bool
    }

    init(_ configuration: NotificationFeed.Configuration) {
        self.configuration = configuration
        live = BoundedDictionary(limit: configuration.maximumPendingNotifications)
    }

    /// The number of outputs that one input may cause: everything pending, once or twice, and a few of the
    /// session.
    mutating func beginInput(pending: Int) throws {
        let limit = configuration.maximumPendingNotifications
        try check(pending <= limit, "\(pending) announcements wait, more than \(limit)")
        let requests = unansweredRequests.count + configuration.session.maximumPendingRequests
        outputLimit =
            32 + 2 * (limit + configuration.maximumIncompleteNotifications + requests)
    }

    /// All outputs of an input have been recorded.
    func endInput() throws {
        try check(unreportedCalls.isEmpty, "a call rings, and is not reported")
    }

    mutating func announced(_ value: [UInt8]) throws {
        var value = try NotificationSourceValue(decoding: value.span)
        if value.eventID == .added, live[value.notificationUID] != nil { value.eventID = .modified }
        let isPreExisting = value.eventID == .added && value.eventFlags.contains(.preExisting)
        if isPreExisting, configuration.preExisting == .none { return }
        if value.eventID == .removed {
            live.remove(value.notificationUID)
        } else {
            live.set(true, for: value.notificationUID)
        }
        events[value.notificationUID, default: []].append(
            Announcement(value: value, isLostWithSession: isPreExisting))
        if value.eventID == .added, value.categoryID == .incomingCall {
            unreportedCalls.append(value)
        }
    }

    private var waitingCount: Int {
        events.reduce(0) { $0 + $1.value.count - delivered[$1.key, default: 0] }
    }

    mutating func requested(_ request: RequestID) throws {
        guard earlyOutcomes.remove(request) == nil else { return }
        let isNew = unansweredRequests.insert(request).inserted
        try check(isNew, "request \(request.rawValue) was begun twice")
    }

    mutating func note(_ output: NotificationFeed.Output) throws {
        outputLimit -= 1
        try check(outputLimit >= 0, "one input brings outputs without end")
        switch output {
        case .completed(let request, _):
            if unansweredRequests.remove(request) == nil {
                let isFirst = earlyOutcomes.insert(request).inserted
                try check(isFirst, "request \(request.rawValue) ended twice")
            }
        case .announced(let value): try noteRinging(value)
        case .notification(let delivery): try note(delivery)
        case .report(.renewing): forgetSession()
        case .report(.subscriptionFailed):
            isRefused = true
            try check(!isEnding, "the feed goes on after its end")
        case .link, .report(.started):
            try check(!isEnding && !isRefused, "the feed goes on after its end")
        case .report, .selecting: break
        }
    }

    /// A ringing call must be reported once.
    private mutating func noteRinging(_ value: NotificationSourceValue) throws {
        let uid = value.notificationUID
        let isExpected = unreportedCalls.first == value
        try check(isExpected, "\(uid) is reported as a call that rings, and is none")
        unreportedCalls.removeFirst()
        let last = events[uid, default: []].count - 1
        events[uid]?[last].isReported = true
    }

    /// Each announcement must be delivered once, those of one notification in the provider's order. Of a call
    /// that was reported but never delivered, only the removal is.
    private mutating func note(_ delivery: NotificationFeed.Delivery) throws {
        let source = delivery.source
        let uid = source.notificationUID
        guard !delivery.isCompletion else {
            let isKnown = delivered[uid, default: 0] > 0
            return try check(isKnown, "\(uid) is completed, but was never delivered")
        }
        var index = delivered[uid, default: 0]
        let announced = events[uid, default: []]
        if delivery.failure == .sessionEnded {
            while index < announced.count, announced[index].isLostWithSession,
                announced[index].value != source
            { index += 1 }
        } else if source.eventID == .removed, index < announced.count, announced[index].isReported {
            while index < announced.count, announced[index].value.eventID != .removed { index += 1 }
        }
        try check(index < announced.count, "\(uid) is delivered more often than announced")
        delivered[uid] = index + 1
        try check(announced[index].value == source, "\(uid) is delivered out of order")
    }

    /// A value written to the Control Point must be a command and fit an attribute value.
    func command(_ value: [UInt8]) throws -> ControlPointCommand {
        try check(value.count <= ControlPointCommand.maximumCount, "a command is too long")
        let command = try ControlPointCommand(decoding: value.span)
        try check(command.octets == value, "a command does not decode to what it was made of")
        return command
    }

    /// Whether an announced notification has not been delivered yet.
    var hasUndelivered: Bool { !isRefused && waitingCount > 0 }

    /// The feed was ended and drained.
    func hasEnded(deadline: MonotonicInstant?) throws {
        try check(deadline == nil, "the feed waits for something after its end")
        try check(
            unansweredRequests.isEmpty, "\(unansweredRequests.count) requests have no outcome")
        try check(earlyOutcomes.isEmpty, "a request that was never made has ended")
    }

    private mutating func forgetSession() {
        events = [:]
        delivered = [:]
        live = BoundedDictionary(limit: configuration.maximumPendingNotifications)
        unreportedCalls = []
    }
}
