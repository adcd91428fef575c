import ANCS
import ANCSKit
import Octets
import Testing

@testable import ANCSService

/// Random orders of everything that can happen, against a model that knows only what a person did.
@Suite("Popups: any order of events")
struct DesktopModelTests {
    @Test("nothing is done on the phone that nobody clicked", arguments: 0..<25)
    func anyOrder(block: Int) {
        for number in 0..<100 {
            let seed = UInt64(block * 100 + number)
            var model = DesktopModel(seed: seed)
            model.run(steps: 120)
            model.end()
            #expect(model.faults == [], "seed \(seed)")
            guard model.faults.isEmpty else { return }
        }
    }

    @Test("the model does click, clear and close, so that its silence says something")
    func isAlive() {
        var counts = DesktopModel.Counts()
        for seed in 0..<200 {
            var model = DesktopModel(seed: UInt64(seed))
            model.run(steps: 120)
            model.end()
            counts.add(model.counts)
        }
        #expect(counts.positives > 40)
        #expect(counts.negatives > 40)
        #expect(counts.dismissals > 10)
        #expect(counts.closings > 400)
        #expect(counts.summaries > 100)
    }
}

/// A phone, a person and a notification server that does what servers do, and what none should.
private struct DesktopModel: ~Copyable {
    struct Counts {
        var positives = 0
        var negatives = 0
        var dismissals = 0
        var closings = 0
        var summaries = 0

        mutating func add(_ other: Counts) {
            positives += other.positives
            negatives += other.negatives
            dismissals += other.dismissals
            closings += other.closings
            summaries += other.summaries
        }
    }

    /// A popup on the screen.
    private struct Shown {
        var popup: DesktopPopup
        var since: MonotonicInstant
        var wasPressed = false

        /// The first word of a title is the number of its record.
        var record: RecordID? {
            popup.summary.split(separator: " ").first.flatMap { UInt64($0) }
                .map { RecordID(rawValue: $0) }
        }
    }

    /// A call of `Notify` that the server takes its time for.
    private struct Late {
        var token: DesktopNotifications.PostToken
        var popup: DesktopPopup
        var due: MonotonicInstant
    }

    /// How the server is at present.
    private enum Mood: CaseIterable {
        case good, refusing, slow, silent, renumbering, mad
    }

    private struct Click: Hashable {
        let record: RecordID
        let action: ActionID
    }

    private struct Closing {
        let instant: MonotonicInstant
        /// What it clears, where it is the only one for a second.
        let record: RecordID?
        var isUsed = false
    }

    private var random: SeededGenerator
    private var machine: DesktopNotifications
    private var limits: DesktopNotifications.Limits
    private var configuration: ServiceConfiguration.DesktopSection
    private var isDraining = false
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    private(set) var faults: [String] = []
    private(set) var counts = Counts()

    // The phone.
    private var records: [RecordID: Record] = [:]
    private var lastRecord: UInt64 = 0
    private var revision = 0

    // The server.
    private var isPresent = false
    /// Whether the machine was told that there is one.
    private var isKnown = false
    private var mood = Mood.good
    private var screen: [UInt32: Shown] = [:]
    private var late: [Late] = []
    private var lastID: UInt32 = 0

