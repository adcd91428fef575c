internal import ANCSReceiver
package import Octets

/// The popups for the current records: at most one call of `Notify` at a time, calls first, and one summary
/// of the records that do not fit.
///
/// It keeps the desired and the actual state of the screen and posts the difference, so a change during a
/// pending call costs nothing. While the server has stopped, nothing more is posted: the pending call waits in
/// its queue, and its popup appears when the server continues. An action is performed on the phone only if the user pressed its button, or
/// closed a single popup and the configuration says that this clears it.
package struct DesktopNotifications: ~Copyable, Sendable {
    let limits: Limits
    var composer: PopupComposer
    /// The phones that are paired.
    private var phones: [PhoneName] = []
    var table = PopupTable()
    var folded = FoldedRecords()
    var server = Server.absent
    var outstanding: Outstanding?
    /// Calls that the server has not answered, although it answered later ones. The oldest is first.
    var lost: [Outstanding] = []
    var earlier = EarlierRecords()
    var dismissals = Dismissals()
    var negatives = NegativeActions()
    var lastPositive: (record: RecordID, instant: MonotonicInstant)?
    /// The pause after the server refused a popup or did not reply.
    var pause = GrowingPause(first: .seconds(10), longest: .seconds(300))
    /// The pause after a server could not be started.
    var startPause = GrowingPause(first: .seconds(5), longest: .seconds(300))
    /// Whether a record has arrived for which a server should be started.
    var wantsServer = false
    /// Whether a popup was posted after that of a ringing call.
    var isCallCovered = false
    /// The earliest time of the next change of the summary.
    var summaryDeadline: MonotonicInstant?
    var said: Set<Failure> = []
    var lastToken: UInt64 = 0
    var outputs = Queue<Output>()
    var hasStopped = false
    /// How many records got no popup of their own because of the limits.
    package internal(set) var dropped = 0

    package init(_ configuration: ServiceConfiguration.DesktopSection, limits: Limits = Limits()) {
        self.limits = limits
        composer = PopupComposer(desktop: configuration, server: nil)
    }

    /// The programs that a click can open have changed.
    mutating func know(_ programs: InstalledPrograms) { composer.programs = programs }

    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether no reply of the server is pending.
    package var isIdle: Bool { outstanding == nil }

    /// Whether the server owes a reply for longer than it may take.
    package var isServerLate: Bool { outstanding?.isLate ?? false }

    // MARK: Time

    package var nextDeadline: MonotonicInstant? {
        guard !hasStopped else { return nil }
        let deadlines = [
            outstanding?.deadline, earlier.nextDeadline, dismissals.nextDeadline,
            negatives.nextDeadline, postingDeadline,
        ]
        return deadlines.reduce(nil, MonotonicInstant.earliest)
    }

    package mutating func handleTimeout(at now: MonotonicInstant) {
        guard !hasStopped else { return }
        if let outstanding, let deadline = outstanding.deadline, now >= deadline {
            if outstanding.isLate { giveUp(outstanding, at: now) } else { ask() }
        }
        if earlier.takeEnd(at: now) {
            table.sortHeld()
            for index in table.indices where table[index].isHeld {
                table[index].place = .waiting
                wantsServer = true
            }
        }
        if let record = dismissals.takeDue(at: now) {
            negatives.want(record, isCall: false, at: now)
        }
        advance(at: now)
    }

    // MARK: Records

    package mutating func receive(_ event: ServiceEvent, at now: MonotonicInstant) {
        guard !hasStopped else { return }
        switch event {
        case .announced(let record), .added(let record), .modified(let record):
            show(record, at: now)
        case .removed(let record, _): forget(record.id)
        case .pairing(let phone, .accept(let name)?): ask(phone, name)
        case .pairing(let phone, _): withdraw(phone)
        case .phone(let status):
            know(status.phone, isOwn: status.isPaired)
            cutOff(status)
        case .call, .pairingStep, .pairingWindow, .state: break
        case .forgotten(let phone):
            know(phone, isOwn: false)
            withdraw(phone)
            folded.removeAll(of: phone)
            for record in table.popups.compactMap(\.record)
            where record.phone.digest == phone.digest { forget(record.id) }
        }
        advance(at: now)
    }

    private mutating func show(_ record: Record, at now: MonotonicInstant) {
        if let same = record.sameAs { handOver(same, to: record) }
        guard let wanted = composer.popup(of: record) else { return forget(record.id) }
        guard !folded.contains(record.id) else { return }
        if let index = table.index(of: record.id) {
            update(index, record, wanted)
        } else if composer.introduces(record) {
            insert(record, wanted, at: now)
        }
    }

    /// The record takes over the popup of the same notification in an earlier session, unless it already has
    /// one.
    private mutating func handOver(_ same: RecordID, to record: Record) {
        guard same != record.id else { return }
        guard table.index(of: record.id) == nil, !folded.contains(record.id) else {
            return forget(same)
        }
        if folded.contains(same) {
            folded.remove(same)
            folded.insert(record.id, app: composer.appName(of: record), phone: record.phone)
        } else if let index = table.index(of: same) {
            table[index].subject = .record(record)
            table[index].isQuiet = true
        }
        dismissals.forget(same)
        negatives.forget(same)
    }

    private mutating func update(_ index: Int, _ record: Record, _ wanted: DesktopPopup) {
        let before = table[index].wanted
        table[index].isCutOff = false
        table[index].subject = .record(record)
        table[index].wanted = wanted
        let isNews = before.summary != wanted.summary || before.body != wanted.body
        switch table[index].place {
        case .held: break
        case .waiting: wantsServer = true
        case .up:
            // The same call with its text, or a text that arrived late, has already made its sound.
            let wasHeard = record.isCall || record.notification.isCompletion
            table[index].isQuiet = wasHeard || !isNews
        case .closed(byUser: true): break
        case .closed(byUser: false):
            guard isNews, !record.notification.isCompletion, !record.isCall else { return }
            table[index].place = .waiting
            table[index].isQuiet = false
            wantsServer = true
        }
    }

    private mutating func insert(
        _ record: Record, _ wanted: DesktopPopup, at now: MonotonicInstant
    ) {
        if record.isEarlier { return insertEarlier(record, wanted, at: now) }
        let isOneCallTooMany = record.isCall && table.count(where: \.isCall) >= limits.calls
        table.append(.record(record), wanted, .waiting)
        wantsServer = true
        if isOneCallTooMany { drop(table.popups.count - 1) }
    }

    private mutating func insertEarlier(
        _ record: Record, _ wanted: DesktopPopup, at now: MonotonicInstant
    ) {
        earlier.receive(at: now)
        table.append(.record(record), wanted, .held)
        guard earlier.count > limits.atOnce else { return }
        wantsServer = true
        while let index = table.first(where: \.isHeld) { fold(index) }
    }

    /// Popups say whose they are while there are several phones.
    private mutating func know(_ phone: PhoneName, isOwn: Bool) {
        let others = phones.filter { $0.digest != phone.digest }
        phones = isOwn ? others.suffix(63) + [phone] : others
        let labels = phones.labels
        if exchange(&composer.labels, with: labels) != labels { composeAgain() }
    }

    /// The session of a phone may have ended. A call goes on for a while without it, and cannot be answered: it gets its
    /// buttons back when the phone announces it again.
    private mutating func cutOff(_ status: PhoneStatus) {
        switch status.state {
        case .away, .connected, .pairing, .waitingForService: break
        case .subscribed, .unauthorized, .silent, .unaccepted, .noPlace: return
        }
        let isAffected = { (popup: TrackedPopup) in
            popup.isCall && !popup.isCutOff && popup.record?.phone.digest == status.phone.digest
        }
        while let index = table.first(where: isAffected) {
            table[index].isCutOff = true
            composeAgain()
        }
    }

    /// A record was removed, or is no longer to be shown.
    mutating func forget(_ id: RecordID) {
        folded.remove(id)
        dismissals.forget(id)
        negatives.forget(id)
        if let index = table.index(of: id) { close(index) }
    }

    // MARK: What does not fit

    /// Closes a popup.
    mutating func close(_ index: Int) {
        let popup = table.remove(at: index)
        guard let up = popup.up else { return }
        outputs.append(popup.isCall && showsOneAtATime ? .withdraw(up.id) : .close(up.id))
    }

    /// Adds a record to the summary instead of showing it.
    mutating func fold(_ index: Int) {
        if let record = table[index].record {
            folded.insert(record.id, app: composer.appName(of: record), phone: record.phone)
            dismissals.forget(record.id)
        }
        close(index)
    }

    /// Adds a record to the summary because of the limits, and counts it as dropped.
    mutating func drop(_ index: Int) {
        dropped += 1
        fold(index)
    }

    private mutating func keepLimits() {
        while table.count(where: \.isWaiting) > limits.waiting,
            let index = table.last(where: { $0.isWaiting && $0.isOrdinary })
        { drop(index) }
        while table.count(where: { $0.isUp && !$0.isSummary }) > limits.up,
            let index = table.first(where: { $0.isUp && $0.isOrdinary })
        { drop(index) }
        while table.popups.count > limits.tracked, let index = table.first(where: \.isClosed) {
            _ = table.remove(at: index)
        }
    }

    /// Updates the summary.
    private mutating func refreshSummary() {
        guard !folded.isEmpty else {
            if let index = table.summary { close(index) }
            return
        }
        let wanted = composer.summary(of: folded)
        if let index = table.summary {
            table[index].wanted = wanted
        } else {
            table.append(.summary, wanted, .waiting)
        }
    }

    // MARK: What follows

    /// Does what is due after an input.
    mutating func advance(at now: MonotonicInstant) {
        guard !hasStopped else { return }
        keepLimits()
        refreshSummary()
        startServer(at: now)
        uncoverCalls()
        postNext(at: now)
        performNegatives(at: now)
    }

    /// Applies a new configuration.
    package mutating func reconfigure(
        _ configuration: ServiceConfiguration.DesktopSection, at now: MonotonicInstant
    ) {
        guard !hasStopped else { return }
        composer.desktop = configuration
        if configuration.dismiss == .never { dismissals.cancel() }
        if !configuration.popups { folded.removeAll() }
        composeAgain()
        advance(at: now)
    }

    /// Closes all popups and stops.
    package mutating func stop() {
        guard !hasStopped else { return }
        while !table.indices.isEmpty { close(0) }
        folded.removeAll()
        hasStopped = true
    }

    /// Updates all popups for the user's configuration or the server's capabilities.
    mutating func composeAgain() {
        composeQuestionsAgain()
        for record in table.popups.compactMap(\.record) {
            guard let index = table.index(of: record.id) else { continue }
            let isCutOff = table[index].isCutOff
            guard let wanted = composer.popup(of: record, isCutOff: isCutOff) else {
                forget(record.id)
                continue
            }
            guard table[index].wanted != wanted else { continue }
            table[index].wanted = wanted
            if table[index].isUp { table[index].isQuiet = true }
        }
    }

    mutating func say(_ failure: Failure, _ message: String) {
        if said.insert(failure).inserted { outputs.append(.log(message)) }
    }
}
