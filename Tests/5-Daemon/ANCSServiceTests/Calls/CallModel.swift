import ANCS
import LinuxIO
import Octets

@testable import ANCSReceiver
@testable import ANCSService

/// A phone with calls, its link, and a keeper of records beside it, in virtual time. It knows what its user and
/// the callers did, and so what the keeper has to say of each call.
struct CallModel: ~Copyable {
    /// A call on the phone.
    private struct Truth {
        enum State { case ringing, active, missed, over }

        var state = State.ringing
        /// The notification with which the phone shows it.
        var uid: UInt32
        /// Whose call it is: the same person may call again.
        var caller: String
        /// What the keeper has to say of it, and says.
        var expected: [String] = []
        var said: [String] = []
        /// What the keeper knows of it.
        var shown: State = .over
        /// Whether its text was fetched in this session.
        var isRead = false
    }

    /// Something that arrives later.
    private enum Arrival {
        case header(Int, CategoryID, UInt32, isPreExisting: Bool)
        case text(Int, CategoryID, UInt32, isPreExisting: Bool)
        case removal(CategoryID, UInt32)
    }

    private static let phone = PhoneID(rawValue: 1)
    private var keeper = RecordKeeper(name: "Desk")
    private var generator: SeededGenerator
    private var now: Int64 = 0
    private var session: UInt64 = 0
    private var isUp = false
    private var wentDown: Int64 = 0
    private var lastUID: UInt32 = 0
    private var calls: [Truth] = []
    private var arrivals: [(time: Int64, number: Int, arrival: Arrival)] = []
    private var count = 0
    private var owners: [RecordID: Int] = [:]
    /// The call that each notification shows.
    private var shows: [UInt32: Int] = [:]
    /// How often something of each kind happened.
    private(set) var happened: [String: Int] = [:]
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        connect()
    }

    // MARK: A walk

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        if !isUp { reconnect(after: 1000) }
        for index in calls.indices where calls[index].state == .ringing { stop(index, .over) }
        for index in calls.indices where calls[index].state == .active { hangUp(index) }
        advance(by: 130_000)
        for (index, call) in calls.enumerated() where call.said != call.expected {
            faults.append("call \(index): said \(call.said), and not \(call.expected)")
        }
        if !keeper.calls.isEmpty { faults.append("calls are left") }
        if keeper.nextDeadline.map({ $0.nanoseconds > now * 1_000_000 }) ?? false {
            faults.append("something is still waited for")
        }
    }

    private mutating func step() {
        let ringing = calls.indices.filter { calls[$0].state == .ringing }
        let active = calls.indices.filter { calls[$0].state == .active }
        advance(by: Int64.random(in: 0...3000, using: &generator))
        switch Int.random(in: 0..<13, using: &generator) {
        case 0, 1, 2: if ringing.count < 3 { ring() }
        case 3, 4: if let index = ringing.randomElement(using: &generator) { answer(index) }
        case 5: if let index = ringing.randomElement(using: &generator) { stop(index, .missed) }
        case 6: if let index = ringing.randomElement(using: &generator) { stop(index, .over) }
        case 7: if let index = ringing.randomElement(using: &generator) { declineHere(index) }
        case 8: if let index = active.randomElement(using: &generator) { hangUp(index) }
        case 9: if let index = ringing.randomElement(using: &generator) { loseRemoval(index) }
        case 10: if let index = ringing.randomElement(using: &generator) { missLate(index) }
        case 11: disconnect()
        case _: advance(by: Int64.random(in: 0...100_000, using: &generator))
        }
    }

    private mutating func note(_ word: String) { happened[word, default: 0] += 1 }

    private mutating func newUID() -> UInt32 {
        lastUID += 1
        return lastUID
    }

    // MARK: What the people do

    private mutating func ring(from caller: String? = nil) {
        note("ring")
        calls.append(Truth(uid: newUID(), caller: caller ?? "caller \(calls.count)"))
        show(calls.count - 1)
    }

    private mutating func answer(_ index: Int) {
        prepare(index)
        note("answer")
        let ring = calls[index].uid
        calls[index].uid = newUID()
        calls[index].state = .active
        expect(index)
        arrive(.removal(.incomingCall, ring), within: 500)
        show(index)
    }

    /// It stops ringing: it is missed, or somebody declined it on the phone.
    private mutating func stop(_ index: Int, _ state: Truth.State) {
        prepare(index)
        note(state == .missed ? "missed" : "elsewhere")
        arrive(.removal(.incomingCall, calls[index].uid), within: 500)
        calls[index].uid = newUID()
        calls[index].state = state
        expect(index, state == .missed ? "missed" : "elsewhere")
        if state == .missed { show(index) }
    }

    private mutating func declineHere(_ index: Int) {
        guard isUp else { return }
        prepare(index)
        note("declined")
        guard let id = owners.first(where: { $0.value == index && keeper[$0.key] != nil })?.key
        else { return faults.append("call \(index) has no record") }
        keeper.performed(.negative, on: id, at: instant)
        drain()
        arrive(.removal(.incomingCall, calls[index].uid), within: 500)
        calls[index].uid = newUID()
        calls[index].state = .over
        expect(index, "declined")
        guard Bool.random(using: &generator) else { return }
        calls[index].state = .missed
        show(index)
        calls[index].state = .over
    }

    private mutating func hangUp(_ index: Int) {
        prepare(index)
        note("hangUp")
        arrive(.removal(.activeCall, calls[index].uid), within: 500)
        calls[index].state = .over
        expect(index, "hungUp")
    }

    /// A call stops ringing, and the phone does not say that its notification is gone.
    private mutating func loseRemoval(_ index: Int) {
        guard isUp else { return }
        prepare(index)
        calls[index].uid = newUID()
        let state = [Truth.State.over, .missed, .active].randomElement(using: &generator) ?? .over
        note("lostRemoval \(state)")
        calls[index].state = state
        switch state {
        case .ringing: break
        case .active:
            expect(index)
            show(index)
        case .missed:
            expect(index, "missed")
            show(index)
            calls[index].state = .over
            // The caller is known after 1.5 s, and 2 s later the phone is asked.
            advance(by: 3600)
        case .over:
            expect(index, "elsewhere")
            // It is asked for after 45 s at the latest, or 30 s after the last question.
            advance(by: 50_000)
        }
    }

    /// A call is missed, and the phone says so when the same person already calls again.
    private mutating func missLate(_ index: Int) {
        guard isUp else { return }
        prepare(index)
        note("missedLate")
        arrive(.removal(.incomingCall, calls[index].uid), within: 500)
        calls[index].uid = newUID()
        calls[index].state = .over
        expect(index, "elsewhere")
        advance(by: 3000)
        ring(from: calls[index].caller)
        advance(by: Int64.random(in: 0...3000, using: &generator))
        calls[index].state = .missed
        show(index)
        calls[index].state = .over
        advance(by: 4000)
    }

    /// What came before has arrived, and is settled.
    private mutating func prepare(_ index: Int) {
        advance(by: calls[index].isRead ? 0 : 2500)
    }

    /// The keeper has to say what became of a call, now if the link is up.
    private mutating func expect(_ index: Int, _ outcome: String = "") {
        guard isUp else { return }
        switch calls[index].state {
        case .ringing: calls[index].expected.append("incoming")
        case .active: calls[index].expected.append("answered")
        case .missed, .over: calls[index].expected.append("ended \(outcome)")
        }
        calls[index].shown = calls[index].state == .missed ? .over : calls[index].state
    }

    /// The phone shows a call, and the keeper has to say so.
    private mutating func show(_ index: Int, isPreExisting: Bool = false) {
        guard isUp else { return }
        let state = calls[index].state
        if state == .ringing, calls[index].shown != .ringing { expect(index) }
        if state == .active, calls[index].shown == .over { expect(index) }
        let category: CategoryID =
            state == .ringing ? .incomingCall : state == .active ? .activeCall : .missedCall
        calls[index].isRead = false
        let (uid, delay) = (calls[index].uid, Int64.random(in: 0...500, using: &generator))
        arrive(.header(index, category, uid, isPreExisting: isPreExisting), after: delay)
        arrive(
            .text(index, category, uid, isPreExisting: isPreExisting),
            after: delay + Int64.random(in: 0...1000, using: &generator))
    }

    // MARK: The link

    private mutating func connect() {
        isUp = true
        session += 1
        let description = PeerDescription(address: "A", identity: "A", digest: "ada")
        receive(.peer(Self.phone, .connected(description)))
        receive(.session(Self.phone, .started(sessionID)))
    }

    private mutating func disconnect() {
        guard isUp else { return }
        advance(by: 3000)
        note("disconnect")
        isUp = false
        wentDown = now
        arrivals = []
        receive(.session(Self.phone, .ended(sessionID, .linkEnded)))
        receive(.peer(Self.phone, .disconnected(.linkEnded)))
        // Meanwhile, people go on.
        for index in calls.indices where calls[index].state == .ringing {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: calls[index].state = .active
            case 1: calls[index].state = .missed
            case 2: calls[index].state = .over
            case _: break
            }
        }
        let isShort = Bool.random(using: &generator)
        reconnect(after: isShort ? Int64.random(in: 1...8000, using: &generator) : 15_000)
    }

    private mutating func reconnect(after duration: Int64) {
        advance(by: duration)
        let isSame = duration < 10_000
        connect()
        note(isSame ? "soon" : "late")
        for index in calls.indices {
            calls[index].uid = newUID()
            if calls[index].shown != .over {
                if !isSame || calls[index].state == .over {
                    calls[index].expected.append("ended unknown")
                    calls[index].shown = .over
                } else if calls[index].state == .missed {
                    calls[index].expected.append("ended missed")
                    calls[index].shown = .over
                } else if calls[index].shown == .ringing, calls[index].state == .active {
                    expect(index)
                }
            }
            if calls[index].state != .over { show(index, isPreExisting: true) }
            // Once told of, it is of no interest.
            if calls[index].state == .missed { calls[index].state = .over }
        }
        advance(by: 4000)
    }

    // MARK: What arrives

    private var sessionID: SessionID { SessionID(provider: Self.phone, number: session) }
    private var instant: MonotonicInstant { MonotonicInstant(nanoseconds: now * 1_000_000) }
    private var moment: RecordKeeper.Moment {
        .init(
            instant: instant,
            time: CaptureTime(microsecondsSince1970: 1_800_000_000_000_000 + now * 1000))
    }

    private mutating func arrive(_ arrival: Arrival, within limit: Int64) {
        arrive(arrival, after: Int64.random(in: 0...limit, using: &generator))
    }

    private mutating func arrive(_ arrival: Arrival, after delay: Int64) {
        guard isUp else { return }
        count += 1
        arrivals.append((now + delay, count, arrival))
    }

    private mutating func advance(by duration: Int64) {
        let end = now + duration
        while true {
            let due = keeper.nextDeadline.map { ($0.nanoseconds + 999_999) / 1_000_000 } ?? .max
            let next = arrivals.min { ($0.time, $0.number) < ($1.time, $1.number) }
            let time = min(due, next?.time ?? .max)
            guard time <= end else { break }
            now = max(now, time)
            if let next, next.time <= due {
                arrivals.removeAll { $0.number == next.number }
                arrive(next.arrival)
            } else {
                keeper.handleTimeout(at: instant)
                drain()
            }
        }
        now = end
    }

    private mutating func arrive(_ arrival: Arrival) {
        switch arrival {
        case .header(let index, let category, let uid, let isPreExisting):
            shows[uid] = index
            let header = notification(.added, category, uid, isPreExisting: isPreExisting)
            if category == .incomingCall {
                receive(.session(Self.phone, .announced(header)))
            } else {
                _ = keeper.select(header, known: .nothing, at: moment) { _, _ in
                    .decided(RuleVerdict())
                }
                drain()
            }
        case .text(let index, let category, let uid, let isPreExisting):
            if calls[index].uid == uid { calls[index].isRead = true }
            receive(
                .notification(
                    notification(.added, category, uid, of: index, isPreExisting: isPreExisting)))
        case .removal(let category, let uid):
            receive(.notification(notification(.removed, category, uid)))
        }
    }

    private func notification(
        _ event: EventID, _ category: CategoryID, _ uid: UInt32, of index: Int? = nil,
        isPreExisting: Bool = false
    ) -> ReceivedNotification {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: event, eventFlags: isPreExisting ? .preExisting : [], categoryID: category,
                notificationUID: NotificationUID(rawValue: uid)))
        if let index {
            delivery.attributes = [
                AttributeValue(.title, calls[index].caller),
                AttributeValue(.date, "20270115T1200\(10 + index)"),
            ]
        }
        return ReceivedNotification(delivery, session: sessionID)
    }

    private mutating func receive(_ event: ConsumerEvent) {
        keeper.receive(event, at: moment) { _, _ in .decided(RuleVerdict()) }
        drain()
    }

    // MARK: What is said

    private mutating func drain() {
        while let output = keeper.pollOutput() {
            switch output {
            case .event(.call(let record, let event)): hear(event, record)
            case .ask(let id, let session, let uid):
                note("asked")
                let isThere = calls.contains {
                    $0.uid == uid.rawValue && ($0.state == .ringing || $0.state == .active)
                }
                keeper.receive(isThere ? .there : .gone, of: id, in: session, at: instant)
            case .event, .perform, .log: break
            }
        }
    }

    private mutating func hear(_ event: CallEvent, _ record: Record) {
        if owners[record.id] == nil { owners[record.id] = shows[record.notification.uid.rawValue] }
        guard let owner = owners[record.id] else {
            return faults.append("\(event) of no call")
        }
        calls[owner].said.append(
            event.rawValue + (record.outcome.map { " \($0.rawValue)" } ?? ""))
    }
}
