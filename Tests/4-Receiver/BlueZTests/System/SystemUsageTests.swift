import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

/// bluetoothd broadcasts each value that any program reads: a program that needs none is not woken for them, and asks
/// what it would have learned in between.
@Suite struct SystemUsageTests {
    private let bench = SystemBench()
    private let peer: PeerKey
    private static let characteristic = AttributeObject.characteristic
    private static let path = SystemBench.attributes(of: "dev_1")[1].0
    private static let ask = "GetManagedObjects /"
    private static let acquire = "AcquireNotify dev_1/service0010/char0011"
    private static let disconnect = "Disconnect dev_1"

    init() {
        bench.begin()
        peer = bench.connect()
        bench.changeDevice(["Paired": .bool(true)])
        bench.holdsUsage = true
    }

    private var receivesChanges: Bool {
        bench.matches.contains(BlueZSystem.changes(of: Self.characteristic))
    }

    private func change(_ properties: [String: BusValue]) -> [SystemBench.Line] {
        bench.change(Self.path, Self.characteristic, properties)
    }

    private func answer() -> [SystemBench.Line] { bench.answer(Self.ask, bench.managedObjects) }

    @discardableResult
    private func release() -> [SystemBench.Line] {
        bench.input { system, now in
            system.change(peer, at: now) { $0.release(SystemBench.app, at: now) }
        }
    }

    @Test func changesAreReceivedWhileThereIsASubscription() {
        #expect(!receivesChanges)
        #expect(bench.subscribe(of: peer) == [.call(Self.ask)])
        #expect(receivesChanges)
        #expect(answer() == [.call(Self.acquire)])
        bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        // For a second one it is known.
        bench.input { $0.connect(peer, by: SystemBench.otherApp, at: $1) }
        #expect(
            bench.subscribe(of: peer, by: SystemBench.otherApp) == [.completed(2, .success(.done))])
        bench.subscribe(false, of: peer)
        #expect(receivesChanges)
        bench.subscribe(false, of: peer, by: SystemBench.otherApp)
        // bluetoothd has to notice that the socket was closed.
        #expect(receivesChanges)
        #expect(change(["NotifyAcquired": .bool(false)]) == [])
        #expect(!receivesChanges)
        #expect(bench.pending == [])
    }

    @Test func aSubscriptionOfAnotherProgramThatWasNotSeenIsShared() {
        _ = change(["Notifying": .bool(true)])
        bench.subscribe(of: peer)
        #expect(answer() == [.call("StartNotify dev_1/service0010/char0011")])
    }

    @Test func aLinkIsEndedWhenItIsKnownThatNobodyElseUsesIt() {
        #expect(release() == [.call(Self.ask)])
        #expect(answer() == [.call(Self.disconnect)])
        bench.answer(Self.disconnect)
        #expect(
            bench.linkDown(reason: "Local") == [
                .event(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            ])
        #expect(!receivesChanges)
    }

    @Test func aUserThatWasNotSeenKeepsTheLink() {
        _ = change(["NotifyAcquired": .bool(true)])
        release()
        #expect(answer() == [])
        #expect(receivesChanges)
        #expect(change(["NotifyAcquired": .bool(false)]) == [.call(Self.disconnect)])
    }

    @Test func aUserThatComesWhileBluetoothdIsAskedKeepsTheLink() {
        release()
        let before = bench.managedObjects
        #expect(change(["Notifying": .bool(true)]) == [])
        // bluetoothd has sent the reply after the signal.
        #expect(before != bench.managedObjects)
        #expect(answer() == [])
    }

    @Test func aDeviceThatBluetoothdUsesItselfIsNotAskedAbout() {
        bench.changeDevice(["UUIDs": .strings(["1812"])])
        #expect(release() == [])
        #expect(bench.pending == [])
    }

    @Test func withoutAnAnswerTheLinkStaysUntilThereIsOne() {
        release()
        let limit = bench.pending[0].limit
        #expect(bench.lose(Self.ask) == [])
        #expect(limit == .seconds(10))
        #expect(bench.wait(.seconds(10)) == [.call(Self.ask)])
        #expect(answer() == [.call(Self.disconnect)])
    }

    @Test func aSubscriptionWaitsUntilThereIsAnAnswer() {
        bench.subscribe(of: peer)
        #expect(bench.finish(Self.ask, .failure(BusError(BusError.noReply))) == [])
        #expect(bench.wait(.seconds(10)) == [.call(Self.ask)])
        #expect(answer() == [.call(Self.acquire)])
    }

    @Test func aClientThatComesBackWhileBluetoothdIsAskedGetsALink() {
        release()
        #expect(bench.input { $0.connect(peer, by: SystemBench.app, at: $1) } == [])
        _ = change(["Notifying": .bool(true)])
        #expect(answer() == [.event(.connected(SystemBench.app, peer))])
        #expect(!receivesChanges)
        // And a new one, if the old one ends.
        _ = change(["Notifying": .bool(false)])
        release()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(answer() == [.call(Self.disconnect)])
        bench.answer(Self.disconnect)
        #expect(bench.linkDown(reason: "Local").contains(.call("Connect dev_1")))
    }

    @Test func aHangingLinkThatAnotherProgramUsesStays() {
        _ = change(["Notifying": .bool(true)])
        bench.start(.readValue(SystemBench.readable), on: peer)
        let lines = bench.lose("ReadValue dev_1/service0010/char0014")
        #expect(
            lines == [.completed(1, .failure(.gatt(.transactionTimedOut))), .call(Self.ask)])
        #expect(answer() == [])
        // Nothing is answered on it.
        #expect(
            bench.start(.readValue(SystemBench.readable), on: peer)
                == [.completed(2, .failure(.gatt(.transactionTimedOut)))])
    }

    @Test func aLinkThatGoesMeanwhileIsNotEndedAgain() {
        release()
        #expect(
            bench.linkDown() == [
                .event(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            ])
        #expect(!receivesChanges)
        #expect(answer() == [])
        // The next link is another program's.
        bench.linkUp()
        #expect(bench.pending == [])
    }

    @Test func bluetoothdMayEndMeanwhile() {
        bench.subscribe(of: peer)
        bench.daemonEnds()
        #expect(!receivesChanges)
        bench.pending = []
        bench.begin()
        bench.holdsUsage = false
        let peer = bench.connect()
        bench.changeDevice(["Paired": .bool(true)])
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
    }

    /// There is a new link, whose services are resolved. Returns what is asked about its MTU.
    private func linkAgain() -> String {
        bench.linkDown()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        bench.resolve()
        let asked = bench.pending.map(\.text).filter { $0.hasPrefix("Get MTU") }
        #expect(asked.count == 1)
        return asked.first ?? ""
    }

    /// The objects of a bonded device are older than its next link, and say what was so on the last one.
    @Test func theMTUOfALinkWithOlderObjectsIsAskedFor() {
        #expect(bench.query { $0.mtu(of: peer) } == 185)
        #expect(bench.answer(linkAgain(), .uint16(247)) == [.event(.mtuChanged(peer, 247))])
        #expect(bench.query { $0.mtu(of: peer) } == 247)
    }

    /// Before 5.62 there is no such property.
    @Test func whereBluetoothdDoesNotSayTheMTUItIsTheLeast() {
        #expect(
            bench.finish(linkAgain(), .failure(BusError(BusError.invalidArguments))) == [])
        #expect(bench.query { $0.mtu(of: peer) } == 23)
    }
}
