import ANCSEvents
import ANCS
import DBus
import Octets
import Testing

@testable import BlueZ

/// A link on which the phone was paired may hang, and an `AcquireNotify` that waits there outlasts it: before 5.84
/// bluetoothd never answers it, and every later one *Notify acquired*.
@Suite struct FirstSocketTests {
    private static let trial = "ReadValue dev_1/service0010/char0016/desc0018"
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let source = "StartNotify dev_1/service0010/char0011"

    /// A session of a phone that was paired on this link subscribes to the Data Source.
    private static func subscribing() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.addDevice()
        bench.addANCS()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        bench.answer("Pair dev_1")
        #expect(bench.request(.subscribe(.dataSource)) == [.call(trial)])
        return bench
    }

    private static func socketsAsked(_ bench: Bench) -> Int {
        bench.pending.count { $0.text == data }
    }

    @Test func aHangLeavesNothingThatTheNextLinkWouldMeet() {
        let bench = Self.subscribing()
        #expect(Self.socketsAsked(bench) == 0)
        let lines = bench.lose(Self.trial)
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(lines.calls == ["Disconnect dev_1"])
        bench.answer("Disconnect dev_1")
        #expect(bench.disconnect().phoneEvents == [.disconnected(.bluetoothdHung)])
        #expect(Self.socketsAsked(bench) == 0)
        // The link of a bond does not hang, and is not tried.
        bench.connect()
        #expect(bench.resolve().contains(.available(2)))
        #expect(bench.request(.subscribe(.dataSource), of: 2) == [.call(Self.data)])
        #expect(
            bench.answer(Self.data, .descriptor(Bench.descriptor)).last
                == .report(2, .subscribed(.dataSource)))
    }

    /// Whatever the phone says, bluetoothd has answered.
    @Test(
        arguments: [
            Result.success([.octets([0, 0])]), .success([]),
            .failure(.blueZ("Failed", "Operation failed with ATT error: 0x0e")),
            .failure(.blueZ("NotPermitted", "Read not permitted")),
        ] as [Result<[BusValue], BusError>])
    func itIsTriedOncePerLink(_ answer: Result<[BusValue], BusError>) {
        let bench = Self.subscribing()
        #expect(bench.finish(Self.trial, answer) == [.call(Self.data)])
        bench.answer(Self.data, .descriptor(Bench.descriptor))
        #expect(
            bench.request(.unsubscribe(.dataSource)).last == .report(1, .unsubscribed(.dataSource)))
        #expect(bench.request(.subscribe(.dataSource)) == [.call(Self.data)])
    }

    /// Another program reads the same, or did before it ended: it waits for bluetoothd like this one.
    @Test func aReadThatIsInProgressForEverIsAHang() {
        let bench = Self.subscribing()
        for _ in 1..<ValueSubscription.maximumAttempts {
            #expect(bench.refuse(Self.trial, "InProgress").isEmpty)
            #expect(bench.wait(.seconds(4)) == [.call(Self.trial)])
        }
        let lines = bench.refuse(Self.trial, "InProgress")
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
    }

    @Test func aReadThatIsInProgressForAMomentIsMadeAgain() {
        let bench = Self.subscribing()
        bench.refuse(Self.trial, "InProgress")
        #expect(bench.wait(.seconds(1)) == [.call(Self.trial)])
        #expect(bench.answer(Self.trial, .octets([0, 0])) == [.call(Self.data)])
    }

    /// A phone need not have the descriptor.
    @Test func withoutTheDescriptorTheSocketIsAskedForInTheEnd() {
        let bench = Self.subscribing()
        for _ in 1..<ValueSubscription.maximumAttempts {
            bench.finish(Self.trial, .failure(BusError(BusError.unknownObject)))
            bench.wait(.seconds(4))
        }
        #expect(
            bench.finish(Self.trial, .failure(BusError(BusError.unknownObject))) == [
                .call(Self.data)
            ])
    }

    @Test func aLinkThatIsGoneIsWaitedFor() {
        let bench = Self.subscribing()
        #expect(bench.refuse(Self.trial, "Failed", "Not connected").isEmpty)
        #expect(bench.wait(.seconds(2)) == [.call(Self.trial)])
    }

    /// What says that bluetoothd is gone does not make this program ask it for a socket.
    @Test func bluetoothdThatIsGoneIsAskedForNothing() {
        let bench = Self.subscribing()
        let lines = bench.finish(Self.trial, .failure(BusError(BusError.serviceUnknown)))
        #expect(lines.calls.isEmpty)
        #expect(
            lines.phoneEvents == [.report(.subscriptionRefused(.dataSource, errorCode: 0x0E))])
    }

    @Test(arguments: [true, false]) func whatIsNotWantedAnyMoreIsNotAskedFor(isAnswered: Bool) {
        let bench = Self.subscribing()
        #expect(bench.request(.unsubscribe(.dataSource)).isEmpty)
        let result: Result<[BusValue], BusError> =
            isAnswered ? .success([.octets([0, 0])]) : .failure(.blueZ("InProgress"))
        #expect(bench.finish(Self.trial, result) == [.report(1, .unsubscribed(.dataSource))])
    }

    @Test func aHangWhileLeavingIsTheEndOfLeaving() {
        let bench = Self.subscribing()
        #expect(bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }.phoneEvents.isEmpty)
        #expect(bench.lose(Self.trial).phoneEvents == [.disconnected(.left)])
    }

    // MARK: The link of a bond

    /// It ends while bluetoothd is asked for the socket.
    private static func comesBack(loses isLost: Bool) -> Bench {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        bench.disconnect()
        if isLost { bench.lose(data) }
        bench.connect()
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: 2)
        return bench
    }

    private static func refuseAll(_ bench: Bench) -> [Bench.Line] {
        var lines: [Bench.Line] = []
        for _ in 1...ValueSubscription.maximumAttempts {
            let index = bench.pending.lastIndex { $0.text == data } ?? 0
            lines += bench.finish(at: index, .failure(.blueZ("NotPermitted", "Notify acquired")))
            lines += bench.wait(.seconds(4))
        }
        return lines
    }

    /// It is no other program that has the socket, and to restart bluetoothd is all that helps.
    @Test(arguments: [true, false]) func aSocketThatBluetoothdKeepsIsNotAnotherPrograms(
        isLost: Bool
    ) {
        let bench = Self.comesBack(loses: isLost)
        #expect(
            Self.refuseAll(bench).phoneEvents == [
                .textsRefused(.blueZ("NotPermitted", "Notify acquired")),
                .report(.subscriptionRefused(.dataSource, errorCode: 0x03)),
            ])
        // The session goes on without texts.
        bench.request(.subscribe(.notificationSource), of: 2)
        #expect(
            bench.answer(Self.source) == [.report(2, .subscribed(.notificationSource))])
    }

    /// bluetoothd has handed over a socket since: who has the next one is another program.
    @Test func afterASocketItIsAnotherProgram() {
        let bench = Self.comesBack(loses: true)
        bench.answer(Self.data, .descriptor(Bench.descriptor))
        bench.request(.unsubscribe(.dataSource), of: 2)
        bench.request(.subscribe(.dataSource), of: 2)
        #expect(Self.refuseAll(bench).phoneEvents.first == .isTaken)
    }

    /// With the service goes what bluetoothd keeps for it, though the next one has the same path.
    @Test func aServiceThatIsThereAgainKeepsNothing() {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        bench.disconnect()
        bench.lose(Self.data)
        bench.removeANCS()
        bench.addANCS()
        bench.connect()
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: 2)
        #expect(Self.refuseAll(bench).phoneEvents.first == .isTaken)
    }

    /// Since 5.84, `StopNotify` is safe after it, and makes room for the next one.
    @Test(arguments: [true, false]) func since584ItIsReleasedWhenTheLinkHasEnded(isLost: Bool) {
        let bench = Bench()
        bench.beginWithPhone(modalias: "usb:v1D6Bp0246d0554")
        bench.request(.subscribe(.dataSource))
        let stop = "StopNotify dev_1/service0010/char0016"
        #expect(bench.disconnect().calls.filter { $0 == stop }.count == 1)
        bench.answer(stop)
        if isLost { bench.lose(Self.data) }
        #expect(!bench.connect().calls.contains(stop))
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: 2)
        #expect(Self.refuseAll(bench).phoneEvents.first == .isTaken)
        #expect(!bench.disconnect().calls.contains(stop))
    }

    @Test func anotherBluetoothdKeepsNothing() {
        var sockets = SocketGuard()
        let path = Bench.path("dev_1/service0010/char0016")
        for end in [0, 1, 2, 3] {
            let call = CallID(rawValue: 1)
            sockets.acquires(call, of: path, under: DaemonCircumstances())
            #expect(sockets.isKept(path))
            _ = sockets.replied(to: call, .failure(BusError(BusError.noReply)), at: .zero)
            #expect(sockets.isKept(path))
            switch end {
            case 0: _ = sockets.daemonEnded(at: .zero)
            case 1: sockets.removed(Bench.path("dev_1"))
            case 2: sockets.removed(path)
            case _: sockets.busLost()
            }
            #expect(sockets.isKept(path) == (end == 3))
        }
    }
}
