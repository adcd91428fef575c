import HCITransports
import LinuxIO
import Octets
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The keeper of records")
struct RecordKeeperTests {
    private static let ada = PhoneID(rawValue: 1)
    private static let firstSession = SessionID(provider: ada, number: 1)
    private static let secondSession = SessionID(provider: ada, number: 2)

    /// A keeper, and the time.
    private struct Bench: ~Copyable {
        var keeper = RecordKeeper(name: "Desk")
        var seconds: Int64 = 0
        var judgement: Evaluation = .decided(RuleVerdict())

        var now: RecordKeeper.Moment {
            .init(
                instant: MonotonicInstant(nanoseconds: seconds * 1_000_000_000),
                time: CaptureTime(
                    microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000))
        }

        mutating func receive(_ events: ConsumerEvent...) -> [String] {
            let (now, judgement) = (now, judgement)
            for event in events { keeper.receive(event, at: now) { _, _ in judgement } }
            return drain()
        }

        mutating func wait(_ duration: Int64) -> [String] {
            seconds += duration
            keeper.handleTimeout(at: now.instant)
            return drain()
        }

        /// What the sinks are told of records, in a line each; records are numbered as they come.
        mutating func drain() -> [String] {
            var lines: [String] = []
            while let output = keeper.pollOutput() {
                if let line = line(output) { lines.append(line) }
            }
            return lines
        }

        private var names: [RecordID] = []

        private mutating func name(_ id: RecordID) -> String {
            if !names.contains(id) { names.append(id) }
            return "#\((names.firstIndex(of: id) ?? 0) + 1)"
        }

        private mutating func line(_ output: RecordKeeper.Output) -> String? {
            switch output {
            case .event(.removed(let record, let reason)):
                return "removed \(name(record.id)) \(reason.rawValue)"
            case .event(let event):
                guard let (record, kind) = event.record else { return nil }
                let same = record.sameAs.map { " same as \(name($0))" } ?? ""
                let outcome = record.outcome.map { " \($0.rawValue)" } ?? ""
                return "\(kind) \(name(record.id)) \(record.notification.title)" + same + outcome
            case .perform(let action, let id): return "perform \(action.description) \(name(id))"
            case .ask(let id, _, _): return "ask \(name(id))"
            case .log(let text): return "log \(text)"
            }
        }
    }

    /// A phone that has a session.
    private func connected() -> Bench {
        var bench = Bench()
        let description = PeerDescription(address: "A", identity: "A", digest: "ada")
        _ = bench.receive(
            .peer(Self.ada, .connected(description)),
            .session(Self.firstSession.provider, .started(Self.firstSession)))
        return bench
    }

