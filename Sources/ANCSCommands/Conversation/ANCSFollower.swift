internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Follows the ANCS sessions of one client with one server: what is announced, what is asked, which
/// octets of the Data Source answer which command, and what is never answered.
struct ANCSFollower: Sendable {
    /// No client has so many commands outstanding; beyond, the oldest counts as unanswered.
    private static let maximumPending = 64
    /// So many notifications are remembered by app and title, to tell which one is meant.
    private static let maximumKnown = 1024
    /// A client has given up an answer that takes longer (S26).
    private static let lateAfter = Duration.seconds(10)

    /// A command that waits for an answer on the Data Source.
    private struct Pending {
        var octets: [UInt8]
        var command: ControlPointCommand
        var identity: ResponseIdentity
        var since: CaptureTime
        var isOvertaken = false
    }

    /// An answer that is coming.
    private struct Reading {
        var pending: Pending
        var assembler: ResponseAssembler
        var values: [[UInt8]] = []
    }

    private struct Session {
        var number: Int
        var counts = Happening.SessionCounts()
    }

    private var session: Session?
    private var pending: [Pending] = []
    private var reading: Reading?
    private var known: BoundedDictionary<NotificationUID, Happening.NotificationSummary>
    /// What apps are called, by their identifiers.
    private var appNames = BoundedDictionary<String, String>(limit: 256)
    private var hasSeenCommand = false
    /// The server said that its service changed: a new subscription begins a new session.
    private var isServiceInDoubt = false

    init() { known = BoundedDictionary(limit: Self.maximumKnown) }

    // MARK: Sessions

    /// A subscription was accepted. The one to the Notification Source is the session (R49).
    mutating func subscribed(
        _ characteristic: ANCSCharacteristic, isOn: Bool, _ log: inout StoryLog
    ) {
        if characteristic == .notificationSource, isOn, session == nil || isServiceInDoubt {
            end(.session, &log)
            begin(&log)
        }
        tell(.subscription(characteristic, isOn: isOn), &log)
        if characteristic == .notificationSource, !isOn { end(.session, &log) }
    }

    /// The server indicated that ANCS changed.
    mutating func serviceChanged() { isServiceInDoubt = true }

    /// The session ends, with the link or before it.
    mutating func end(_ ending: Happening.Ending, _ log: inout StoryLog) {
        finishReading(&log)
        for left in pending { abandon(left, ending, &log) }
        pending = []
        if let session { tell(.sessionEnded(session.counts), &log) }
        session = nil
        isServiceInDoubt = false
        known = BoundedDictionary(limit: Self.maximumKnown)
        appNames = BoundedDictionary(limit: 256)
    }

    private mutating func begin(_ log: inout StoryLog) {
        session = Session(number: log.nextSession())
        tell(.sessionBegan, &log)
    }

    /// Traffic shows that there is a session, though its beginning is not in the capture.
    private mutating func beginIfNeeded(_ log: inout StoryLog) {
        if session == nil { begin(&log) }
    }

    /// Tells something within the session.
    private func tell(_ event: Happening.Event, _ log: inout StoryLog) {
        log.place.session = session?.number
        log.tell(event)
        log.place.session = nil
    }

    // MARK: Values

    /// A value of the Notification Source came.
    mutating func source(_ octets: [UInt8], _ log: inout StoryLog) {
        beginIfNeeded(&log)
        var summary = Happening.NotificationSummary()
        if let value = try? NotificationSourceValue(decoding: octets.span) {
            switch value.eventID {
            case .added:
                session?.counts.added += 1
                known.remove(value.notificationUID)
            case .modified: session?.counts.modified += 1
            case .removed: session?.counts.removed += 1
            default: break
            }
            summary = known[value.notificationUID] ?? summary
            summary.category = value.categoryID
            known.set(summary, for: value.notificationUID)
            summary = named(summary)
        }
        tell(.source(octets: octets, summary), &log)
    }

    /// A value is being written to the Control Point.
    mutating func writing(_ octets: [UInt8], hasResponse: Bool, _ log: inout StoryLog) {
        beginIfNeeded(&log)
        tell(.command(octets: octets, hasResponse: hasResponse), &log)
        // Without a response the Notification Provider ignores the write (R21).
        guard hasResponse else { return }
        hasSeenCommand = true
        guard let command = try? ControlPointCommand(decoding: octets.span),
            let identity = ResponseIdentity(answering: command)
        else { return }
        if pending.count == Self.maximumPending {
            abandon(pending.removeFirst(), .crowded, &log)
        }
        pending.append(
            Pending(octets: octets, command: command, identity: identity, since: log.now))
    }

    /// The server accepted or refused the write.
    mutating func written(
        _ octets: [UInt8], _ error: ATTErrorCode?, since: CaptureTime, _ log: inout StoryLog
    ) {
        let command = try? ControlPointCommand(decoding: octets.span)
        let hasAnswer = command.flatMap { ResponseIdentity(answering: $0) } != nil
        if error != nil {
            // What is refused has no answer (R61).
            if let index = pending.lastIndex(where: { $0.octets == octets && $0.since == since }) {
                pending.remove(at: index)
            }
            session?.counts.refused += 1
        }
        // A command that was accepted is told when its answer is there.
        guard error != nil || !hasAnswer else { return }
        tell(
            .commandResult(
                octets: octets, error, duration: log.now - since, summary(of: command)), &log)
    }

