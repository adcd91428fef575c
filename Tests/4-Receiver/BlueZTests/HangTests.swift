import ANCSEvents
import ANCS
import DBus
import Octets
import Testing

@testable import BlueZ

/// bluetoothd that does not answer: a request of its own waits for ever, and all others behind it (5.66).
@Suite struct HangTests {
    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let data = "AcquireNotify dev_1/service0010/char0016"

    /// A session that subscribes to the Notification Source.
    private static func subscribing() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        comeBack(to: bench, 1)
        return bench
    }

    private static func comeBack(to bench: Bench, _ phone: UInt64) {
        bench.connect()
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: phone)
        bench.answer(data, .descriptor(Bench.descriptor))
        bench.request(.subscribe(.notificationSource), of: phone)
    }

    @Test func theLinkIsEndedOnceAndThePhoneComesBackAndIsServed() {
        let bench = Self.subscribing()
        let lines = bench.lose(Self.source)
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(lines.calls == ["Disconnect dev_1"])
        #expect(bench.sockets.isEmpty)
        #expect(bench.answer("Disconnect dev_1").isEmpty)
        #expect(bench.disconnect().phoneEvents == [.disconnected(.bluetoothdHung)])
        Self.comeBack(to: bench, 2)
        #expect(bench.answer(Self.source) == [.report(2, .subscribed(.notificationSource))])
        // A session stood: another hang is another one.
        bench.request(.writeControlPoint([0]), of: 2)
        let later = bench.lose("WriteValue dev_1/service0010/char0014")
        #expect(later.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(later.calls.contains("Disconnect dev_1"))
    }

    @Test func aSecondHangInARowIsNamedAndTheLinkIsLeftAlone() {
        let bench = Self.subscribing()
        bench.lose(Self.source)
        bench.disconnect()
        Self.comeBack(to: bench, 2)
        let lines = bench.lose(Self.source)
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: false)])
        #expect(!lines.calls.contains("Disconnect dev_1"))
        #expect(bench.request(.subscribe(.dataSource), of: 2).isEmpty)
        // What is still said of it changes nothing.
        #expect(bench.broadcast([1]).isEmpty)
        #expect(bench.resolve().isEmpty)
        #expect(bench.wait(.seconds(600)).phoneEvents.isEmpty)
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        // The third time as the second, until a session stands.
        Self.comeBack(to: bench, 3)
        #expect(bench.lose(Self.source).phoneEvents == [.unavailable, .hung(isEnded: false)])
    }

    @Test func aLinkThatCannotBeEndedHangs() {
        let bench = Self.subscribing()
        bench.lose(Self.source)
        #expect(
            bench.refuse("Disconnect dev_1", "NotConnected").phoneEvents == [.hung(isEnded: false)])
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
    }

    @Test func aLinkThatDoesNotEndAlthoughBluetoothdSaysSoHangs() {
        let bench = Self.subscribing()
        bench.lose(Self.source)
        bench.answer("Disconnect dev_1")
        #expect(bench.wait(.seconds(10)).phoneEvents == [.hung(isEnded: false)])
    }

    @Test(arguments: [true, false])
    func aSocketThatNeverComesWhileBluetoothdWaitsForItIsTheSame(isAnswered: Bool) {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        #expect(bench.lose(Self.data) == [.call(Self.data)])
        let lines =
            isAnswered
            ? bench.refuse(Self.data, "NotPermitted", "Notify acquired") : bench.lose(Self.data)
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(lines.calls == ["Disconnect dev_1"])
    }

    /// Where texts may be broadcast, that is tried.
    @Test func bluetoothdMayBeAskedForABroadcastBeforeThatIsKnown() {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.allowsTextsOnBus = true
        let bench = Bench(configuration)
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        #expect(bench.lose(Self.data) == [.call("StartNotify dev_1/service0010/char0016")])
        let lines = bench.refuse(
            "StartNotify dev_1/service0010/char0016", "NotPermitted", "Notify acquired")
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
    }

    @Test func aHangWhileLeavingIsTheEndOfLeaving() {
        let bench = Self.subscribing()
        #expect(bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }.phoneEvents.isEmpty)
        #expect(bench.lose(Self.source).phoneEvents == [.disconnected(.left)])
        #expect(bench.pending.filter { $0.text == "Disconnect dev_1" }.isEmpty)
    }

    @Test func bluetoothdThatEndsMeanwhileEndsThePhoneToo() {
        let bench = Self.subscribing()
        bench.lose(Self.source)
        #expect(bench.daemonEnds().phoneEvents == [.disconnected(.bluetoothGone)])
        #expect(bench.finish("Disconnect dev_1", .failure(BusError(BusError.noReply))).isEmpty)
    }
}