    private func notification(
        _ event: EventID, _ uid: UInt32, _ title: String = "", _ category: CategoryID = .other,
        in session: SessionID = firstSession,
        change: (inout NotificationFeed.Delivery) -> Void = { _ in }
    ) -> ReceivedNotification {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: event, eventFlags: [.negativeAction], categoryID: category,
                notificationUID: NotificationUID(rawValue: uid)))
        if event != .removed, !title.isEmpty {
            delivery.attributes = [
                AttributeValue(.appIdentifier, "com.example"), AttributeValue(.title, title),
            ]
        }
        change(&delivery)
        return ReceivedNotification(delivery, session: session)
    }

    @Test("a notification is added, modified and removed under one name")
    func life() {
        var bench = connected()
        #expect(bench.receive(.notification(notification(.added, 7, "Ada"))) == ["added #1 Ada"])
        #expect(
            bench.receive(.notification(notification(.modified, 7, "Bob"))) == ["modified #1 Bob"])
        #expect(
            bench.receive(.notification(notification(.removed, 7))) == ["removed #1 removed"])
        #expect(bench.keeper.records.isEmpty)
    }

    @Test("records are in the order of their announcements, though the last one may come first")
    func announcements() {
        var bench = connected()
        for number in [3, 2, 1] as [UInt32] {
            _ = bench.receive(
                .notification(
                    notification(.added, 10 - number, "\(number)", .social) {
                        $0.announcementNumber = UInt64(number)
                        $0.source.categoryCount = UInt8(number)
                    }))
        }
        #expect(bench.keeper.records.map(\.notification.title) == ["1", "2", "3"])
        #expect(bench.keeper.phones.first?.counts == ["social": 3])
        // A later one is later, and has the last word.
        _ = bench.receive(
            .notification(
                notification(.added, 1, "4", .social) {
                    $0.announcementNumber = 4
                    $0.source.categoryCount = 4
                }))
        #expect(bench.keeper.records.map(\.notification.title) == ["1", "2", "3", "4"])
        #expect(bench.keeper.phones.first?.counts == ["social": 4])
        // Another session on the same link counts from 1.
        _ = bench.receive(
            .session(Self.ada, .ended(Self.firstSession, .serviceGone)),
            .session(Self.ada, .started(Self.secondSession)),
            .notification(
                notification(.added, 1, "4", .social, in: Self.secondSession) {
                    $0.announcementNumber = 1
                    $0.source.categoryCount = 2
                }))
        #expect(bench.keeper.phones.first?.counts == ["social": 2])
    }

    @Test("a removal has its own time, and the count that came with it")
    func removal() throws {
        var bench = connected()
        bench.keeper.receive(.notification(notification(.added, 7, "Ada")), at: bench.now) { _, _ in
            .decided(RuleVerdict())
        }
        _ = bench.drain()
        bench.seconds += 60
        let removal = notification(.removed, 7) { $0.source.categoryCount = 3 }
        bench.keeper.receive(.notification(removal), at: bench.now) { _, _ in
            .decided(RuleVerdict())
        }
        guard case .event(.removed(let record, .removed))? = bench.keeper.pollOutput() else {
            return #expect(Bool(false), "it was not removed")
        }
        #expect(record.time == bench.now.time)
        #expect(record.notification.delivery.source.categoryCount == 3)
    }

    @Test("a call has its name from its announcement on")
    func call() {
        var bench = connected()
        let ringing = notification(.added, 7, "", .incomingCall)
        #expect(bench.receive(.session(Self.ada, .announced(ringing))) == ["announced #1 "])
        #expect(
            bench.receive(.notification(notification(.added, 7, "Ada", .incomingCall)))
                == ["added #1 Ada"])
    }

    @Test("a call that a rule may mute is reported once that is decided")
    func heldCall() {
        var bench = connected()
        bench.judgement = .undecided(need: .app, provisional: RuleVerdict(), mayBeMuted: true)
        #expect(
            bench.receive(
                .session(Self.ada, .announced(notification(.added, 7, "", .incomingCall)))) == [])
        #expect(bench.keeper.records.isEmpty)
        bench.judgement = .decided(RuleVerdict())
        #expect(
            bench.receive(.notification(notification(.added, 7, "Ada", .incomingCall)))
                == ["added #1 Ada"])
        // One that is removed before was never told of.
        bench.judgement = .undecided(need: .app, provisional: RuleVerdict(), mayBeMuted: true)
        #expect(
            bench.receive(
                .session(Self.ada, .announced(notification(.added, 8, "", .incomingCall)))) == [])
        #expect(bench.receive(.notification(notification(.removed, 8))) == [])
    }

    @Test(
        "a call that its app does not mute is announced as soon as its app is known",
        arguments: [true, false])
    func heldForItsApp(isHeaderFirst: Bool) {
        var bench = connected()
        let judge: RecordKeeper.Judge = { record, known in
            let isKnown = record.notification[.appIdentifier] != nil && known >= .app
            return isKnown
                ? .decided(RuleVerdict())
                : .undecided(need: .app, provisional: RuleVerdict(), mayBeMuted: true)
        }
        let header = notification(.added, 7, "", .incomingCall)
        let withApp = notification(.added, 7, "", .incomingCall) {
            $0.attributes = [AttributeValue(.appIdentifier, "com.apple.mobilephone")]
        }
        let now = bench.now
        #expect(bench.keeper.select(header, known: .nothing, at: now, judge: judge) == .app)
        // What the feed asks may be read before what it announces, or after it.
        if isHeaderFirst {
            bench.keeper.receive(
                .session(Self.ada, .announced(header)), at: now, judge: judge)
        }
        #expect(bench.keeper.select(withApp, known: .app, at: now, judge: judge) == .everything)
        if !isHeaderFirst {
            bench.keeper.receive(
                .session(Self.ada, .announced(header)), at: now, judge: judge)
        }
        #expect(bench.drain() == ["announced #1 "])
        #expect(
            bench.receive(.notification(notification(.added, 7, "Ada", .incomingCall)))
                == ["added #1 Ada"])
    }

    @Test("the identifier given at the header is that of the record")
    func nameAtHeader() throws {
        var bench = connected()
        let header = notification(.added, 7)
        var seen: [RecordID] = []
        let need = bench.keeper.select(header, known: .nothing, at: bench.now) { record, _ in
            seen.append(record.id)
            return .undecided(need: .app, provisional: RuleVerdict(), mayBeMuted: false)
        }
        #expect(need == .app)
        let muted = bench.keeper.select(
            notification(.added, 7, "x"), known: .app, at: bench.now
        ) { record, known in
            seen.append(record.id)
            #expect(known == .app)
            var verdict = RuleVerdict()
            verdict.isMuted = true
            return .decided(verdict)
        }
        #expect(muted == .nothing)
        _ = bench.receive(.notification(notification(.added, 7, "Ada")))
        #expect(Set(seen + bench.keeper.records.map(\.id)).count == 1)
    }

    @Test(
        "a notification that was muted before its text was fetched stays so, and is not judged without it"
    )
    func mutedUnread() {
        var bench = connected()
        var verdict = RuleVerdict()
        (verdict.isMuted, verdict.isRemembered, verdict.rule) = (true, false, "night")
        let mute = Evaluation.decided(verdict)
        let header = notification(.added, 7)
        #expect(
            bench.keeper.select(header, known: .nothing, at: bench.now) { _, _ in mute } == .nothing
        )
        _ = bench.receive(.notification(header))
        #expect(bench.keeper.records.map(\.verdict) == [verdict])
        // Once its text is fetched, it is judged by that.
        let again = notification(.modified, 7)
        _ = bench.keeper.select(again, known: .nothing, at: bench.now) { _, _ in mute }
        _ = bench.keeper.select(again, known: .nothing, at: bench.now) { _, _ in
            .decided(RuleVerdict())
        }
        _ = bench.receive(.notification(notification(.modified, 7, "Ada")))
        #expect(bench.keeper.records.map(\.verdict) == [RuleVerdict()])
    }

    @Test("a notification that is added again in the same session is another record")
    func addedAgain() {
        var bench = connected()
        _ = bench.receive(.notification(notification(.added, 7, "Ada")))
        // The feed asks about the second one before the removal of the first was read.
        let now = bench.now
        _ = bench.keeper.select(notification(.added, 8), known: .nothing, at: now) { _, _ in
            .decided(RuleVerdict())
        }
        #expect(bench.receive(.notification(notification(.removed, 7))) == ["removed #1 removed"])
        #expect(bench.receive(.notification(notification(.added, 7, "Ada"))) == ["added #2 Ada"])
    }

    @Test("a notification that is announced again in the next session replaces the earlier record")
    func sameAgain() {
        var bench = connected()
        _ = bench.receive(
            .notification(notification(.added, 7, "Ada")),
            .notification(notification(.added, 8, "Bob")),
            .session(Self.firstSession.provider, .ended(Self.firstSession, .linkEnded)),
            .peer(Self.ada, .disconnected(.linkEnded)))
        #expect(bench.wait(59) == [])
        let description = PeerDescription(address: "A", identity: "A", digest: "ada")
        _ = bench.receive(
            .peer(Self.ada, .connected(description)),
            .session(Self.secondSession.provider, .started(Self.secondSession)))
        #expect(
            bench.receive(.notification(notification(.added, 1, "Ada", in: Self.secondSession)))
                == ["added #3 Ada same as #1", "removed #1 replaced"])
        // The other one did not come again, and the new session is as old as the patience is long.
        #expect(bench.wait(59) == [])
        #expect(bench.wait(1) == ["removed #2 away"])
        #expect(bench.keeper.records.map(\.notification.title) == ["Ada"])
    }

    @Test("two equal notifications in one session are two records")
    func twins() {
        var bench = connected()
        #expect(
            bench.receive(
                .notification(notification(.added, 7, "Ada")),
                .notification(notification(.added, 8, "Ada")))
                == ["added #1 Ada", "added #2 Ada"])
    }

    @Test("a phone that stays away for a minute takes its notifications with it")
    func away() {
        var bench = connected()
        _ = bench.receive(
            .notification(notification(.added, 7, "Ada")),
            .session(Self.firstSession.provider, .ended(Self.firstSession, .linkEnded)))
        let id = bench.keeper.records[0].id
        #expect(throws: ServiceError.self) { try bench.keeper.target(of: id) }
        #expect(bench.wait(60) == ["removed #1 away"])
        #expect(bench.keeper.nextDeadline == nil)
    }

    /// A call that rings, with its text.
    private func ringing(_ bench: inout Bench, _ uid: UInt32 = 7, _ caller: String = "Ada") {
        _ = bench.receive(
            .session(Self.ada, .announced(notification(.added, uid, "", .incomingCall))),
            .notification(notification(.added, uid, caller, .incomingCall)))
    }

    @Test("a call that rings again after a short loss of the link is the same one")
    func shortLoss() {
        var bench = connected()
        ringing(&bench)
        #expect(
            bench.receive(
                .session(Self.ada, .ended(Self.firstSession, .linkEnded)),
                .peer(Self.ada, .disconnected(.linkEnded))) == [])
        #expect(bench.wait(9) == [])
        let again = Self.secondSession
        let header = notification(.added, 1, "", .incomingCall, in: again)
        let description = PeerDescription(address: "A", identity: "A", digest: "ada")
        #expect(
            bench.receive(
                .peer(Self.ada, .connected(description)), .session(Self.ada, .started(again)),
                .session(Self.ada, .announced(header))) == [])
        let target = bench.keeper.records.first.flatMap { try? bench.keeper.target(of: $0.id) }
        #expect(target?.session == again && target?.uid == NotificationUID(rawValue: 1))
        #expect(
            bench.receive(.notification(notification(.added, 1, "Ada", .incomingCall, in: again)))
                == ["modified #1 Ada"])
        #expect(
            bench.receive(.notification(notification(.removed, 1, in: again)))
                == ["removed #1 removed"])
        #expect(bench.wait(2) == ["ended #1 Ada elsewhere"])
        #expect(bench.wait(100) == [])
    }

    @Test("after a longer loss it is over, and a call that rings with another caller is another")
    func longLoss() {
        var bench = connected()
        ringing(&bench)
        _ = bench.receive(.session(Self.ada, .ended(Self.firstSession, .linkEnded)))
        #expect(bench.wait(10) == ["ended #1 Ada unknown", "removed #1 away"])
        let again = Self.secondSession
        _ = bench.receive(.session(Self.ada, .started(again)))
        _ = bench.receive(
            .session(Self.ada, .announced(notification(.added, 1, "", .incomingCall, in: again))),
            .notification(notification(.added, 1, "Ada", .incomingCall, in: again)),
            .session(Self.ada, .ended(again, .linkEnded)))
        let third = SessionID(provider: Self.ada, number: 3)
        let header = notification(.added, 1, "", .incomingCall, in: third)
        #expect(
            bench.receive(
                .session(Self.ada, .started(third)), .session(Self.ada, .announced(header))) == [])
        #expect(
            bench.receive(.notification(notification(.added, 1, "Bob", .incomingCall, in: third)))
                == ["removed #2 away", "ended #2 Ada same as #1 unknown", "added #3 Bob"])
    }

    @Test("two calls that ring again are told apart by their callers, and not before")
    func twoLost() {
        var bench = connected()
        ringing(&bench, 7, "Ada")
        ringing(&bench, 8, "Bob")
        _ = bench.receive(.session(Self.ada, .ended(Self.firstSession, .linkEnded)))
        let again = Self.secondSession
        _ = bench.receive(.session(Self.ada, .started(again)))
        let events: [(UInt32, String)] = [(1, "Bob"), (2, "Ada")]
        for (uid, _) in events {
            let header = notification(.added, uid, "", .incomingCall, in: again)
            #expect(bench.receive(.session(Self.ada, .announced(header))) == [])
        }
        let lines = events.map { uid, caller in
            bench.receive(
                .notification(notification(.added, uid, caller, .incomingCall, in: again)))
        }
        #expect(lines == [["modified #2 Bob"], ["modified #1 Ada"]])
    }

    @Test("a call whose removal was lost is asked for, and ends without a proof")
    func lostRemoval() {
        var bench = connected()
        ringing(&bench)
        let id = bench.keeper.records[0].id
        #expect(bench.wait(44) == [])
        #expect(bench.wait(1) == ["ask #1"])
        bench.keeper.receive(.unknown, of: id, in: Self.firstSession, at: bench.now.instant)
        #expect(bench.wait(29) == [])
        #expect(bench.wait(1) == ["ask #1"])
        bench.keeper.receive(.there, of: id, in: Self.firstSession, at: bench.now.instant)
        #expect(bench.wait(30) == ["ask #1"])
        bench.keeper.receive(.gone, of: id, in: Self.firstSession, at: bench.now.instant)
        #expect(bench.drain() == ["removed #1 removed"])
        #expect(bench.wait(2) == ["ended #1 Ada elsewhere"])
        ringing(&bench, 9, "Bob")
        let asked = [45, 30, 30].flatMap { bench.wait($0) }
        #expect(asked == ["ask #2", "ask #2", "ask #2"])
        #expect(bench.wait(14) == [])
        #expect(bench.wait(1) == ["ended #2 Bob unknown", "removed #2 away"])
        #expect(bench.keeper.nextDeadline == nil)
    }

    @Test("a refusal with 0xA2 says that the notification is gone, any other failure nothing")
    func proofs() {
        #expect(RecordKeeper.Proof(RequestError(.refused(.invalidParameter))) == .gone)
        #expect(RecordKeeper.Proof(RequestError(.removed)) == .gone)
        for code in [
            RequestError.Code.timedOut, .sessionEnded, .notConnected, .evicted,
            .refused(.invalidCommand), .contentUnavailable,
        ] { #expect(RecordKeeper.Proof(RequestError(code)) == .unknown) }
    }

    @Test("an answered call is told so at the header of the active one, and ends with it")
    func answeredCall() {
        var bench = connected()
        ringing(&bench)
        _ = bench.receive(.notification(notification(.removed, 7)))
        let header = notification(.added, 8, "", .activeCall)
        _ = bench.keeper.select(header, known: .nothing, at: bench.now) { _, _ in
            .decided(RuleVerdict())
        }
        #expect(bench.drain() == ["answered #1 Ada"])
        #expect(
            bench.receive(.notification(notification(.added, 8, "Ada", .activeCall)))
                == ["added #2 Ada"])
        #expect(
            bench.receive(.notification(notification(.removed, 8)))
                == ["removed #2 removed", "ended #1 Ada hungUp"])
    }

    @Test("a modification whose text cannot be fetched keeps the earlier text")
    func textKept() {
        var bench = connected()
        _ = bench.receive(.notification(notification(.added, 7, "Ada")))
        let failed = notification(.modified, 7) { $0.failure = .timedOut }
        #expect(bench.receive(.notification(failed)) == ["modified #1 Ada"])
    }

    @Test("a rule's actions are performed once, and not for pre-existing notifications")
    func ruleActs() {
        var bench = connected()
        var verdict = RuleVerdict()
        verdict.action = .negative
        bench.judgement = .decided(verdict)
        #expect(
            bench.receive(.notification(notification(.added, 7, "Ada", .incomingCall)))
                == ["added #1 Ada", "perform negative #1"])
        #expect(
            bench.receive(.notification(notification(.modified, 7, "Bob", .incomingCall)))
                == ["modified #1 Bob"])
        let old = notification(.added, 8, "Old") { $0.isPreExisting = true }
        #expect(bench.receive(.notification(old)) == ["added #2 Old"])
    }

    @Test("a phone that announces without end has no more records than the limit")
    func bounded() {
        var bench = connected()
        for uid in 0..<9000 {
            _ = bench.receive(.notification(notification(.added, UInt32(uid), "n\(uid)")))
        }
        #expect(bench.keeper.records.count == 8192)
        #expect(bench.keeper.records.last?.notification.title == "n8999")
    }

    @Test("all records are removed at the end")
    func end() {
        var bench = connected()
        _ = bench.receive(.notification(notification(.added, 7, "Ada")))
        bench.keeper.end()
        #expect(bench.drain() == ["removed #1 away"])
    }

    @Test("a phone that has a bond is known before it comes, and not twice")
    func bonded() {
        var bench = Bench()
        bench.keeper.know([
            BondedPeer(digest: "a0", name: "Ada's"), BondedPeer(digest: "b0"),
        ])
        #expect(bench.keeper.phones.map(\.state) == [.away, .away])
        #expect(bench.keeper.phones.map(\.phone.name) == ["Ada's", nil])
        let description = PeerDescription(address: "F0", identity: nil, digest: "a0")
        _ = bench.receive(.peer(Self.ada, .connected(description)))
        bench.keeper.know([BondedPeer(digest: "a0", name: "Ada's")])
        #expect(bench.keeper.phones.map(\.state) == [.connected, .away])
        #expect(bench.keeper.phones.first?.phone.name == "Ada's")
    }

    @Test("a forgotten phone has no records, even before its link has ended")
    func forgotten() throws {
        var bench = connected()
        _ = bench.receive(.notification(notification(.added, 1, "Ada")))
        let digest = try #require(bench.keeper.phones.first?.phone.digest)
        bench.keeper.forget(digest)
        var events: [ServiceEvent] = []
        while let output = bench.keeper.pollOutput() {
            if case .event(let event) = output { events.append(event) }
        }
        guard case .removed(_, .away) = events.first, case .forgotten(let phone) = events.last
        else {
            Issue.record("the record is removed, then the phone: \(events)")
            return
        }
        #expect(phone.digest == digest && events.count == 2)
        #expect(bench.keeper.phones.isEmpty && bench.keeper.records.isEmpty)
        #expect(bench.receive(.notification(notification(.added, 2, "Late"))).isEmpty)
        #expect(
            bench.receive(.session(Self.ada, .announced(notification(.added, 3, "Late")))).isEmpty)
        _ = bench.receive(
            .session(Self.firstSession.provider, .ended(Self.firstSession, .linkEnded)))
        _ = bench.receive(.peer(Self.ada, .disconnected(.linkEnded)))
        #expect(bench.keeper.phones.isEmpty && bench.keeper.records.isEmpty)
    }
}
