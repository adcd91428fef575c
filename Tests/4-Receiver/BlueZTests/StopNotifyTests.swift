import ANCSEvents
import ANCS
import DBus
import Octets
import Testing

@testable import BlueZ

/// Before 5.84 bluetoothd uses freed memory if `StopNotify` follows an `AcquireNotify` that failed.
@Suite struct StopNotifyTests {
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let start = "StartNotify dev_1/service0010/char0016"
    private static let stop = "StopNotify dev_1/service0010/char0016"

    private static let errors = [
        BusError(BusError.noReply), .blueZ("Failed"), .blueZ("NotPermitted", "Not paired"),
        .blueZ("InProgress"),
    ]

    private static func leave(_ bench: Bench) -> [Bench.Line] {
        bench.connectedPhones.sorted().flatMap { phone in
            bench.input { $0.leave(phone, at: $1) }
        }
    }

    private static func bench() -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.allowsTextsOnBus = true
        return Bench(configuration)
    }

    /// The texts are broadcast, because there was no socket.
    private static func broadcasting(_ error: BusError) -> Bench {
        let bench = bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        bench.finish(data, .failure(error))
        bench.answer(start)
        return bench
    }

    @Test(arguments: errors) func whatWasRefusedASocketIsNotStopped(_ error: BusError) {
        let bench = Self.broadcasting(error)
        #expect(
            bench.request(.unsubscribe(.dataSource)) == [.report(1, .unsubscribed(.dataSource))])
        // It is as it was, which bluetoothd reports.
        bench.request(.subscribe(.dataSource))
        bench.finish(Self.data, .failure(.blueZ("InProgress")))
        #expect(
            bench.refuse(Self.start, "InProgress").contains(.report(1, .subscribed(.dataSource))))
        #expect(Self.leave(bench) == [.phone(1, .disconnected(.left))])
        #expect(bench.wait(.seconds(60)).isEmpty)
    }

    @Test(arguments: errors) func itIsNotStoppedInALaterSessionEither(_ error: BusError) {
        let bench = Self.broadcasting(error)
        bench.disconnect()
        bench.connect()
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: 2)
        bench.refuse(Self.data, "NotPermitted", "Not paired")
        bench.answer(Self.start)
        #expect(Self.leave(bench) == [.phone(2, .disconnected(.left))])
    }

    /// The session ends before the answer, another one begins and ends, and the answer comes before or after that.
    @Test(arguments: errors, [true, false])
    func anAnswerToAnEarlierSessionCounts(_ error: BusError, isLate: Bool) {
        let bench = Self.bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        bench.disconnect()
        if !isLate { bench.finish(Self.data, .failure(error)) }
        bench.connect()
        bench.resolve()
        bench.request(.subscribe(.dataSource), of: 2)
        let index = bench.pending.lastIndex { $0.text == Self.data } ?? 0
        bench.finish(at: index, .failure(.blueZ("Failed")))
        bench.answer(Self.start)
        #expect(!Self.leave(bench).calls.contains(Self.stop))
        if isLate { bench.finish(Self.data, .failure(error)) }
        #expect(bench.wait(.seconds(60)).calls.allSatisfy { $0 != Self.stop })
    }

    /// The session is left while bluetoothd is asked: there is nothing to stop whatever it answers.
    @Test(arguments: errors) func whatIsLeftBeforeTheAnswerIsNotStopped(_ error: BusError) {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        #expect(Self.leave(bench).isEmpty)
        #expect(bench.finish(Self.data, .failure(error)) == [.phone(1, .disconnected(.left))])
    }

    @Test func since584ItIsStopped() {
        let bench = Self.bench()
        bench.beginWithPhone(modalias: "usb:v1D6Bp0246d0554")
        bench.request(.subscribe(.dataSource))
        bench.refuse(Self.data, "Failed")
        bench.answer(Self.start)
        #expect(bench.request(.unsubscribe(.dataSource)) == [.call(Self.stop)])
    }

    @Test func anotherBluetoothdHasNotFailed() {
        let bench = Self.broadcasting(.blueZ("Failed"))
        bench.daemonEnds()
        bench.addAdapter()
        bench.addPairedPhone(isConnected: true)
        bench.resolve()
        bench.daemonBegins(Bench.secondOwner)
        #expect(Self.stopsSource(bench, of: 2))
    }

    /// The Notification Source has no sockets, and is stopped as ever.
    @Test func theNotificationSourceIsStopped() {
        #expect(Self.stopsSource(Self.broadcasting(.blueZ("Failed")), of: 1))
    }

    private static func stopsSource(_ bench: Bench, of phone: UInt64) -> Bool {
        bench.request(.subscribe(.notificationSource), of: phone)
        bench.answer("StartNotify dev_1/service0010/char0011")
        return leave(bench).calls.contains("StopNotify dev_1/service0010/char0011")
    }

    @Test func whatIsForgottenWithADeviceIsNotKept() {
        var sockets = SocketGuard()
        let path = Bench.path("dev_1/service0010/char0016")
        let call = CallID(rawValue: 1)
        sockets.acquires(call, of: path, under: DaemonCircumstances())
        #expect(!sockets.mayStop(path, under: DaemonCircumstances()))
        _ = sockets.replied(to: call, .failure(.blueZ("Failed")), at: .zero)
        #expect(!sockets.mayStop(path, under: DaemonCircumstances()))
        sockets.removed(Bench.path("dev_2"))
        #expect(!sockets.mayStop(path, under: DaemonCircumstances()))
        sockets.removed(Bench.path("dev_1"))
        #expect(sockets.mayStop(path, under: DaemonCircumstances()))
    }
}
