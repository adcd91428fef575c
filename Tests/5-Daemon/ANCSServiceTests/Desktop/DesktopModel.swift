import ANCS
import ANCSKit
import Octets

@testable import ANCSService

/// A phone, a person and a notification server that does what servers do, and what none should.
struct DesktopModel: ~Copyable {
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
    struct Shown {
        var popup: DesktopPopup
        var since: MonotonicInstant
        var wasPressed = false

        /// The heading without the sign that a server without icons shows on a call.
        var title: String {
            popup.summary.hasPrefix("☎ ") ? String(popup.summary.dropFirst(2)) : popup.summary
        }

        /// The first word of a title is the number of its record.
        var record: RecordID? {
            title.split(separator: " ").first.flatMap { UInt64($0) }
                .map { RecordID(rawValue: $0) }
        }
    }

    /// A call of `Notify` that the server takes its time for.
    struct Late {
        var token: DesktopNotifications.PostToken
        var popup: DesktopPopup
        var due: MonotonicInstant
    }

    /// How the server is at present.
    enum Mood: CaseIterable {
        case good, refusing, slow, silent, renumbering, mad
    }

    struct Click: Hashable {
        let record: RecordID
        let action: ActionID
    }

    struct Closing {
        let instant: MonotonicInstant
        /// What it clears, where it is the only one for a second.
        let record: RecordID?
        var isUsed = false
    }

    var random: SeededGenerator
    var machine: DesktopNotifications
    var limits: DesktopNotifications.Limits
    var configuration: ServiceConfiguration.DesktopSection
    var isDraining = false
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var faults: [String] = []
    var counts = Counts()

    // The phone.
    var records: [RecordID: Record] = [:]
    var lastRecord: UInt64 = 0
    var revision = 0

    // The server.
    var isPresent = false
    /// Whether the machine was told that there is one.
    var isKnown = false
    var mood = Mood.good
    var screen: [UInt32: Shown] = [:]
    var late: [Late] = []
    var lastID: UInt32 = 0

    // What a person did.
    var clicks: [Click: Int] = [:]
    var closings: [Closing] = []
    var lastNegative: MonotonicInstant?

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

    mutating func fault(_ text: String) { faults.append(text) }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    mutating func step() {
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

    // MARK: Time and outputs

    mutating func pass(_ duration: Duration) {
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

    mutating func drain() {
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

    mutating func handle(_ output: DesktopNotifications.Output) {
        switch output {
        case .start:
            if isPresent { return fault("a start of what runs") }
            if random.chance(0.5) { appear() } else { machine.startFailed("no", at: now) }
        case .post(let token, let popup): receive(token, popup)
        // One that has stopped answers the call first, and is not asked for nothing; one that loses calls, or
        // takes its time for them, answers at once.
        case .ask(let token): if random.chance(0.5) { machine.answered(token, at: now) }
        case .close(let id), .withdraw(let id):
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
        case .answer: fault("an answer to a question that nobody asked")
        case .open: fault("a program where none is installed")
        case .copy, .log: break
        }
    }

    mutating func use(_ click: Click) -> Bool {
        guard let count = clicks[click], count > 0 else { return false }
        clicks[click] = count - 1
        return true
    }

    mutating func checkNegative(_ record: RecordID) {
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

    func distance(_ left: MonotonicInstant, _ right: MonotonicInstant) -> Int64 {
        left.nanoseconds - right.nanoseconds
    }

    mutating func checkLimits() {
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
