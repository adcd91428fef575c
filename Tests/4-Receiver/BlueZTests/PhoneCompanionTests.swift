import ANCS
import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// A service that is used beside ANCS: the media of a phone.
@Suite struct PhoneCompanionTests {
    private static let media = "dev_1/service0030"
    private static let acquire = "AcquireNotify \(media)/char0034"
    private static let write = "WriteValue \(media)/char0034"
    private static let taken = BusError.blueZ("NotPermitted", "Notify acquired")
    private static let unknown = BusError(BusError.noReply)

    /// A phone with media that are used.
    private static func using(textsOnBus: Bool = false) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.allowsTextsOnBus = textsOnBus
        let bench = Bench(configuration)
        bench.begin()
        bench.useMedia()
        return bench
    }

    /// The same with a subscription.
    private static func subscribed() throws -> (Bench, SocketID) {
        let bench = using()
        bench.ask(.subscribe(.update))
        bench.answer(acquire, .descriptor(Bench.descriptor))
        return (bench, try #require(bench.sockets.last))
    }

    // MARK: The service

    @Test func whereNobodyAsksNothingIsCalledAndNothingIsSaid() {
        let bench = Bench()
        bench.begin()
        bench.serve()
        #expect(bench.addMedia().isEmpty)
        #expect(bench.broadcast([1], of: "\(Self.media)/char0034").isEmpty)
        #expect(bench.removeMedia().isEmpty)
        #expect(bench.ask(.subscribe(.update)).isEmpty)
        #expect(bench.wait(.seconds(60)).isEmpty)
        #expect(bench.pending.allSatisfy { !$0.text.contains(Self.media) })
    }

    @Test func itIsFoundWhenItsObjectsAreComplete() {
        let bench = Bench()
        bench.begin()
        bench.serve()
        #expect(bench.ask(.find(.media)).isEmpty)
        #expect(bench.wait(.seconds(60)).isEmpty)
        #expect(bench.addMedia().isEmpty)
        let lines = bench.wait(PhoneLink.completionTime)
        #expect(lines.count == 1 && lines.companionEvents.first?.parts == [.command, .update])
        #expect(bench.wait(.seconds(60)).isEmpty)
    }

    /// bluetoothd broadcasts what is read.
    @Test func whatIsOnlyReadIsThereWhereTextsMayBeOnTheBus() {
        let bench = Bench(
            {
                var configuration = BlueZAccessory.Configuration(name: "desk lamp")
                configuration.allowsTextsOnBus = true
                return configuration
            }())
        bench.begin()
        bench.serve()
        bench.addMedia()
        bench.ask(.find(.media))
        let lines = bench.wait(PhoneLink.completionTime)
        #expect(lines.companionEvents.first?.parts == [.command, .update, .entity])
        #expect(bench.ask(.read(.entity)).calls == ["ReadValue \(Self.media)/char0037"])
        #expect(
            bench.answer("ReadValue \(Self.media)/char0037", .octets([0x41]))
                == [.companion(1, .read(.entity, [0x41]))])
        bench.ask(.read(.entity))
        #expect(
            bench.refuse("ReadValue \(Self.media)/char0037", "Failed", "ATT error: 0xa2")
                == [.companion(1, .read(.entity, nil))])
    }

    @Test func withoutThatNothingIsAskedOfIt() {
        let bench = Self.using()
        #expect(bench.ask(.read(.entity)).isEmpty)
        #expect(bench.ask(.write(.entity, [2, 2])).isEmpty)
    }

    @Test func anotherServiceWithTheSameCharacteristicsIsNone() {
        let bench = Bench()
        bench.begin()
        bench.serve()
        bench.ask(.find("180D"))
        bench.addMedia()
        #expect(bench.wait(.seconds(60)).isEmpty)
    }

    @Test func whatHasThousandsOfACharacteristicHasNone() {
        let bench = Self.using()
        let extra = (1...17).map { Bench.path("\(Self.media)/char01\($0 + 10)") }
        let lines = extra.flatMap {
            bench.add($0, Bench.characteristic, ["UUID": .string(BluetoothUUID.update.text)])
        }
        // It is unavailable once, and the rest is used.
        #expect(lines.companionEvents == [.unavailable])
        #expect(bench.wait(.seconds(60)).companionEvents == [.available([.command])])
        for path in extra { bench.remove(path) }
        #expect(bench.wait(.seconds(60)).companionEvents.last?.parts == [.command, .update])
    }

    // MARK: Values

    @Test func valuesComeByTheSocketOnly() throws {
        let bench = Self.using()
        #expect(bench.ask(.subscribe(.update)).calls == [Self.acquire])
        let lines = bench.answer(Self.acquire, .descriptor(Bench.descriptor))
        let socket = try #require(bench.sockets.last)
        #expect(lines == [.open(socket), .companion(1, .subscribed(.update, nil))])
        #expect(bench.broadcast([1], of: "\(Self.media)/char0034").isEmpty)
        #expect(
            bench.input { $0.receive([2, 2, 0], from: socket, at: $1) }
                == [.companion(1, .value(.update, [2, 2, 0]))])
        // Those of ANCS come as before.
        let first = try #require(bench.sockets.first)
        #expect(
            bench.input { $0.receive([7], from: first, at: $1) } == [.report(1, .dataSource([7]))])
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
    }

    @Test func whereSocketsEndBluetoothdTheyAreBroadcastIfTheUserAllowsIt() {
        let bench = Self.using(textsOnBus: true)
        bench.ask(.subscribe(.update))
        #expect(
            bench.refuse(Self.acquire, "Failed", "no").calls
                == ["StartNotify \(Self.media)/char0034"])
        #expect(
            bench.answer("StartNotify \(Self.media)/char0034")
                == [.companion(1, .subscribed(.update, nil))])
        #expect(
            bench.broadcast([1], of: "\(Self.media)/char0034")
                == [.companion(1, .value(.update, [1]))])
        #expect(bench.broadcast([1], of: "\(Self.media)/char0031").isEmpty)
    }

    @Test func otherwiseTheSubscriptionIsRefusedAndANCSGoesOn() {
        let bench = Self.using()
        bench.ask(.subscribe(.update))
        #expect(
            bench.refuse(Self.acquire, "Failed", "ATT error: 0xa0")
                == [.companion(1, .subscribed(.update, ATTErrorCode(rawValue: 0xA0)))])
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        #expect(bench.wait(.seconds(60)).isEmpty)
    }

    /// Before 5.84, a phone that refuses is not an answer; a link must not be ended for that.
    @Test func aSocketThatIsNeverAnsweredIsRefusedAndEndsNoLink() {
        let bench = Self.using()
        bench.ask(.subscribe(.update))
        #expect(bench.lose(Self.acquire) == [.call(Self.acquire)])
        #expect(
            bench.finish(Self.acquire, .failure(Self.taken))
                == [.companion(1, .subscribed(.update, .unlikelyError))])
        #expect(bench.pending.allSatisfy { !$0.text.contains(Self.media) })
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        // It can be asked for again.
        #expect(bench.ask(.subscribe(.update)).calls == [Self.acquire])
    }

    @Test func anErrorOfBluetoothdIsNotThePhones() {
        let bench = Self.using()
        bench.ask(.subscribe(.update))
        #expect(
            bench.refuse(Self.acquire, "NotPermitted", "no")
                == [.companion(1, .subscribed(.update, .unlikelyError))])
    }

    @Test func anotherProgramsSocketIsWaitedForAWhile() throws {
        let bench = Self.using()
        bench.ask(.subscribe(.update))
        #expect(bench.finish(Self.acquire, .failure(Self.taken)).isEmpty)
        #expect(bench.wait(.milliseconds(200)) == [.call(Self.acquire)])
        let lines = bench.answer(Self.acquire, .descriptor(Bench.descriptor))
        #expect(lines.companionEvents == [.subscribed(.update, nil)])
    }

    // MARK: Requests

    @Test func requestsAreMadeOneAfterTheOther() {
        let bench = Self.using()
        #expect(bench.ask(.write(.update, [0, 0])).calls == [Self.write])
        #expect(bench.ask(.write(.command, [1])).isEmpty)
        #expect(
            bench.answer(Self.write) == [
                .companion(1, .written(.update, nil)),
                .call("WriteValue \(Self.media)/char0031"),
            ])
        #expect(
            bench.refuse("WriteValue \(Self.media)/char0031", "Failed", "ATT error: 0xa1")
                == [.companion(1, .written(.command, ATTErrorCode(rawValue: 0xA1)))])
    }

    @Test func anotherProgramsRequestIsWaitedForAndOneWithoutAnAnswerIsRefused() {
        let bench = Self.using()
        bench.ask(.write(.update, [0, 0]))
        #expect(bench.refuse(Self.write, "InProgress").isEmpty)
        #expect(bench.wait(.milliseconds(50)).calls == [Self.write])
        #expect(
            bench.lose(Self.write) == [.companion(1, .written(.update, .unlikelyError))])
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
    }

    // MARK: It goes and comes

    @Test func itGoesInTheMiddleOfARequestAndComesBack() throws {
        let (bench, socket) = try Self.subscribed()
        bench.ask(.write(.update, [0, 0]))
        #expect(bench.removeMedia() == [.companion(1, .unavailable), .close(socket)])
        // What was asked for before is not answered.
        #expect(bench.answer(Self.write).isEmpty)
        #expect(bench.input { $0.receive([1], from: socket, at: $1) }.isEmpty)
        #expect(bench.ask(.write(.update, [0, 0])).isEmpty)
        bench.addMedia()
        #expect(
            bench.wait(PhoneLink.completionTime).companionEvents.last?.parts
                == [.command, .update])
        #expect(bench.ask(.subscribe(.update)).calls == [Self.acquire])
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
    }

    @Test func ancsGoesAndComesAndItStays() throws {
        let (bench, socket) = try Self.subscribed()
        #expect(bench.removeANCS().companionEvents.isEmpty)
        bench.addANCS()
        #expect(
            bench.input { $0.receive([1], from: socket, at: $1) }
                == [.companion(1, .value(.update, [1]))])
        #expect(bench.wait(.seconds(60)).companionEvents.isEmpty)
    }

    @Test func aSocketThatIsClosedIsBegunAnew() throws {
        let (bench, socket) = try Self.subscribed()
        #expect(
            bench.input { $0.hungUp(socket, at: $1) }
                == [.companion(1, .unavailable), .close(socket)])
        let lines = bench.wait(PhoneLink.completionTime)
        #expect(lines.companionEvents.last?.parts == [.command, .update])
        #expect(bench.ask(.subscribe(.update)).calls == [Self.acquire])
        // The link of ANCS is not concerned.
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
    }

    @Test func withTheLinkItEnds() throws {
        let (bench, socket) = try Self.subscribed()
        let lines = bench.disconnect()
        #expect(lines.contains(.close(socket)))
        #expect(lines.companionEvents == [.unavailable])
        #expect(bench.sockets.isEmpty)
        #expect(bench.wait(.seconds(60)).companionEvents.isEmpty)
        #expect(bench.ask(.write(.update, [0, 0])).isEmpty)
    }

    @Test func whoeverLeavesClosesItsSockets() throws {
        let (bench, socket) = try Self.subscribed()
        let lines = bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }
        #expect(lines.contains(.close(socket)))
        #expect(bench.ask(.find(.media)).isEmpty)
        #expect(bench.wait(.seconds(60)).companionEvents.isEmpty)
    }

    @Test func whatIsBroadcastIsStoppedWithTheLink() {
        let bench = Self.using(textsOnBus: true)
        bench.ask(.subscribe(.update))
        bench.refuse(Self.acquire, "Failed", "no")
        bench.answer("StartNotify \(Self.media)/char0034")
        // Otherwise bluetoothd subscribes by itself, and the phone tells nobody what it tells the first time. Before
        // 5.84 it must not.
        #expect(!bench.disconnect().calls.contains { $0.hasPrefix("StopNotify") })
    }
}