    /// A write to the Control Point was never acknowledged.
    mutating func unacknowledged(
        _ octets: [UInt8], since: CaptureTime, _ ending: Happening.Ending, _ log: inout StoryLog
    ) {
        // A command that has an answer is told as unanswered with the others.
        guard !pending.contains(where: { $0.since == since }) else { return }
        session?.counts.unanswered += 1
        tell(
            .commandUnanswered(
                octets: octets, since: since, ending: ending,
                summary(of: try? ControlPointCommand(decoding: octets.span))), &log)
    }

    private mutating func abandon(
        _ left: Pending, _ ending: Happening.Ending, _ log: inout StoryLog
    ) {
        session?.counts.unanswered += 1
        tell(
            .commandUnanswered(
                octets: left.octets, since: left.since, ending: ending, summary(of: left.command)),
            &log)
    }

    /// What is known of the notification that a command is about.
    private func summary(of command: ControlPointCommand?) -> Happening.NotificationSummary {
        switch command {
        case .getNotificationAttributes(let command):
            named(known[command.notificationUID] ?? .init())
        case .performNotificationAction(let command):
            named(known[command.notificationUID] ?? .init())
        case .getAppAttributes, nil: .init()
        }
    }

    /// With the name of the app instead of its identifier, as soon as it is known.
    private func named(
        _ summary: Happening.NotificationSummary
    ) -> Happening.NotificationSummary {
        var summary = summary
        summary.app = summary.app.map { appNames[$0] ?? $0 }
        return summary
    }
}

// MARK: Data Source

extension ANCSFollower {
    /// A value of the Data Source came.
    mutating func dataSource(_ value: [UInt8], _ log: inout StoryLog) {
        beginIfNeeded(&log)
        // A value that begins like an answer that is waited for begins it, whatever was cut off before.
        if reading != nil, startOfPending(value[...], mayBeCut: false) != nil {
            finishReading(&log)
        }
        var rest = value[...]
        while !rest.isEmpty {
            if reading == nil, !beginReading(rest) {
                stray(Array(rest), &log)
                return
            }
            rest = read(rest, &log)
        }
    }

    /// The command whose answer begins like these octets. Answers carry no other sign of what they
    /// answer (S4).
    private func startOfPending(_ octets: ArraySlice<UInt8>, mayBeCut: Bool) -> Int? {
        pending.firstIndex { pending in
            let header = AttributeResponse(identity: pending.identity, attributes: []).octets
            if octets.count >= header.count { return octets.starts(with: header) }
            return mayBeCut && header.starts(with: octets)
        }
    }

    private mutating func beginReading(_ octets: ArraySlice<UInt8>) -> Bool {
        guard let index = startOfPending(octets, mayBeCut: true),
            let assembler = ResponseAssembler(
                answering: pending[index].command, keepingEverything: true)
        else { return false }
        reading = Reading(pending: pending.remove(at: index), assembler: assembler)
        return true
    }

    /// Gives octets to the answer that is coming; returns those that follow it.
    private mutating func read(
        _ octets: ArraySlice<UInt8>, _ log: inout StoryLog
    ) -> ArraySlice<UInt8> {
        guard var current = reading else { return octets }
        current.assembler.receive(Array(octets).span)
        var excess = 0
        switch current.assembler.progress {
        case .incomplete:
            current.values.append(Array(octets))
            reading = current
            return []
        case .complete(let count): excess = count
        case .failed: break
        }
        current.values.append(Array(octets.dropLast(excess)))
        reading = current
        finishReading(&log)
        return octets.suffix(excess)
    }

    /// Tells an answer, whole or as far as it came.
    private mutating func finishReading(_ log: inout StoryLog) {
        guard let current = reading else { return }
        reading = nil
        session?.counts.answered += 1
        remember(current)
        let duration = log.now - current.pending.since
        // Earlier commands that this one has overtaken may still be answered, but late.
        for index in pending.indices where pending[index].since < current.pending.since {
            pending[index].isOvertaken = true
        }
        let answer = Happening.Answer(
            command: current.pending.octets, values: current.values, duration: duration,
            isLate: current.pending.isOvertaken || duration > Self.lateAfter)
        tell(.answer(answer, summary(of: current.pending.command)), &log)
    }

    /// Keeps which notification has which app and title, and what the apps are called.
    private mutating func remember(_ reading: Reading) {
        guard let response = reading.assembler.response else { return }
        func short(_ value: AttributeValue) -> String { String(value.text.prefix(128)) }
        switch reading.pending.identity {
        case .app(let app):
            guard let name = response[.displayName], !name.octets.isEmpty else { return }
            appNames.set(short(name), for: String(app.description.prefix(128)))
        case .notification(let uid):
            var summary = known[uid] ?? .init()
            if let app = response[.appIdentifier] { summary.app = short(app) }
            if let title = response[.title] { summary.title = short(title) }
            known.set(summary, for: uid)
        }
    }

    private mutating func stray(_ octets: [UInt8], _ log: inout StoryLog) {
        tell(.strayAnswer(octets: octets, isFromBefore: !hasSeenCommand), &log)
    }
}
