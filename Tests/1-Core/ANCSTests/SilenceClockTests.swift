import Octets
import Testing

@testable import ANCS

@Suite("The clocks of a session that watches its provider")
struct SilenceClockTests {
    private static func watch(silence seconds: Int64 = 180) -> SessionWatch {
        var probing = ConsumerSession.Probing()
        probing.silence = .seconds(seconds)
        var watch = SessionWatch(probing, liveness: .live)
        watch.started(at: .zero)
        return watch
    }

    @Test("a silence ends the session at its limit and no sooner (S27)")
    func limit() {
        var watch = Self.watch(silence: 2)
        #expect(watch.nextDeadline == .seconds(2))
        #expect(
            watch.handleTimeout(at: MonotonicInstant.seconds(2).advanced(nanoseconds: -1)) == nil)
        #expect(watch.handleTimeout(at: .seconds(2)) == .renew(.silent))
        #expect(watch.nextDeadline == .seconds(4))
    }

    @Test("the silence of a provider that refuses begins again at its limit (S1)")
    func refusal() {
        var watch = Self.watch(silence: 2)
        watch.writeAnswered(.writeNotPermitted, at: .zero)
        #expect(watch.handleTimeout(at: .seconds(2)) == nil)
        #expect(watch.nextDeadline == .seconds(4))
        #expect(watch.handleTimeout(at: .seconds(4)) == nil)
        // The probe is due before the next limit.
        #expect(watch.nextDeadline == .seconds(5))
        #expect(watch.handleTimeout(at: .seconds(5)) == .probe)
    }

    @Test("a pending request stops the silence, which goes on where it stood")
    func request() {
        var watch = Self.watch(silence: 4)
        watch.writeAnswered(nil, at: .zero)
        watch.setAsking(true, at: .seconds(1))
        #expect(watch.nextDeadline == .seconds(900))
        watch.setAsking(true, at: .seconds(2))
        watch.setAsking(false, at: .seconds(2))
        #expect(watch.nextDeadline == .seconds(5))
        watch.setAsking(false, at: .seconds(3))
        #expect(watch.nextDeadline == .seconds(5))
    }

    @Test("an announcement begins the silence again")
    func announcement() {
        var watch = Self.watch(silence: 3)
        watch.notificationSourceReceived(at: .seconds(1))
        #expect(watch.nextDeadline == .seconds(4))
    }

    @Test("a provider that has not answered is probed again after the first interval")
    func unknown() {
        var watch = Self.watch()
        for second in [5, 10, 15] as [Int64] {
            #expect(watch.nextDeadline == .seconds(second))
            #expect(watch.handleTimeout(at: .seconds(second)) == .probe)
        }
    }

    @Test("the interval of a provider that refuses is short again in the next session")
    func nextSession() {
        var watch = Self.watch(silence: 1_000)
        watch.writeAnswered(.writeNotPermitted, at: .zero)
        for second in [5, 15, 35] as [Int64] {
            #expect(watch.handleTimeout(at: .seconds(second)) == .probe)
        }
        watch.stopped()
        #expect(watch.nextDeadline == nil)
        watch.started(at: .seconds(100))
        #expect(watch.handleTimeout(at: .seconds(105)) == .probe)
        #expect(watch.nextDeadline == .seconds(115))
    }

    @Test("the interval of a provider that refuses is short again after consent")
    func consent() {
        var watch = Self.watch(silence: 10_000)
        watch.writeAnswered(.writeNotPermitted, at: .zero)
        for second in [5, 15, 35] as [Int64] {
            #expect(watch.handleTimeout(at: .seconds(second)) == .probe)
        }
        watch.writeAnswered(nil, at: .seconds(36))
        #expect(watch.nextDeadline == .seconds(936))
        watch.writeAnswered(.writeNotPermitted, at: .seconds(40))
        #expect(watch.nextDeadline == .seconds(45))
    }

    @Test("an error that is not of the service says nothing about consent and moves no probe")
    func otherError() {
        var watch = Self.watch()
        watch.writeAnswered(ControlPointError(rawValue: 0x0D), at: .seconds(3))
        #expect(watch.authorization == .unknown)
        #expect(watch.nextDeadline == .seconds(5))
        watch.writeAnswered(.invalidParameter, at: .seconds(3))
        #expect(watch.authorization == .authorized)
        #expect(watch.nextDeadline == .seconds(180))
    }
}
