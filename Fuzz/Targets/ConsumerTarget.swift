import Octets

@testable import ANCS

/// A ``NotificationFeed`` with a Notification Provider whose announcements, answers, refusals and silences
/// are chosen by the input. Afterwards, the provider behaves correctly, and everything has to end.
struct ConsumerTarget: ~Copyable {
    private var input: FuzzInput
    private var feed: NotificationFeed
    private var rules: ConsumerRules
    private var now = MonotonicInstant.zero
    /// The subscriptions that the feed wants to make or end, oldest first.
    private var procedures: [ConsumerSession.LinkRequest] = []
    /// The commands whose write has not been answered yet, oldest first.
    private var unansweredWrites: [ControlPointCommand] = []
    /// The last commands, which the provider may answer late or twice.
    private var commands: [ControlPointCommand] = []
    private var selectionCount: UInt8 = 0

    /// Runs the script once with an owner who wants everything, and once with one who chooses.
    static func run(_ script: [UInt8]) throws {
        for asksWhatToFetch in [false, true] {
            try run(script, asksWhatToFetch: asksWhatToFetch)
        }
    }

    private static func run(_ script: [UInt8], asksWhatToFetch: Bool) throws {
        var target = Self(FuzzInput(script), asksWhatToFetch: asksWhatToFetch)
        target.feed.serviceDiscovered(
            hasControlPoint: target.input.choice(8) > 0, hasDataSource: target.input.choice(8) > 0,
            at: target.now)
        try target.drain()
        while !target.input.isAtEnd { try target.event() }
        try target.calmDown()
        target.rules.isEnding = true
        target.feed.end(at: target.now)
        try target.drain()
        try target.rules.hasEnded(deadline: target.feed.nextDeadline)
    }

    private init(_ script: FuzzInput, asksWhatToFetch: Bool) {
        input = script
        var configuration = Self.configuration(&input)
        configuration.asksWhatToFetch = asksWhatToFetch
        feed = NotificationFeed(
            configuration: configuration,
            liveness: input.element(of: [.live, .live, .suspect, .wedged]))
        if input.flag() {
            feed.startDate = NotificationDate(
                year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 0)
        }
        rules = ConsumerRules(configuration)
    }

    private static func configuration(_ input: inout FuzzInput) -> NotificationFeed.Configuration {
        let lists: [[NotificationAttributeRequest]] = [
            NotificationAttributeRequest.all, [], [.appIdentifier, .title],
            [.appIdentifier, .date, .messageSize, .message],
        ]
        var configuration = NotificationFeed.Configuration(attributes: input.element(of: lists))
        configuration.fetchesDisplayName = input.choice(4) > 0
        configuration.preExisting = input.element(of: [.all, .all, .headers, .none])
        configuration.preExistingGrace = input.flag() ? .seconds(3) : nil
        configuration.maximumIncompleteNotifications = input.number(in: 0...7)
        configuration.maximumPendingNotifications = input.number(in: 1...16)
        configuration.session.maximumPendingRequests = input.number(in: 1...8)
        configuration.session.maximumLateAnswers = input.choice(4)
        configuration.session.maximumCachedApps = input.number(in: 1...4)
        configuration.session.maximumNotifications = input.number(in: 1...8)
        if input.flag() {
            configuration.session.responseLimits = ResponseLimits(
                maximumValueOctets: input.choice(64), maximumOctets: 64 + input.choice(256))
        }
        configuration.session.probing = input.flag() ? ConsumerSession.Probing() : nil
        return configuration
    }

    // MARK: Events

    private mutating func event() throws {
        switch input.choice(20) {
        case 0...3: try announce(value())
        case 4: try announce(input.octets())
        case 5, 6: answerProcedure()
        case 7, 8: respond(input.choice(4) == 0 ? error() : nil)
        case 9, 10, 11: answer()
        case 12:
            let octets = input.octets()
            for piece in input.pieces(of: octets) { feed.receive(.dataSource(piece), at: now) }
        case 13:
            respond(nil)
            answer()
        case 14: try advance(to: feed.nextDeadline ?? now)
        case 15: try advance(to: now + input.duration())
        case 16: try request()
        case 17:
            feed.receive(
                .subscriptionRead(characteristic(), isSubscribed: input.choice(4) > 0), at: now)
        case 18: feed.doubt(at: now)
        default:
            // A busy driver wakes the feed late.
            now = now + input.duration()
            feed.handleTimeout(at: now)
        }
        try drain()
    }

    private mutating func characteristic() -> NotifyingCharacteristic {
        input.flag() ? .dataSource : .notificationSource
    }

    private mutating func error() -> ControlPointError {
        ControlPointError(
            rawValue: input.element(of: [0x03, 0x05, 0x08, 0x0F, 0xA0, 0xA1, 0xA2, 0xA3, 0x01]))
    }

    private mutating func uid() -> NotificationUID {
        NotificationUID(rawValue: input.element(of: [0, 1, 2, 3, 4, .max]))
    }

