import Octets
import Testing

@testable import ANCS

@Suite("The count of silences")
struct SilenceCountTests {
    private static func watch(
        tolerated: Int = 3, liveness: ConsumerSession.Liveness = .live
    ) -> SessionWatch {
        var probing = ConsumerSession.Probing()
        probing.toleratedSilences = tolerated
        var watch = SessionWatch(probing, liveness: liveness)
        watch.started(at: .zero)
        return watch
    }

    @Test("a session renews its subscriptions at the last silence that it does not tolerate")
    func count() {
        var watch = Self.watch()
        #expect(watch.silence() == .readDataSource)
        #expect(watch.silence() == nil)
        #expect(watch.silence() == .renew(.unanswered))
        #expect(watch.liveness == .suspect)
    }

    @Test("the count begins at nothing after a renewal")
    func renewal() {
        var watch = Self.watch()
        for _ in 1...3 { _ = watch.silence() }
        for _ in 1...2 {
            #expect(watch.silence() == nil)
            #expect(watch.liveness == .suspect)
        }
        #expect(watch.silence() == nil)
        #expect(watch.liveness == .wedged)
    }

    @Test("an answer ends the count and the doubt")
    func answer() {
        var watch = Self.watch()
        for _ in 1...2 {
            #expect(watch.silence() == .readDataSource)
            #expect(watch.silence() == nil)
            #expect(watch.doubtsDataSource)
            watch.answerBegun()
            #expect(!watch.doubtsDataSource)
        }
        #expect(watch.liveness == .live)
    }

    @Test("a session counts no silence that precedes its start")
    func start() {
        var probing = ConsumerSession.Probing()
        probing.toleratedSilences = 2
        var watch = SessionWatch(probing, liveness: .live)
        #expect(watch.silence() == .readDataSource)
        watch.started(at: .zero)
        #expect(watch.silence() == nil)
        #expect(watch.silence() == .renew(.unanswered))
    }

    @Test("a command without a response raises no doubt of the Data Source")
    func withoutResponse() {
        var watch = Self.watch()
        #expect(watch.silence(isWritten: false) == nil)
        #expect(!watch.doubtsDataSource)
        #expect(watch.silence() == .readDataSource)
        #expect(watch.doubtsDataSource)
    }

    @Test("a response ends a silence of the Control Point")
    func response() {
        var watch = Self.watch(tolerated: 1)
        #expect(watch.silence(isWritten: false) == .renew(.unanswered))
        #expect(watch.liveness == .suspect)
        watch.writeAnswered(nil, at: .zero)
        #expect(watch.liveness == .live)
    }

    @Test("a response does not end a silence of the Data Source")
    func dataSource() {
        var watch = Self.watch(tolerated: 1)
        #expect(watch.silence() == .renew(.unanswered))
        watch.writeAnswered(nil, at: .zero)
        watch.writeAnswered(.writeNotPermitted, at: .zero)
        #expect(watch.liveness == .suspect)
    }

    @Test("a refusal ends the doubt of an earlier link, and an accepted command does not")
    func earlierLink() {
        var watch = Self.watch(liveness: .suspect)
        watch.writeAnswered(nil, at: .zero)
        #expect(watch.liveness == .suspect)
        watch.writeAnswered(.writeNotPermitted, at: .zero)
        #expect(watch.liveness == .live)
    }

    @Test("a response shows that a mute phone lives")
    func mute() {
        var watch = Self.watch()
        #expect(watch.isMute() == .renew(.unanswered))
        #expect(watch.liveness == .suspect)
        watch.writeAnswered(nil, at: .zero)
        #expect(watch.liveness == .live)
    }

    @Test("a session that does not probe counts no silence")
    func off() {
        var watch = SessionWatch(nil, liveness: .live)
        watch.started(at: .zero)
        for _ in 1...9 { #expect(watch.silence() == nil) }
        #expect(watch.isMute() == nil)
        #expect(watch.liveness == .live)
        #expect(watch.nextDeadline == nil)
    }

    @Test("a silence brings the next probe forward, and never postpones it")
    func probe() {
        var watch = Self.watch()
        watch.writeAnswered(nil, at: .zero)
        #expect(watch.nextDeadline == .seconds(900))
        #expect(watch.silence(at: .seconds(10)) == .readDataSource)
        #expect(watch.nextDeadline == .seconds(15))
        #expect(watch.silence(at: .seconds(12)) == nil)
        #expect(watch.nextDeadline == .seconds(15))
    }
}

extension SessionWatch {
    /// A command is not answered.
    fileprivate mutating func silence(
        isWritten: Bool = true, at now: MonotonicInstant = .zero
    ) -> Action? {
        unanswered(isWritten: isWritten, at: now)
    }
}
