internal import ANCS
internal import LinuxIO

/// Follows the ANCS sessions between a client and a server: the notifications, the commands, which values of
/// the Data Source answer which command, and which commands are never answered.
struct ANCSFollower: ~Copyable, Sendable {
    /// The largest number of outstanding commands, more than any client has. Beyond it, the oldest counts as
    /// unanswered.
    private static let maximumPending = 64
    /// The number of notifications whose app and title are remembered.
    private static let maximumKnown = 1024
    /// Clients give up waiting for an answer after this time (S26).
    private static let lateAfter = Duration.seconds(10)

    /// A command that awaits its answer on the Data Source.
    private struct Pending {
        var write: CaptureEvent.Write
        var identity: ResponseIdentity
        /// The first octets of its answer, the only way to tell which command an answer belongs to (S4).
        var header: [UInt8]
        var since: CaptureTime
        var isOvertaken = false
    }

    /// An answer of which a part has arrived.
    private struct Reading {
        var pending: Pending
        var assembler: ResponseAssembler
        /// The values before the last one; most answers have none.
        var values: [[UInt8]] = []
        var parts: [Int] = []
        var count: Int { parts.reduce(0, +) }
        var isJoined = false
        /// When the last value came.
        var latest: CaptureTime
    }

    private struct Session {
        var number: Int
        var counts = CaptureEvent.SessionCounts()
    }

    private var session: Session?
    /// Whether the client has given up the Notification Source: what still arrives begins no session.
    private var isUnsubscribed = false
    private var pending: [Pending] = []
    private var reading: Reading?
    private var known: BoundedDictionary<NotificationUID, CaptureEvent.NotificationSummary>
    /// The display names of apps, by app identifier.
    private var appNames = BoundedDictionary<String, String>(limit: 256)
    private var hasSeenCommand = false
    /// The last write, parsed once: it is needed when it is sent and when it is accepted.
    private var lastWrite = CaptureEvent.Write([])
    /// What had come of an answer when the command began that is being written in parts.
    private var prepared: CaptureEvent.Write.Interruption??
    /// Whether the server has indicated that its service changed, so that a new subscription begins a new
    /// session.
    private var isServiceInDoubt = false

    package init() { known = BoundedDictionary(limit: Self.maximumKnown) }

    // MARK: Sessions

    /// A subscription was accepted. A subscription to the Notification Source begins a session (R49).
    package mutating func subscribed(
        _ characteristic: ANCSCharacteristic, isOn: Bool, _ log: inout StoryLog
    ) {
        if characteristic == .notificationSource, isOn, session == nil || isServiceInDoubt {
            end(.session, &log)
            begin(&log)
        }
        report(.subscription(characteristic, isOn: isOn), &log)
        guard characteristic == .notificationSource else { return }
        isUnsubscribed = !isOn
        if !isOn { end(.session, &log) }
    }

    /// The client read whether it is subscribed.
    mutating func subscriptionRead(
        _ characteristic: ANCSCharacteristic, isOn: Bool, _ log: inout StoryLog
    ) { report(.subscriptionRead(characteristic, isOn: isOn), &log) }

    /// The server indicates that ANCS changed: nothing is still to come of an answer without attributes (S23).
    package mutating func serviceChanged(_ log: inout StoryLog) {
        if let reading, reading.count == reading.pending.header.count { finishReading(&log) }
        isServiceInDoubt = true
    }

    /// Ends the session, with the link or before it.
    package mutating func end(_ ending: CaptureEvent.Ending, _ log: inout StoryLog) {
        finishReading(&log)
        for left in pending { abandon(left, ending, &log) }
        pending = []
        prepared = nil
        if let session { report(.sessionEnded(session.counts), &log) }
        session = nil
        isServiceInDoubt = false
        known = BoundedDictionary(limit: Self.maximumKnown)
        appNames = BoundedDictionary(limit: 256)
    }

    private mutating func begin(_ log: inout StoryLog) {
        session = Session(number: log.nextSession())
        report(.sessionBegan, &log)
    }

    /// Begins a session that the traffic implies, though its beginning is not in the capture.
    private mutating func beginIfNeeded(_ log: inout StoryLog) {
        if session == nil, !isUnsubscribed { begin(&log) }
    }

    /// Records an event of the session.
    private func report(_ event: CaptureEvent.Event, _ log: inout StoryLog) {
        log.place.session = session?.number
        log.report(event)
        log.place.session = nil
    }

