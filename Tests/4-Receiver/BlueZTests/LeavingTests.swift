import ANCSEvents
import ANCS
import DBus
import Octets
import Testing

@testable import BlueZ

/// The end of a session whose link goes on, for it is the hotspot's and the headset's too.
@Suite struct LeavingTests {
    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let stop = "StopNotify dev_1/service0010/char0011"

    @discardableResult
    private static func leave(_ bench: Bench) -> [Bench.Line] {
        bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }
    }

    private static func serving() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.serve()
        return bench
    }

    @Test func whatIsSubscribedToIsUnsubscribedFromAndThatIsAwaited() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        #expect(Self.leave(bench) == [.call(Self.stop), .close(socket)])
        #expect(bench.broadcast([1]).isEmpty)
        #expect(bench.answer(Self.stop).phoneEvents == [.disconnected(.left)])
        #expect(bench.pending.filter { $0.text == "Disconnect dev_1" }.isEmpty)
    }

    @Test func anAnswerThatDoesNotComeIsNotWaitedForLong() {
        let bench = Self.serving()
        Self.leave(bench)
        let lines = bench.lose(Self.stop)
        #expect(lines.phoneEvents == [.disconnected(.left)])
        #expect(bench.now == .zero + .seconds(2))
    }

    @Test func aPhoneThatWasLeftIsNotAdoptedBeforeItConnectsAgain() {
        let bench = Self.serving()
        Self.leave(bench)
        bench.answer(Self.stop)
        #expect(bench.resolve().isEmpty)
        #expect(bench.changeDevice("dev_1", ["Name": .string("Nina")]).isEmpty)
        #expect(bench.broadcast([1]).isEmpty)
        bench.disconnect()
        #expect(
            bench.connect().phoneEvents == [
                .connected(address: "C0:FF:EE:00:00:01", identity: "C0:FF:EE:00:00:01"),
                .named("Nina"),
            ])
    }

    @Test func theLinkMayEndWhileItIsLeft() {
        let bench = Self.serving()
        Self.leave(bench)
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        #expect(bench.answer(Self.stop).phoneEvents.isEmpty)
        #expect(!bench.connect().phoneEvents.isEmpty)
    }

    @Test func whatIsBeingSubscribedToIsEndedWhenItStands() {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        #expect(Self.leave(bench).isEmpty)
        let lines = bench.answer(Self.data, .descriptor(Bench.descriptor))
        #expect(lines.phoneEvents == [.disconnected(.left)])
        #expect(bench.sockets.isEmpty)
    }

    @Test func whatIsRefusedMeanwhileNeedsNoEnd() {
        for error in [
            BusError.blueZ("NotPermitted", "Notify acquired"), .blueZ("Failed", "Not connected"),
        ] {
            let bench = Bench()
            bench.beginWithPhone()
            bench.request(.subscribe(.dataSource))
            Self.leave(bench)
            #expect(
                bench.finish(Self.data, .failure(error)).phoneEvents == [.disconnected(.left)])
        }
    }

    @Test func aPauseIsNotWaitedFor() throws {
        let bench = Self.serving()
        bench.request(.unsubscribe(.notificationSource))
        bench.answer(Self.stop)
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        #expect(Self.leave(bench).phoneEvents == [.disconnected(.left)])
    }

    @Test func aPhoneThatIsPairingIsLeftAtOnceAndItsQuestionsWithIt() {
        let bench = Bench()
        bench.begin()
        bench.addDevice()
        bench.call(
            PairingAgent.path, PairingAgent.interface, "RequestConfirmation",
            .objectPath("/org/bluez/hci0/dev_1"), .uint32(123_456))
        let lines = Self.leave(bench)
        #expect(lines.phoneEvents == [.disconnected(.left)])
        #expect(
            lines.contains(
                .answer(InvocationID(rawValue: 1), .failure(.blueZ("Canceled", "Canceled")))))
    }

    @Test func aServiceThatIsWithdrawnMeanwhileEndsItToo() {
        let bench = Self.serving()
        Self.leave(bench)
        bench.removeANCS()
        #expect(
            bench.finish(Self.stop, .failure(BusError(BusError.unknownObject))).phoneEvents == [
                .disconnected(.left)
            ])
    }
}