    private mutating func value() -> [UInt8] {
        let event = EventID(rawValue: input.element(of: [0, 0, 1, 2, 3]))
        let flags = EventFlags(rawValue: input.octet())
        return NotificationSourceValue(eventID: event, eventFlags: flags, notificationUID: uid())
            .octets
    }

    private mutating func announce(_ value: [UInt8]) throws {
        trace("announced: \(Hexadecimal.text(value))")
        let ignored = feed.ignoredNotificationSourceValues
        feed.receive(.notificationSource(value), at: now)
        if feed.ignoredNotificationSourceValues == ignored { try rules.announced(value) }
    }

    private mutating func answerProcedure(succeeds: Bool? = nil) {
        guard !procedures.isEmpty else { return }
        let succeeds = succeeds ?? (input.choice(8) > 0)
        switch procedures.removeFirst() {
        case .subscribe(let characteristic):
            guard succeeds else {
                let code = error().rawValue
                return feed.receive(
                    .subscriptionRefused(characteristic, errorCode: code), at: now)
            }
            feed.receive(.subscribed(characteristic), at: now)
        case .unsubscribe(let characteristic):
            feed.receive(.unsubscribed(characteristic), at: now)
        case .readSubscription, .writeControlPoint: break
        }
    }

    /// Answers the oldest write.
    private mutating func respond(_ error: ControlPointError?) {
        guard !unansweredWrites.isEmpty else { return }
        let command = unansweredWrites.removeFirst()
        feed.receive(.controlPointWritten(command.octets, error), at: now)
    }

    /// Answers one of the last commands, usually the last.
    private mutating func answer() {
        guard let last = commands.last else { return }
        let command = input.choice(4) > 0 ? last : input.element(of: commands)
        let answer = ScriptedAnswer.octets(to: command, &input)
        for piece in input.pieces(of: answer) { feed.receive(.dataSource(piece), at: now) }
    }

    private mutating func request() throws {
        let uid = uid()
        let app = ScriptedAnswer.app(&input)
        do {
            let request =
                switch (input.choice(3), app) {
                case (0, let app?): try feed.fetchDisplayName(of: app, at: now)
                case (1, _):
                    try feed.perform(input.flag() ? .positive : .negative, on: uid, at: now)
                default: try feed.fetch([.title, .message], of: uid, at: now)
                }
            try rules.requested(request)
        } catch is ConsumerSession.UsageError {
            // The session has not started, or the queue is full.
        }
    }

    // MARK: Time

    /// Wakes the feed at each of its deadlines until an instant.
    private mutating func advance(to end: MonotonicInstant) throws {
        var clock = ClockRule()
        // A silent provider is probed every few seconds; a hundred deadlines are enough.
        for _ in 0..<100 {
            guard let deadline = feed.nextDeadline, deadline <= end else { break }
            now = max(now, deadline)
            try clock.wake(at: now)
            feed.handleTimeout(at: now)
            try drain()
        }
        now = max(now, end)
    }

    private mutating func drain() throws {
        try rules.beginInput(pending: feed.pendingNotificationCount)
        while let output = feed.pollOutput() {
            trace("\(now.nanoseconds / 1_000_000) ms: \(output)")
            try rules.note(output)
            switch output {
            case .link(let request): try take(request)
            case .selecting(let delivery, let known): select(for: delivery, known)
            case .report, .announced, .notification, .completed:
                break
            }
        }
        try rules.endInput()
    }

    /// Chooses a selection; all possible selections occur in time, including some that want less than is
    /// known.
    private mutating func select(
        for delivery: NotificationFeed.Delivery, _ known: NotificationFeed.Selection
    ) {
        selectionCount &+= 1
        let selection = NotificationFeed.Selection(rawValue: (selectionCount &* 7) >> 2 & 3)
        feed.select(selection ?? .everything, of: delivery.source.notificationUID, at: now)
    }

    private mutating func take(_ request: ConsumerSession.LinkRequest) throws {
        switch request {
        case .subscribe, .unsubscribe: procedures.append(request)
        case .readSubscription: break
        case .writeControlPoint(let value):
            let command = try rules.command(value)
            unansweredWrites.append(command)
            commands = commands.suffix(5) + [command]
        }
    }

    /// The provider answers every request, so in the end nothing is pending.
    private mutating func calmDown() throws {
        var rounds = 0
        while rules.hasUndelivered || !procedures.isEmpty || !unansweredWrites.isEmpty {
            rounds += 1
            try check(
                rounds < 2000,
                "the provider does everything, and notifications stay undelivered")
            if !procedures.isEmpty { answerProcedure(succeeds: true) }
            while let command = unansweredWrites.first {
                respond(nil)
                let answer = ScriptedAnswer.complete(to: command)
                if unansweredWrites.isEmpty { feed.receive(.dataSource(answer), at: now) }
                try drain()
            }
            try drain()
            // After an incomplete answer, the next one may be mistaken for its end.
            if rules.hasUndelivered, procedures.isEmpty, unansweredWrites.isEmpty {
                try advance(to: feed.nextDeadline ?? now)
            }
        }
    }
}
