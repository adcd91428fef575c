import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// bluetoothd lives, and does not hand over the socket for texts. `StartNotify` would broadcast them to every user of
/// the machine.
@Suite struct NoSocketTests {
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let startData = "StartNotify dev_1/service0010/char0016"
    private static let source = "StartNotify dev_1/service0010/char0011"

    private static func subscribing(isAllowed: Bool) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.allowsTextsOnBus = isAllowed
        let bench = Bench(configuration)
        bench.beginWithPhone()
        bench.request(.subscribe(.dataSource))
        return bench
    }

    /// Errors of bluetoothd, or of the bus in its place.
    static let refusals: [BusError] = [
        .blueZ("NotSupported", "Operation is not supported"), .blueZ("InProgress", "In Progress"),
        .blueZ("Failed", "Failed to subscribe"), .blueZ("NotPermitted", "Not permitted"),
        BusError(BusError.accessDenied, "no"),
    ]
    /// Errors of the phone.
    static let refusalsOfPhone: [(BusError, UInt8)] = [
        (.blueZ("Failed", "Operation failed with ATT error: 0x80"), 0x80),
        (.blueZ("NotAuthorized", "Operation Not Authorized"), 0x08),
    ]

    @Test(arguments: refusals) func textsAreMissedAndThatIsSaid(_ error: BusError) {
        let bench = Self.subscribing(isAllowed: false)
        let lines = bench.finish(Self.data, .failure(error))
        #expect(lines.calls.isEmpty)
        #expect(
            lines.phoneEvents == [
                .textsRefused(error),
                .report(.subscriptionRefused(.dataSource, errorCode: error.attErrorCode)),
            ])
        // Everything else is received.
        bench.request(.subscribe(.notificationSource))
        bench.answer(Self.source)
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        // What another program has bluetoothd broadcast is not for this one.
        #expect(bench.broadcast([2], of: "dev_1/service0010/char0016").isEmpty)
        #expect(bench.wait(.seconds(600)).calls.isEmpty)
    }

    @Test(arguments: refusalsOfPhone)
    func aRefusalOfThePhoneIsNotBluetoothds(_ error: BusError, _ code: UInt8) {
        let bench = Self.subscribing(isAllowed: false)
        #expect(
            bench.finish(Self.data, .failure(error)) == [
                .report(1, .subscriptionRefused(.dataSource, errorCode: code))
            ])
    }

    @Test func aPhoneThatDoesNotEncryptHasForgottenTheBond() {
        let bench = Self.subscribing(isAllowed: false)
        #expect(
            bench.refuse(Self.data, "NotPermitted", "Not paired").phoneEvents == [
                .keyTrouble(KeyTrouble(.missing)),
                .report(.subscriptionRefused(.dataSource, errorCode: 0x05)),
            ])
    }

    @Test func aServiceThatIsBeingRemovedIsAskedForSixTimes() {
        let bench = Self.subscribing(isAllowed: false)
        let gone = BusError(BusError.unknownObject)
        for _ in 1...5 {
            #expect(bench.finish(Self.data, .failure(gone)).isEmpty)
            #expect(bench.wait(.seconds(4)) == [.call(Self.data)])
        }
        #expect(bench.finish(Self.data, .failure(gone)).phoneEvents.contains(.textsRefused(gone)))
    }

    @Test func aCallThatIsLostIsRepeatedOnce() throws {
        let bench = Self.subscribing(isAllowed: false)
        #expect(bench.lose(Self.data) == [.call(Self.data)])
        #expect(
            bench.answer(Self.data, .descriptor(Bench.descriptor)).last
                == .report(1, .subscribed(.dataSource)))
    }

    @Test func anAnswerWithoutADescriptorIsARefusal() {
        let bench = Self.subscribing(isAllowed: false)
        let lines = bench.answer(Self.data, .uint16(185))
        #expect(lines.calls.isEmpty)
        guard case .event(.phone(_, .textsRefused)) = lines.first else {
            Issue.record("nobody is told that there are no texts: \(lines)")
            return
        }
    }

    /// The subscription is lost, and cannot be had again: the next session has no texts, and nothing goes round.
    @Test func aSocketThatIsRefusedLaterEndsTheSessionOnce() throws {
        let bench = Self.subscribing(isAllowed: false)
        bench.answer(Self.data, .descriptor(Bench.descriptor))
        bench.request(.subscribe(.notificationSource))
        bench.answer(Self.source)
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        bench.wait(.seconds(1))
        let error = BusError.blueZ("Failed", "Failed to subscribe")
        #expect(
            bench.finish(Self.data, .failure(error)).phoneEvents == [
                .textsRefused(error), .unavailable,
                .available(hasControlPoint: true, hasDataSource: true),
            ])
        bench.request(.subscribe(.dataSource))
        #expect(
            bench.finish(Self.data, .failure(error)).last
                == .report(1, .subscriptionRefused(.dataSource, errorCode: 0x0E)))
        #expect(bench.wait(.seconds(600)).isEmpty)
    }

    // MARK: The user allows it

    @Test(arguments: refusals + [BusError(BusError.noReply)])
    func textsAreBroadcastWhereTheUserAllowsItAndThatIsSaid(_ error: BusError) {
        let bench = Self.subscribing(isAllowed: true)
        #expect(bench.finish(Self.data, .failure(error)) == [.call(Self.startData)])
        #expect(
            bench.answer(Self.startData).phoneEvents == [
                .isBroadcast(error), .report(.subscribed(.dataSource)),
            ])
        #expect(
            bench.broadcast([1], of: "dev_1/service0010/char0016") == [.report(1, .dataSource([1]))]
        )
    }

    /// Another program has the socket, or bluetoothd has yet to notice that it was closed: nothing hangs.
    @Test func aBroadcastThatIsRefusedForASocketLeavesTheLinkAlone() {
        let bench = Self.subscribing(isAllowed: true)
        let taken = BusError.blueZ("NotPermitted", "Notify acquired")
        bench.refuse(Self.data, "NotSupported", "Operation is not supported")
        for _ in 1..<ValueSubscription.maximumAttempts {
            #expect(bench.finish(Self.startData, .failure(taken)).isEmpty)
            #expect(bench.wait(.seconds(4)) == [.call(Self.data)])
            bench.refuse(Self.data, "NotSupported", "Operation is not supported")
        }
        let lines = bench.finish(Self.startData, .failure(taken))
        #expect(lines.calls.isEmpty)
        #expect(
            lines.phoneEvents == [
                .isTaken,
                .report(.subscriptionRefused(.dataSource, errorCode: taken.attErrorCode)),
            ])
    }

    @Test(arguments: refusalsOfPhone)
    func aBroadcastThatThePhoneRefusesAfterALostReplyLeavesTheLinkAlone(
        _ error: BusError, _ code: UInt8
    ) {
        let bench = Self.subscribing(isAllowed: true)
        bench.lose(Self.data)
        let lines = bench.finish(Self.startData, .failure(error))
        #expect(lines == [.report(1, .subscriptionRefused(.dataSource, errorCode: code))])
    }

    @Test func anAnswerWithoutADescriptorIsNone() {
        let bench = Self.subscribing(isAllowed: true)
        #expect(bench.answer(Self.data, .uint16(185)) == [.call(Self.startData)])
    }
}
