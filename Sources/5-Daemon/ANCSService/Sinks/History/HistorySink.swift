internal import ANCSReceiver
package import LinuxIO

/// The history: stores notifications for some days, in a ``HistoryStore``.
///
/// It is off unless the configuration sets a number of days. Then there is no file, and an existing one is
/// removed: a user who turns the history off does not expect it to stay on the disk.
///
/// The texts of muted notifications are not stored, and with `content = "app"` no texts are; a
/// notification with a `no-history` rule is not stored at all. Expired entries are removed, as are all
/// entries of a forgotten phone.
package final class HistorySink: Sink, @unchecked Sendable {
    // Unchecked: on the loop's thread only, as every sink.

    /// How many entries, and how many octets in total, may be queued while the disk is unavailable.
    private static let waitingLimit = (entries: 2048, octets: 8_388_608)
    /// The maximum number of entries, whatever their age.
    private static let keptLimit = 100_000
    /// The approximate duration of a step.
    private static let stepTime = Duration.milliseconds(4)
    /// How many entries a step removes.
    private static let removedAtOnce = 32
    /// The limit for closing.
    private static let closingTime = Duration.seconds(1)
    private static let cleaningPause = Duration.milliseconds(5)
    private static let retentionPause = Duration.seconds(3600)...Duration.seconds(6 * 3600)

    package let name = "history"
    private weak let control: (any ServiceControl)?
    private let loop: EventLoop
    private let files: HistoryFiles
    private let wallClock: @Sendable () -> CaptureTime
    private let isSynchronized: @Sendable () -> Bool
    /// The latest time at which a phone's clock and this machine's agreed.
    private var agreed: CaptureTime?
    /// Whether it was logged that entries stay because the clock is not confirmed.
    private var hasLoggedClock = false
    private var section: ServiceConfiguration.HistorySection
    private var store: HistoryStore?
    private var schedule = HistorySchedule()
    private var waiting: [HistoryEntry] = []
    private var waitingOctets = 0
    private var removals: [HistoryRemoval] = []
    private var dropped = 0
    /// Why it does not work; logged once.
    private var failureMessage: String?
    private lazy var timer = LoopTimer(on: loop) { [weak self] in
        self?.step { $0.handleTimeout(at: $1) }
    }

    /// A history in the directory of the daemon's state.
    package init(
        control: any ServiceControl, directory: String,
        configuration: ServiceConfiguration.HistorySection,
        wallClock: @escaping @Sendable () -> CaptureTime = { .now },
        isSynchronized: @escaping @Sendable () -> Bool = { CaptureTime.isSynchronized }
    ) {
        self.control = control
        loop = control.loop
        files = HistoryFiles(directory: directory)
        section = configuration
        self.wallClock = wallClock
        self.isSynchronized = isSynchronized
    }

    private var isOn: Bool { section.days > 0 }

    package var status: SinkStatus {
        let days = section.days == 1 ? "1 day" : "\(section.days) days"
        let message = isOn ? "keeps \(days)" : "off"
        return SinkStatus(
            isWorking: failureMessage == nil, message: failureMessage ?? message, dropped: dropped)
    }

    package func open() {
        guard isOn else { return files.remove() }
        attempt { () throws(HistoryStore.Failure) in try openStore() }
        scheduleRetention()
        step { _, _ in }
    }

    package func reconfigure(_ configuration: ServiceConfiguration) {
        let wasOn = isOn
        section = configuration.history
        if isOn {
            if wasOn { scheduleRetention() } else { open() }
        } else {
            turnOff()
        }
        step { _, _ in }
    }

    private func turnOff() {
        store = nil
        failureMessage = nil
        waiting = []
        waitingOctets = 0
        removals = []
        schedule.stop()
        retention.deadline = nil
        files.remove()
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        let deadline = loop.now + Self.closingTime
        while loop.now < deadline, !waiting.isEmpty || !removals.isEmpty {
            guard removals.isEmpty ? write() : clean() else { break }
        }
        store = nil
        schedule.stop()
        timer.deadline = nil
        retention.deadline = nil
        loop.execute(done)
    }

    // MARK: What happens

    package func receive(_ event: ServiceEvent) {
        guard isOn else { return }
        switch event {
        case .announced(let record), .added(let record), .modified(let record):
            keep(record)
            compareClocks(record)
        // An entry stays when its notification is removed on the phone.
        case .removed, .call, .phone, .pairing, .pairingStep, .pairingWindow, .state: return
        case .forgotten(let phone):
            drop { $0.phone.digest == phone.digest }
            remove(.phone(phone.digest))
        }
        step { _, _ in }
    }

    private func keep(_ record: Record) {
        guard record.verdict.isRemembered else {
            // It may have been stored before its text arrived, which then matched a rule.
            drop { $0.id == record.id }
            return remove(.record(record.id))
        }
        let withTexts = section.content == .full && !record.verdict.isMuted
        let entry = HistoryEntry(record, withTexts: withTexts)
        guard waiting.count < Self.waitingLimit.entries,
            waitingOctets + entry.size <= Self.waitingLimit.octets
        else {
            dropped += 1
            return
        }
        waiting.append(entry)
        waitingOctets += entry.size
        schedule.receiveEntry(at: loop.now)
    }

    private func drop(where isUnwanted: (HistoryEntry) -> Bool) {
        waiting.removeAll(where: isUnwanted)
        waitingOctets = waiting.reduce(0) { $0 + $1.size }
    }

    private func remove(_ removal: HistoryRemoval) {
        if !removals.contains(removal) { removals.append(removal) }
        schedule.receiveCleaning(in: .zero, at: loop.now)
    }

    // MARK: Steps

    private func step(_ input: (inout HistorySchedule, MonotonicInstant) -> Void) {
        input(&schedule, loop.now)
        drain()
    }

    /// Apart from `step`, of which the optimizer makes a copy for each closure.
    @inline(never) private func drain() {
        while let output = schedule.pollOutput() {
            switch output {
            case .write: write()
            case .clean: clean()
            }
        }
        timer.deadline = schedule.nextDeadline
    }

    @discardableResult private func write() -> Bool {
        attempt { () throws(HistoryStore.Failure) in
            let store = try openStore()
            let deadline = loop.now + Self.stepTime
            let count = try store.keep(waiting.prefix(64)) { loop.now >= deadline }
            waitingOctets -= waiting[..<count].reduce(0) { $0 + $1.size }
            waiting.removeFirst(count)
            schedule.receiveWritten(isComplete: waiting.isEmpty, at: loop.now)
            // The first entry starts the schedule of the retention.
            if retention.deadline == nil { try scheduleNextRetention(of: store) }
        }
    }

    @discardableResult private func clean() -> Bool {
        let isDone = attempt { () throws(HistoryStore.Failure) in
            let store = try openStore()
            if let removal = removals.first {
                let count = try store.remove(removal, limit: Self.removedAtOnce)
                if count < Self.removedAtOnce { removals.removeFirst() }
                return schedule.receiveCleaning(in: Self.cleaningPause, at: loop.now)
            }
            switch try store.cleanStep() {
            case .done: try scheduleNextRetention(of: store)
            case .unfinished: schedule.receiveCleaning(in: Self.cleaningPause, at: loop.now)
            case .blocked: schedule.receiveCleaning(in: .seconds(1), at: loop.now)
            }
        }
        if !isDone { schedule.receiveCleaning(in: .zero, at: loop.now) }
        return isDone
    }

    /// Removes expired entries now. What has expired is said by a clock that something else confirms: one that was set
    /// wrongly, such as that of a machine whose battery is empty, would remove everything for good.
    private func scheduleRetention() {
        remove(.allBut(Self.keptLimit))
        let age = Duration.seconds(-86_400 * min(section.days, 36_500))
        guard let now = isSynchronized() ? wallClock() : agreed else {
            return logClock(wallClock() + age)
        }
        hasLoggedClock = false
        remove(.before(now + age))
        files.removeSetAside(before: now + age)
    }

    private func logClock(_ limit: CaptureTime) {
        guard !hasLoggedClock, let oldest = try? store?.oldest(), oldest < limit else { return }
        hasLoggedClock = true
        control?.log(
            "entries of the history that seem to be too old are kept until the clock is confirmed: it is not "
                + "synchronized, and no phone has sent a new notification with its date")
    }

    /// The largest difference of clocks that agree: dates are local times, at most 14 hours from UTC.
    private static let agreement = Duration.seconds(86_400)

    /// A phone dates what happens now by its own clock.
    private func compareClocks(_ record: Record) {
        let now = wallClock()
        guard !record.notification.isPreExisting, let date = record.notification.date else {
            return
        }
        let phone = CaptureTime(microsecondsSince1970: 0) + .seconds(date.seconds)
        guard phone - now <= Self.agreement, now - phone <= Self.agreement else { return }
        if exchange(&agreed, with: now) == nil { scheduleRetention() }
    }

    /// Schedules the next removal. The loop's clock does not count while the machine is suspended, so this is
    /// checked some times a day.
    private func scheduleNextRetention(of store: HistoryStore) throws(HistoryStore.Failure) {
        guard let oldest = try store.oldest() else { return }
        let left = Duration.seconds(86_400 * section.days) - (wallClock() - oldest)
        let delay = min(max(left, Self.retentionPause.lowerBound), Self.retentionPause.upperBound)
        retention.deadline = loop.now + delay
    }

    private lazy var retention = LoopTimer(on: loop) { [weak self] in
        guard let self, isOn else { return }
        scheduleRetention()
        step { _, _ in }
    }

    // MARK: Failures

    @discardableResult private func openStore() throws(HistoryStore.Failure) -> HistoryStore {
        if let store { return store }
        let new = try HistoryStore(writing: files)
        store = new
        return new
    }

    /// Uses the store; returns whether that worked. A failure is logged once, and tried again later.
    @discardableResult
    private func attempt(_ body: () throws(HistoryStore.Failure) -> Void) -> Bool {
        do throws(HistoryStore.Failure) {
            try body()
        } catch {
            failed(error)
            return false
        }
        if exchange(&failureMessage, with: nil) != nil { control?.log("the history works again") }
        return true
    }

    private func failed(_ failure: HistoryStore.Failure) {
        switch failure.code {
        case .busy: schedule.receiveFailure(isBusy: true, at: loop.now)
        case .damaged: setAside(failure)
        case .missing, .unavailable:
            store = nil
            schedule.receiveFailure(isBusy: false, at: loop.now)
            guard failureMessage == nil else { return }
            failureMessage = failure.message
            control?.log("\(failure.message); trying again every 30 s")
        }
    }

    /// Starts a new file, for the queued entries.
    private func setAside(_ failure: HistoryStore.Failure) {
        store = nil
        do throws(IOError) {
            let place = try files.setAside(at: wallClock())
            control?.log("\(failure.message); it is now \(place), and a new one was started")
            schedule.receiveFailure(isBusy: true, at: loop.now)
        } catch {
            schedule.receiveFailure(isBusy: false, at: loop.now)
            guard failureMessage == nil else { return }
            failureMessage = error.message
            control?.log("\(failure.message), and \(error.message)")
        }
    }
}

extension HistoryEntry {
    /// The approximate size in memory, in octets.
    fileprivate var size: Int {
        [app, appName, title, subtitle, message, date].reduce(256) { $0 + ($1?.utf8.count ?? 0) }
            + (identity?.count ?? 0)
    }
}