    // What a person did.
    private var clicks: [Click: Int] = [:]
    private var closings: [Closing] = []
    private var lastNegative: MonotonicInstant?

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limits = DesktopNotifications.Limits()
        limits.waiting = 6
        limits.up = 5
        limits.calls = 2
        limits.tracked = 24
        limits.atOnce = 3
        configuration = ServiceConfiguration.DesktopSection()
        configuration.copy = ["copy"]
        if random.chance(0.7) { configuration.dismiss = .clear }
        machine = DesktopNotifications(configuration, limits: limits)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            step()
            guard faults.isEmpty else { return }
        }
    }

    private mutating func fault(_ text: String) { faults.append(text) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    private mutating func step() {
        switch random.next() % 32 {
        case 0...3: addRecord()
        case 4: modifyRecord()
        case 5: removeRecord()
        case 6...8: clickButton()
        case 9: clickNonsense()
        case 10...12: closePopup()
        case 13: random.chance(0.3) ? closeAll() : strangersSignal()
        case 14: changeServer()
        case 15: mood = pick(Mood.allCases + [.good, .good, .good]) ?? .good
        case 16: reconfigure()
        case 17: handOver()
        case 18...19: pass(random.duration(below: .seconds(15)))
        case _: pass(random.duration(below: .milliseconds(1_500)))
        }
        drain()
    }

    // MARK: The phone

    private mutating func text(_ id: UInt64) -> String {
        revision += 1
        return "\(id) \(revision)"
    }

    private mutating func makeRecord(_ number: UInt64) -> Record {
        let categories: [CategoryID] = [.incomingCall, .social, .social, .email, .activeCall]
        var flags: EventFlags = []
        if random.chance(0.8) { flags.insert(.negativeAction) }
        if random.chance(0.4) { flags.insert(.positiveAction) }
        if random.chance(0.2) { flags.insert(.preExisting) }
        if random.chance(0.2) { flags.insert(.silent) }
        let record = Record.onDesktop(
            number, pick(categories) ?? .social, flags: flags, title: text(number),
            seen: random.chance(0.2) ? random.chance(0.5) : nil)
        guard random.chance(0.3) else { return record }
        return record.with { $0.code = "123456" }
    }

    private mutating func addRecord() {
        lastRecord += 1
        let record = makeRecord(lastRecord)
        records[record.id] = record
        guard record.isRinging, random.chance(0.7) else {
            return machine.receive(.added(record), at: now)
        }
        machine.receive(
            .announced(.ringing(lastRecord, flags: record.notification.flags)), at: now)
        drain()
        if random.chance(0.7) { machine.receive(.added(record), at: now) }
    }

    private mutating func modifyRecord() {
        guard let old = pick(records.keys.sorted()) else { return }
        var record = makeRecord(old.rawValue)
        if random.chance(0.1) { record.verdict.popup = nil }
        if random.chance(0.1) { record.verdict.isMuted = true }
        records[old] = record
        machine.receive(.modified(record), at: now)
    }

    private mutating func removeRecord() {
        guard let id = pick(records.keys.sorted()), let record = records.removeValue(forKey: id)
        else { return }
        machine.receive(.removed(record, random.chance(0.5) ? .removed : .away), at: now)
    }

    /// Another session has the same notification.
    private mutating func handOver() {
        guard let id = pick(records.keys.sorted()), let old = records[id] else { return }
        lastRecord += 1
        let record = makeRecord(lastRecord).with { $0.sameAs = id }
        records[record.id] = record
        let isLate = random.chance(0.3)
        if isLate { machine.receive(.added(record.with { $0.sameAs = nil }), at: now) }
        machine.receive(isLate ? .modified(record) : .added(record), at: now)
        drain()
        records[id] = nil
        machine.receive(.removed(old, .away), at: now)
    }

    // MARK: The person

    private mutating func clickButton() {
        guard let id = pick(screen.keys.sorted()), let popup = screen[id]?.popup,
            let action = pick(popup.actions)
        else { return }
        screen[id]?.wasPressed = true
        if let press = PopupPress(key: action.key) {
            switch press.kind {
            case .positive: clicks[Click(record: press.record, action: .positive), default: 0] += 1
            case .negative: clicks[Click(record: press.record, action: .negative), default: 0] += 1
            case .copy: break
            }
        }
        let isDouble = random.chance(0.1)
        machine.actionInvoked(id, action.key, at: now)
        if isDouble { machine.actionInvoked(id, action.key, at: now) }
        // Servers close what was clicked, but for what is resident.
        if !popup.isResident || random.chance(0.2) { close(id, .dismissed) }
    }

    /// Keys of buttons that are not there, at numbers that may be somebody else's.
    private mutating func clickNonsense() {
        var id = UInt32(random.next() % 40)
        var record = RecordID(rawValue: random.next() % (lastRecord + 1))
        if random.chance(0.7), let live = pick(screen.keys.sorted()), let shown = screen[live] {
            id = live
            record = shown.record ?? record
        }
        let kind = pick([PopupPress.Kind.positive, .negative, .copy]) ?? .negative
        let key = random.chance(0.2) ? "default" : PopupPress(kind, record).key
        guard screen[id]?.popup.actions.contains(where: { $0.key == key }) != true else { return }
        machine.actionInvoked(id, key, at: now)
    }

    private mutating func closePopup() {
        guard let id = pick(screen.keys.sorted()) else { return }
        let reasons: [DesktopNotifications.ClosingReason] = [
            .dismissed, .dismissed, .dismissed, .expired, .undefined, .closed,
        ]
        close(id, pick(reasons) ?? .dismissed)
    }

    private mutating func closeAll() {
        for id in screen.keys.sorted() { close(id, .dismissed) }
    }

    private mutating func strangersSignal() {
        let id = 1000 + UInt32(random.next() % 10)
        let reason: DesktopNotifications.ClosingReason = random.chance(0.5) ? .dismissed : .closed
        if reason != .closed { closings.append(Closing(instant: now, record: nil)) }
        machine.closed(id, reason, at: now)
    }

    private mutating func close(_ id: UInt32, _ reason: DesktopNotifications.ClosingReason) {
        guard let shown = screen.removeValue(forKey: id) else { return }
        if reason != .closed {
            closings.append(
                Closing(
                    instant: now, record: reason == .dismissed ? cleared(by: shown) : nil))
        }
        machine.closed(id, reason, at: now)
        drain()
    }

    /// What the contract lets a closing clear.
    private func cleared(by shown: Shown) -> RecordID? {
        guard configuration.dismiss == .clear, !shown.wasPressed, now - shown.since >= .seconds(1),
            let record = shown.record.flatMap({ records[$0] }), !record.isCall
        else { return nil }
        return record.id
    }

    private mutating func reconfigure() {
        switch random.next() % 5 {
        case 0: configuration.calls = pick([.buttons, .buttons, .show, .none]) ?? .buttons
        case 1: configuration.popups = random.chance(0.8)
        case 2: configuration.dismiss = random.chance(0.7) ? .clear : .never
        case 3: configuration.preExisting = pick([.unseen, .all, .none]) ?? .unseen
        case _: break
        }
        machine.reconfigure(configuration, at: now)
    }

    // MARK: The server

    private mutating func changeServer() {
        if isPresent {
            // One that is ended may say that it closed all.
            if random.chance(0.5) { closeAll() }
            vanish()
        } else {
            appear()
        }
    }

    private mutating func vanish() {
        isPresent = false
        screen = [:]
        let lost = late
        late = []
        // The bus says the one or the other first.
        if random.chance(0.5) { sayVanished() }
        for call in lost {
            machine.postFailed(call.token, .lost, at: now)
            drain()
        }
        if isKnown { sayVanished() }
        // What was dismissed last may be the end's doing.
        closings.append(Closing(instant: now, record: nil))
    }

    private mutating func sayVanished() {
        isKnown = false
        machine.serverVanished(at: now)
        drain()
    }

    private mutating func appear() {
        isPresent = true
        isKnown = true
        if random.chance(0.7) { lastID = 0 }
        let all = ["actions", "body", "body-markup"]
        let capabilities = random.chance(0.9) ? all : []
        machine.serverAppeared("s", version: "1", capabilities: capabilities, at: now)
    }

    private mutating func receive(
        _ token: DesktopNotifications.PostToken, _ popup: DesktopPopup
    ) {
        check(popup)
        guard isPresent else {
            if !isKnown { fault("a post without a server") }
            return machine.postFailed(token, .lost, at: now)
        }
        switch mood {
        case .good: answer(token, popup)
        case .refusing where random.chance(0.7):
            machine.postFailed(token, .refused("org.x.Full"), at: now)
        case .refusing: answer(token, popup)
        case .slow, .silent:
            let delay = random.duration(below: .seconds(mood == .slow ? 9 : 50))
            late.append(Late(token: token, popup: popup, due: now + delay))
        case .renumbering, .mad: answer(token, popup)
        }
    }

    private mutating func answer(
        _ token: DesktopNotifications.PostToken, _ popup: DesktopPopup
    ) {
        var id = popup.replaces
        if id == 0 || mood == .renumbering || (screen[id] == nil && random.chance(0.5)) {
            screen[popup.replaces] = nil
            lastID += 1
            id = lastID
        }
        if mood == .mad, random.chance(0.2) {
            screen[id] = nil
            id = UInt32(random.next() % 6)
        }
        if id != 0 { screen[id] = Shown(popup: popup, since: now) }
        machine.posted(token, id, at: now)
        if random.chance(0.1) { machine.posted(token, id, at: now) }
    }

    /// A popup shows what its record says now, and none shows what has gone.
    private mutating func check(_ popup: DesktopPopup) {
        if popup.summary.hasSuffix("more notification")
            || popup.summary.hasSuffix("more notifications")
        {
            counts.summaries += 1
            if !popup.actions.allSatisfy({ $0.key == PopupPress.harmlessKey }) {
                fault("a summary with a button")
            }
            return
        }
        if let first = popup.actions.first, first.key != PopupPress.harmlessKey {
            fault("the first action is not harmless")
        }
        guard popup.summary != "Incoming call" else { return }
        guard let record = Shown(popup: popup, since: now).record.flatMap({ records[$0] }) else {
            return fault("a popup of what is gone: \(popup.summary)")
        }
        if record.notification.title != popup.summary { fault("an old text: \(popup.summary)") }
        let presses = popup.actions.compactMap { PopupPress(key: $0.key)?.kind }
        if record.isCall, configuration.calls != .buttons, presses.contains(where: { $0 != .copy })
        {
            fault("buttons on a call")
        }
    }

    // MARK: Time and outputs

    private mutating func pass(_ duration: Duration) {
        let end = now + duration
        while true {
            let due = late.map(\.due).min()
            guard let next = MonotonicInstant.earliest(due, machine.nextDeadline), next <= end
            else { break }
            now = max(now, next)
            if let index = late.firstIndex(where: { $0.due <= now }) {
                let call = late.remove(at: index)
                answer(call.token, call.popup)
            } else {
                machine.handleTimeout(at: now)
                drain()
                if let deadline = machine.nextDeadline, deadline <= now {
                    return fault("a deadline that does not pass")
                }
            }
            drain()
            guard faults.isEmpty else { return }
        }
        now = end
    }

    private mutating func drain() {
        guard !exchange(&isDraining, with: true) else { return }
        defer { isDraining = false }
        var count = 0
        while let output = machine.pollOutput() {
            count += 1
            guard count < 1000 else { return fault("a drain without end") }
            handle(output)
        }
        checkLimits()
    }

    private mutating func handle(_ output: DesktopNotifications.Output) {
        switch output {
        case .start:
            if isPresent { return fault("a start of what runs") }
            if random.chance(0.5) { appear() } else { machine.startFailed("no", at: now) }
        case .post(let token, let popup): receive(token, popup)
        case .close(let id):
            counts.closings += 1
            guard screen.removeValue(forKey: id) != nil else { return }
            machine.closed(id, .closed, at: now)
        case .perform(let record, .positive):
            counts.positives += 1
            guard use(Click(record: record, action: .positive)) else {
                return fault("a positive action that nobody clicked")
            }
        case .perform(let record, .negative): checkNegative(record)
        case .perform: fault("an action that nobody knows")
        case .copy, .log: break
        }
    }

    private mutating func use(_ click: Click) -> Bool {
        guard let count = clicks[click], count > 0 else { return false }
        clicks[click] = count - 1
        return true
    }

    private mutating func checkNegative(_ record: RecordID) {
        counts.negatives += 1
        if let lastNegative, now - lastNegative < .seconds(1) {
            fault("two negative actions within a second")
        }
        lastNegative = now
        if use(Click(record: record, action: .negative)) { return }
        counts.dismissals += 1
        guard let index = closings.firstIndex(where: { $0.record == record && !$0.isUsed }) else {
            return fault("a negative action that nobody clicked")
        }
        let instant = closings[index].instant
        closings[index].isUsed = true
        let near = closings.indices.filter { other in
            other != index && abs(distance(closings[other].instant, instant)) < 1_000_000_000
        }
        if !near.isEmpty { fault("a mass dismissal was performed") }
        if now - instant < .seconds(1) { fault("a dismissal that was not waited for") }
    }

    private func distance(_ left: MonotonicInstant, _ right: MonotonicInstant) -> Int64 {
        left.nanoseconds - right.nanoseconds
    }

    private mutating func checkLimits() {
        let waiting = machine.table.count(where: { $0.isWaiting && $0.isOrdinary })
        let up = machine.table.count(where: { $0.up != nil && $0.isOrdinary })
        if waiting > limits.waiting { fault("\(waiting) wait") }
        if up > limits.up { fault("\(up) are up") }
        if machine.table.count(where: \.isCall) > limits.calls
            + machine.table.count(where: \.isClosed) + 20
        {
            fault("too many calls")
        }
        if machine.table.popups.count > limits.tracked { fault("too many are remembered") }
    }

    // MARK: The end

    /// The server does its part: what is there is shown or counted, and what is gone is off the screen.
    mutating func end() {
        guard faults.isEmpty else { return }
        mood = .good
        if !isPresent { appear() }
        drain()
        pass(.seconds(1000))
        let isDue = machine.table.popups.contains(where: \.isDue)
        if isDue { fault("something waits for ever") }
        if !machine.folded.isEmpty {
            let isShown = machine.table.summary.map { machine.table[$0].up != nil } ?? false
            if !isShown { fault("a summary that is not shown") }
        }
        for id in records.keys.sorted() {
            guard let record = records.removeValue(forKey: id) else { continue }
            machine.receive(.removed(record, .removed), at: now)
            drain()
        }
        pass(.seconds(1000))
        if !screen.isEmpty { fault("popups that nobody closes: \(screen.keys.sorted())") }
        if machine.nextDeadline != nil { fault("a deadline with nothing to do") }
    }
}