    // MARK: Values

    /// A value of the Notification Source arrived.
    package mutating func source(_ octets: [UInt8], _ log: inout StoryLog) {
        beginIfNeeded(&log)
        var summary = CaptureEvent.NotificationSummary()
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
        report(.source(octets: octets, summary), &log)
    }

    /// What has come of an answer that is not complete.
    private var interrupted: CaptureEvent.Write.Interruption? {
        reading.map {
            .init(
                values: $0.parts.count, octets: $0.count,
                mayBeWhole: $0.assembler.isBetweenAttributes)
        }
    }

    /// A part of a value is prepared for the Control Point.
    mutating func preparing() { prepared = prepared ?? .some(interrupted) }

    /// The parts were written or dropped, or the client writes something else at once.
    mutating func forgetParts() { prepared = nil }

    /// A value was written to the Control Point; the server has not answered yet.
    package mutating func writing(_ octets: [UInt8], hasResponse: Bool, _ log: inout StoryLog) {
        beginIfNeeded(&log)
        var write = write(of: octets)
        write.interrupted = exchange(&prepared, with: nil) ?? interrupted
        report(.command(write, hasResponse: hasResponse), &log)
        write.interrupted = nil
        // The Notification Provider ignores a write without a response (R21).
        guard hasResponse else { return }
        hasSeenCommand = true
        guard let identity = write.command.flatMap({ ResponseIdentity(answering: $0) }) else {
            return
        }
        if pending.count == Self.maximumPending { abandon(pending.removeFirst(), .crowded, &log) }
        pending.append(
            Pending(
                write: write, identity: identity,
                header: AttributeResponse(identity: identity, attributes: []).octets,
                since: log.now))
    }

    /// The server accepted or refused the write.
    package mutating func written(
        _ octets: [UInt8], _ error: ATTErrorCode?, since: CaptureTime, _ log: inout StoryLog
    ) {
        let write = write(of: octets)
        let index = pending.lastIndex { $0.write.octets == octets && $0.since == since }
        if error == nil {
            if let index { pending[index].write.isConfirmed = true }
        } else {
            // A refused command gets no answer (R61).
            if let index { pending.remove(at: index) }
            session?.counts.refused += 1
        }
        let hasAnswer = write.command.flatMap { ResponseIdentity(answering: $0) } != nil
        // An accepted command is reported together with its answer.
        guard error != nil || !hasAnswer else { return }
        report(.commandResult(write, error, duration: log.now - since, summary(of: write)), &log)
    }

    /// A write to the Control Point was never acknowledged.
    mutating func unacknowledged(
        _ octets: [UInt8], since: CaptureTime, _ ending: CaptureEvent.Ending, _ log: inout StoryLog
    ) {
        // A command that expects an answer is reported together with the other unanswered ones.
        guard !pending.contains(where: { $0.since == since }) else { return }
        session?.counts.unanswered += 1
        let write = write(of: octets)
        report(.commandUnanswered(write, since: since, ending: ending, summary(of: write)), &log)
    }

    private mutating func write(of octets: [UInt8]) -> CaptureEvent.Write {
        if lastWrite.octets != octets { lastWrite = CaptureEvent.Write(octets) }
        return lastWrite
    }

    private mutating func abandon(
        _ left: Pending, _ ending: CaptureEvent.Ending, _ log: inout StoryLog
    ) {
        session?.counts.unanswered += 1
        report(
            .commandUnanswered(
                left.write, since: left.since, ending: ending, summary(of: left.write)), &log)
    }

    /// What is known about the notification that a command refers to.
    private func summary(of write: CaptureEvent.Write) -> CaptureEvent.NotificationSummary {
        switch write.command {
        case .getNotificationAttributes(let command):
            named(known[command.notificationUID] ?? .init())
        case .performNotificationAction(let command):
            named(known[command.notificationUID] ?? .init())
        case .getAppAttributes, nil: .init()
        }
    }

    /// The summary with the display name of the app instead of its identifier, if the name is known.
    private func named(
        _ summary: CaptureEvent.NotificationSummary
    ) -> CaptureEvent.NotificationSummary {
        var summary = summary
        summary.app = summary.app.map { appNames[$0] ?? $0 }
        return summary
    }
}

// MARK: Data Source

