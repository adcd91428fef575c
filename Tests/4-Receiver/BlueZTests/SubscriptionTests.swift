import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// A phone that was paired before.
@Suite struct SubscriptionTests {
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let taken = BusError.blueZ("NotPermitted", "Notify acquired")

    /// A session that is about to subscribe.
    private static func available() -> Bench {
        let bench = Bench()
        bench.beginWithPhone()
        return bench
    }

    private static func serving() -> Bench {
        let bench = available()
        bench.subscribe()
        return bench
    }

    // MARK: Values

    @Test func whatIsReplayedBeforeTheServicesAreResolvedIsToldOnceAndInOrder() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        #expect(
            bench.connect().phoneEvents == [
                .connected(address: "C0:FF:EE:00:00:01", identity: "C0:FF:EE:00:00:01")
            ])
        for value in 1...3 { #expect(bench.broadcast([UInt8(value)]).isEmpty) }
        #expect(bench.resolve() == [.available(1)])
        bench.broadcast([4])
        bench.request(.subscribe(.dataSource))
        bench.answer(Self.data, .descriptor(Bench.descriptor))
        bench.request(.subscribe(.notificationSource))
        let values = (1...4).map { Bench.Line.report(1, .notificationSource([UInt8($0)])) }
        #expect(
            bench.answer(Self.source) == [.report(1, .subscribed(.notificationSource))] + values)
    }

    @Test func whatIsReplayedByAServiceThatIsWithdrawnIsToldByTheNextOneOnly() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.connect()
        bench.broadcast([1])
        bench.removeANCS()
        bench.addANCS()
        bench.broadcast([2])
        bench.resolve()
        bench.request(.subscribe(.notificationSource))
        #expect(
            bench.answer(Self.source) == [
                .report(1, .subscribed(.notificationSource)),
                .report(1, .notificationSource([2])),
            ])
    }

    @Test func noMoreValuesAreKeptThanTheLimitAndTheRestIsCounted() {
        let bench = Self.available()
        for number in 0..<PhoneLink.maximumHeldValues + 3 {
            bench.broadcast([UInt8(truncatingIfNeeded: number)])
        }
        bench.request(.subscribe(.notificationSource))
        let lines = bench.answer(Self.source)
        // The oldest are left out.
        #expect(lines.dropFirst().first == .report(1, .notificationSource([3])))
        #expect(lines.count == 1 + PhoneLink.maximumHeldValues + 1)
        #expect(lines.last == .phone(1, .dropped(3)))
    }

    @Test func valuesOfTheDataSourceComeByTheSocketOnly() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        #expect(bench.broadcast([1], of: "dev_1/service0010/char0016").isEmpty)
        #expect(
            bench.input { $0.receive([2], from: socket, at: $1) } == [.report(1, .dataSource([2]))])
    }

    @Test func otherCharacteristicsAreOfNoInterest() {
        let bench = Self.serving()
        #expect(bench.broadcast([1], of: "dev_1/service0010/char0014").isEmpty)
        #expect(bench.broadcast([1], of: "dev_2/service0010/char0011").isEmpty)
    }

    // MARK: The socket hangs up

    @Test func aHangUpBeforeTheLinkEndsIsNoMoreThanThat() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        #expect(bench.input { $0.hungUp(socket, at: $1) } == [.close(socket)])
        #expect(bench.wait(.milliseconds(150)).isEmpty)
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        #expect(bench.wait(.seconds(60)).calls.filter { $0 == Self.data }.isEmpty)
    }

    @Test func aHangUpWhileTheLinkStaysIsFollowedByAnotherSocket() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        #expect(bench.wait(.seconds(1)) == [.call(Self.data)])
        // The session is not told what it has been told.
        let lines = bench.answer(Self.data, .descriptor(Bench.descriptor))
        let second = try #require(bench.sockets.first)
        #expect(lines == [.open(second)])
        #expect(second != socket)
        #expect(bench.input { $0.receive([1], from: socket, at: $1) }.isEmpty)
        #expect(
            bench.input { $0.receive([2], from: second, at: $1) } == [.report(1, .dataSource([2]))])
    }

    @Test func aSessionEndsWithItsLELinkThoughBREDRKeepsThePhoneConnected() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        bench.changeDevice("dev_1", ["ServicesResolved": .bool(false)])
        #expect(bench.wait(.seconds(1)).phoneEvents == [.unavailable])
        // The phone replays when LE is back.
        #expect(bench.broadcast([7]).isEmpty)
        #expect(bench.resolve() == [.available(1)])
        bench.subscribe()
        #expect(bench.broadcast([8]) == [.report(1, .notificationSource([8]))])
    }

    @Test func thatTheLELinkHasEndedMayBeKnownByARefusalOnly() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        #expect(bench.wait(.seconds(1)) == [.call(Self.data)])
        #expect(
            bench.refuse(Self.data, "Failed", "Not connected") == [
                .phone(1, .unavailable), .available(1),
            ])
    }

    @Test func aSubscriptionWhileTheLinkIsEndingIsTriedAgain() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        #expect(bench.refuse(Self.source, "NotConnected", "Not Connected").isEmpty)
        #expect(bench.wait(.seconds(2)) == [.call(Self.source)])
    }

    @Test func aPhoneThatIsConnectedByBREDROnlyIsWaitedForAndItsTextsAreNotBroadcast() {
        let bench = Self.available()
        bench.request(.subscribe(.dataSource))
        for _ in 1...50 {
            #expect(bench.refuse(Self.data, "Failed", "Not connected").isEmpty)
            #expect(bench.wait(.seconds(2)) == [.call(Self.data)])
        }
        #expect(
            bench.answer(Self.data, .descriptor(Bench.descriptor)).last
                == .report(1, .subscribed(.dataSource)))
    }

    // MARK: No socket

    @Test func aSocketThatBluetoothdHasNotNoticedTheEndOfIsAskedForAgain() {
        let bench = Self.available()
        bench.request(.subscribe(.dataSource))
        for pause in [200, 400, 800, 1_600, 3_200] {
            #expect(bench.finish(Self.data, .failure(Self.taken)).isEmpty)
            #expect(bench.wait(.milliseconds(pause - 1)).isEmpty)
            #expect(bench.wait(.milliseconds(1)) == [.call(Self.data)])
        }
        #expect(
            bench.finish(Self.data, .failure(Self.taken)).phoneEvents == [
                .isTaken, .report(.subscriptionRefused(.dataSource, errorCode: 0x03)),
            ])
    }

    @Test func broadcastsWaitForTheEndOfASocketToo() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        for pause in [200, 400, 800, 1_600, 3_200] {
            #expect(bench.finish(Self.source, .failure(Self.taken)).isEmpty)
            #expect(bench.wait(.milliseconds(pause)) == [.call(Self.source)])
        }
        #expect(
            bench.finish(Self.source, .failure(Self.taken)).phoneEvents == [
                .isTaken, .report(.subscriptionRefused(.notificationSource, errorCode: 0x03)),
            ])
    }

    @Test func aSubscriptionThatStandsFromBeforeIsOne() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        #expect(
            bench.refuse(Self.source, "InProgress", "In Progress") == [
                .report(1, .subscribed(.notificationSource))
            ])
    }

    @Test func aPhoneThatDoesNotEncryptHasForgottenTheBond() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        #expect(
            bench.refuse(Self.source, "NotPermitted", "Not paired").phoneEvents == [
                .keyTrouble(KeyTrouble(.missing)),
                .report(.subscriptionRefused(.notificationSource, errorCode: 0x05)),
            ])
    }

    @Test func anObjectThatIsGoneIsAskedForSixTimes() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        let gone = BusError(BusError.unknownObject)
        for _ in 1...5 {
            #expect(bench.finish(Self.source, .failure(gone)).isEmpty)
            #expect(bench.wait(.seconds(4)) == [.call(Self.source)])
        }
        #expect(
            bench.finish(Self.source, .failure(gone)).phoneEvents == [
                .report(.subscriptionRefused(.notificationSource, errorCode: 0x0E))
            ])
    }

    @Test func aCharacteristicThatIsNotThereIsNotAskedFor() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.remove(Bench.path("dev_1/service0010/char0016"))
        bench.remove(Bench.path("dev_1/service0010/char0014"))
        bench.connect()
        bench.resolve()
        #expect(
            bench.wait(.milliseconds(500)).phoneEvents == [
                .available(hasControlPoint: false, hasDataSource: false)
            ])
        #expect(
            bench.request(.subscribe(.dataSource)) == [
                .report(1, .subscriptionRefused(.dataSource, errorCode: 0x0A))
            ])
        #expect(
            bench.request(.writeControlPoint([0])) == [
                .report(1, .controlPointWritten([0], ControlPointError(rawValue: 0x0A)))
            ])
    }

    // MARK: Unsubscribing

    @Test func theEndOfASubscriptionIsToldWhenItIsOne() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        #expect(
            bench.request(.unsubscribe(.notificationSource)) == [
                .call("StopNotify dev_1/service0010/char0011")
            ])
        #expect(
            bench.answer("StopNotify dev_1/service0010/char0011") == [
                .report(1, .unsubscribed(.notificationSource))
            ])
        #expect(
            bench.request(.unsubscribe(.dataSource)) == [
                .close(socket), .report(1, .unsubscribed(.dataSource)),
            ])
        // bluetoothd has yet to notice that.
        bench.request(.subscribe(.dataSource))
        bench.finish(Self.data, .failure(Self.taken))
        #expect(bench.wait(.milliseconds(200)) == [.call(Self.data)])
    }

    @Test func whatIsUnsubscribedFromTooEarlyIsEndedWhenItStands() {
        let bench = Self.available()
        bench.request(.subscribe(.notificationSource))
        #expect(bench.request(.unsubscribe(.notificationSource)).isEmpty)
        #expect(bench.answer(Self.source) == [.call("StopNotify dev_1/service0010/char0011")])
        #expect(
            bench.refuse(
                "StopNotify dev_1/service0010/char0011", "Failed", "No notify session started") == [
                    .report(1, .unsubscribed(.notificationSource))
                ])
    }

    /// `StartNotify` would be answered with `InProgress`, and the phone would not announce to the next session
    /// what it shows.
    @Test func anUnsubscriptionThatIsNotAnsweredEndsTheLink() {
        let bench = Self.serving()
        bench.request(.unsubscribe(.notificationSource))
        let lines = bench.lose("StopNotify dev_1/service0010/char0011")
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(lines.calls == ["Disconnect dev_1"])
    }

    @Test func whatComesBeforeAnUnsubscriptionIsAnsweredIsNotForTheNextSession() {
        let bench = Self.serving()
        bench.request(.unsubscribe(.notificationSource))
        #expect(bench.broadcast([1]).isEmpty)
        bench.answer("StopNotify dev_1/service0010/char0011")
        bench.request(.subscribe(.notificationSource))
        #expect(bench.broadcast([2]).isEmpty)
        #expect(
            bench.answer(Self.source) == [
                .report(1, .subscribed(.notificationSource)),
                .report(1, .notificationSource([2])),
            ])
    }

    @Test func aConfigurationIsRead() {
        let bench = Self.serving()
        for (octets, isSubscribed) in [([1, 0], true), ([0, 0], false), ([], false)]
            as [([UInt8], Bool)]
        {
            #expect(
                bench.request(.readSubscription(.notificationSource)) == [
                    .call("ReadValue dev_1/service0010/char0011/desc0013")
                ])
            #expect(
                bench.answer("ReadValue dev_1/service0010/char0011/desc0013", .octets(octets)) == [
                    .report(
                        1, .subscriptionRead(.notificationSource, isSubscribed: isSubscribed))
                ])
        }
        bench.request(.readSubscription(.dataSource))
        #expect(
            bench.refuse("ReadValue dev_1/service0010/char0016/desc0018", "NotPermitted", "x")
                .isEmpty)
    }

    // MARK: The Control Point

    private static let write = "WriteValue dev_1/service0010/char0014"

    @Test func aCommandIsWrittenWithAResponse() {
        let bench = Self.serving()
        #expect(bench.request(.writeControlPoint([0, 1])) == [.call(Self.write)])
        #expect(
            bench.pending.last?.call.arguments == [
                .octets([0, 1]), .options(["type": .string("request")]),
            ])
        #expect(bench.answer(Self.write) == [.report(1, .controlPointWritten([0, 1], nil))])
    }

    @Test(arguments: 0xA0...0xA3)
    func anErrorOfANCSIsToldAsItIs(_ code: Int) {
        let bench = Self.serving()
        bench.request(.writeControlPoint([0]))
        let text = "Operation failed with ATT error: 0x" + String(code, radix: 16)
        #expect(
            bench.refuse(Self.write, "Failed", text) == [
                .report(1, .controlPointWritten([0], ControlPointError(rawValue: UInt8(code))))
            ])
    }

    @Test func aCommandThatAnothersIsInTheWayOfIsWrittenAgainForHalfAMinute() {
        let bench = Self.serving()
        let start = bench.now
        bench.request(.writeControlPoint([0]))
        var lines: [Bench.Line] = []
        var attempts = 0
        while lines.isEmpty, attempts < 1_000 {
            attempts += 1
            lines = bench.refuse(Self.write, "InProgress", "In Progress")
            #expect(bench.wait(.milliseconds(400)).count <= 1)
        }
        #expect(
            lines == [.report(1, .controlPointWritten([0], ControlPointError(rawValue: 0x0E)))])
        #expect((70...80).contains(attempts))
        #expect(bench.now < start + .seconds(31))
        bench.request(.writeControlPoint([1]))
        #expect(bench.refuse(Self.write, "InProgress", "In Progress").isEmpty)
    }

    @Test func thePauseBeforeACommandIsWrittenAgainDoublesUpToFourTenthsOfASecond() {
        let bench = Self.serving()
        bench.request(.writeControlPoint([0]))
        for pause in [50, 100, 200, 400, 400] {
            bench.refuse(Self.write, "InProgress", "In Progress")
            #expect(bench.wait(.milliseconds(pause - 1)).isEmpty)
            #expect(bench.wait(.milliseconds(1)) == [.call(Self.write)])
        }
    }

    @Test func aCommandWaitsForTheReplyToTheOneThatWasGivenUp() {
        let bench = Self.serving()
        bench.request(.writeControlPoint([0]))
        bench.refuse(Self.write, "InProgress", "In Progress")
        #expect(bench.wait(.milliseconds(50)) == [.call(Self.write)])
        // The session has waited for ten seconds, and writes the next one.
        bench.wait(.seconds(10))
        #expect(bench.request(.writeControlPoint([1])).isEmpty)
        #expect(
            bench.answer(Self.write) == [
                .report(1, .controlPointWritten([0], nil)), .call(Self.write),
            ])
        #expect(bench.pending.last?.call.arguments.first == .octets([1]))
        #expect(
            bench.refuse(Self.write, "Failed", "Operation failed with ATT error: 0xa2") == [
                .report(1, .controlPointWritten([1], .invalidParameter))
            ])
        #expect(bench.wait(.seconds(60)).isEmpty)
    }

    @Test func aWriteWithoutAReplyEndsTheLinkAfterHalfAMinuteAndWhatWaitedIsNotWritten() {
        let bench = Self.serving()
        let start = bench.now
        bench.request(.writeControlPoint([0]))
        bench.wait(.seconds(10))
        bench.request(.writeControlPoint([1]))
        bench.wait(.seconds(20))
        let lines = bench.finish(Self.write, .failure(BusError(BusError.noReply)))
        #expect(bench.now == start + .seconds(30))
        #expect(lines.phoneEvents == [.unavailable, .hung(isEnded: true)])
        #expect(lines.calls == ["Disconnect dev_1"])
        #expect(bench.pending.count { $0.text == Self.write } == 0)
    }

    // MARK: The service

    @Test func aServiceThatIsWithdrawnEndsTheSessionAndOneThatComesBackBeginsOne() throws {
        let bench = Self.serving()
        let socket = try #require(bench.sockets.first)
        #expect(
            bench.removeANCS() == [
                .close(socket), .phone(1, .unavailable), .phone(1, .waiting),
            ])
        #expect(bench.request(.subscribe(.dataSource)).isEmpty)
        // Not before it is whole.
        #expect(bench.addANCS() == [.available(1)])
        bench.subscribe()
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
    }

    @Test func aServiceThatIsMovedIsAnotherOne() {
        let bench = Self.serving()
        #expect(bench.removeANCS().phoneEvents == [.unavailable, .waiting])
        #expect(bench.addANCS(service: "service0030") == [.available(1)])
        #expect(
            bench.request(.subscribe(.dataSource)) == [
                .call("AcquireNotify dev_1/service0030/char0036")
            ])
    }

    @Test func aServiceThatIsThereTwiceForAMomentIsOne() {
        let bench = Self.serving()
        #expect(bench.addANCS(service: "service0030").isEmpty)
        #expect(
            bench.removeANCS().phoneEvents == [
                .unavailable, .available(hasControlPoint: true, hasDataSource: true),
            ])
    }

    @Test func anAnswerToTheLastSessionIsNoneToTheNext() {
        let bench = Self.available()
        bench.request(.subscribe(.dataSource))
        bench.request(.writeControlPoint([0]))
        bench.removeANCS()
        bench.addANCS()
        bench.request(.subscribe(.dataSource))
        // The old ones.
        #expect(bench.answer(Self.data, .descriptor(Bench.descriptor)).isEmpty)
        #expect(bench.finish(Self.write, .failure(BusError(BusError.noReply))).isEmpty)
        #expect(
            bench.answer(Self.data, .descriptor(Bench.descriptor)).last
                == .report(1, .subscribed(.dataSource)))
    }

    @Test func aPhoneWithoutANCSIsWaitedForAndThatIsSaidOnce() {
        let bench = Bench()
        bench.begin()
        bench.addDevice(
            isPaired: true, and: ["UUIDs": .strings(["d0611e78-bbb4-4591-a5f8-487910ae4366"])])
        #expect(bench.resolve().phoneEvents == [.waiting])
        bench.resolve()
        #expect(bench.wait(.seconds(60)).phoneEvents.isEmpty)
        #expect(bench.addANCS().last == .available(1))
    }

    @Test func aServiceWhoseObjectsComeOneByOneIsAvailableWhenItIsWholeOrHalfASecondOld() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.remove(Bench.path("dev_1/service0010/char0014"))
        bench.connect()
        #expect(bench.resolve().phoneEvents.isEmpty)
        // The LE link ends meanwhile.
        #expect(bench.changeDevice("dev_1", ["ServicesResolved": .bool(false)]).isEmpty)
        #expect(bench.wait(.seconds(1)).phoneEvents.isEmpty)
        #expect(bench.resolve().phoneEvents.isEmpty)
        #expect(bench.wait(.milliseconds(499)).phoneEvents.isEmpty)
        #expect(
            bench.wait(.milliseconds(1)).phoneEvents == [
                .available(hasControlPoint: false, hasDataSource: true)
            ])
    }

    @Test func servicesThatAreNotFoundInFifteenSecondsAreSaidToBeWaitedFor() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.connect()
        #expect(bench.wait(.milliseconds(14_999)).phoneEvents.isEmpty)
        #expect(bench.wait(.milliseconds(1)).phoneEvents == [.waiting])
        #expect(bench.wait(.seconds(600)).phoneEvents.isEmpty)
        #expect(bench.resolve() == [.available(1)])
    }
}