extension ANCSFollower {
    /// A value of the Data Source arrived.
    package mutating func dataSource(_ value: [UInt8], _ log: inout StoryLog) {
        beginIfNeeded(&log)
        // A value that begins like an expected answer starts that answer, even if the previous answer is
        // incomplete.
        if reading != nil, startOfPending(value[...], mayBeCut: false) != nil {
            finishReading(&log)
        }
        var rest = value[...]
        while !rest.isEmpty {
            if reading == nil, !beginReading(rest, at: log.now) {
                return report(
                    .strayAnswer(octets: Array(rest), isFromBefore: !hasSeenCommand), &log)
            }
            rest = read(rest, &log)
        }
    }

    /// The index of the command whose answer begins with these octets.
    private func startOfPending(_ octets: ArraySlice<UInt8>, mayBeCut: Bool) -> Int? {
        pending.firstIndex { pending in
            if octets.count >= pending.header.count { return octets.starts(with: pending.header) }
            return mayBeCut && pending.header.starts(with: octets)
        }
    }

    private mutating func beginReading(_ octets: ArraySlice<UInt8>, at now: CaptureTime) -> Bool {
        guard let index = startOfPending(octets, mayBeCut: true),
            let assembler = pending[index].write.command
                .flatMap({ DataSourceAnswer.assembler(answering: $0) })
        else { return false }
        reading = Reading(
            pending: pending.remove(at: index), assembler: assembler,
            isJoined: octets.startIndex > 0, latest: now)
        return true
    }

    /// Appends octets to the current answer; returns those that follow it.
    private mutating func read(
        _ octets: ArraySlice<UInt8>, _ log: inout StoryLog
    ) -> ArraySlice<UInt8> {
        guard var current = exchange(&reading, with: nil) else { return octets }
        current.assembler.receive(octets.span)
        current.parts.append(octets.count)
        current.latest = log.now
        switch current.assembler.progress {
        case .complete(let excess):
            current.parts[current.parts.count - 1] -= excess
            finish(current, &log)
            return octets.suffix(excess)
        case .incomplete:
            current.values.append(Array(octets))
            reading = current
        case .failed:
            current.values.append(Array(octets))
            finish(current, &log)
        }
        return []
    }

    /// Reports the answer in progress, as far as it has arrived.
    private mutating func finishReading(_ log: inout StoryLog) {
        guard let current = exchange(&reading, with: nil) else { return }
        finish(current, &log)
    }

    private mutating func finish(_ current: Reading, _ log: inout StoryLog) {
        session?.counts.answered += 1
        remember(current)
        let pending = current.pending
        // One whose end nothing tells is reported with what follows it.
        let duration = current.latest - pending.since
        // Commands older than this one may still be answered, but their answers are late.
        for index in self.pending.indices where self.pending[index].since < pending.since {
            self.pending[index].isOvertaken = true
        }
        let answer = CaptureEvent.Answer(
            content: Self.content(current), duration: duration,
            isLate: pending.isOvertaken || duration > Self.lateAfter, parts: current.parts,
            isJoined: current.isJoined)
        report(.answer(answer, summary(of: pending.write)), &log)
    }

    private static func content(_ reading: Reading) -> DataSourceAnswer {
        let command = reading.pending.write.command
        // Octets that are not an answer to the command are read as an answer to any command.
        if case .failed = reading.assembler.progress {
            return DataSourceAnswer(reading.values, to: command)
        }
        return DataSourceAnswer(reading.assembler, ofOctets: reading.count, to: command)
    }

    /// Remembers the app and title of the notification, and the display names of apps.
    private mutating func remember(_ reading: Reading) {
        guard let response = reading.assembler.response else { return }
        switch reading.pending.identity {
        case .app(let app):
            guard let name = response[.displayName], !name.octets.isEmpty else { return }
            appNames.set(Self.short(name.octets), for: Self.short(app.octets))
        case .notification(let uid):
            var summary = known[uid] ?? .init()
            if let app = response[.appIdentifier] { summary.app = Self.short(app.octets) }
            if let title = response[.title] { summary.title = Self.short(title.octets) }
            known.set(summary, for: uid)
        }
    }

    /// The beginning of a text; no text has more characters than octets.
    private static func short(_ octets: [UInt8]) -> String {
        let text = UTF8Text.repaired(octets)
        return octets.count <= 128 ? text : String(text.prefix(128))
    }
}
