import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

/// A request that bluetoothd never answers: it does so with what a peer refuses before pairing.
@Suite struct SystemHangTests {
    private let bench = SystemBench()
    private static let read = "ReadValue dev_1/service0010/char0014"

    init() { bench.begin() }

    @Test func anUnansweredReadOfAStrangerIsPairedFor() {
        let peer = bench.connect()
        #expect(bench.start(.readValue(SystemBench.readable), on: peer) == [.call(Self.read)])
        #expect(bench.wait(.milliseconds(4_999)) == [])
        #expect(bench.wait(.milliseconds(1)) == [.call("Pair dev_1")])
        // Nothing is called while it pairs.
        #expect(bench.start(.writeValue(SystemBench.writable, [1]), on: peer) == [])
        #expect(bench.subscribe(of: peer) == [])
        #expect(bench.changeDevice(["Paired": .bool(true)]).contains(.event(.changed(peer))))
        #expect(bench.pending.map(\.text) == [Self.read, "Pair dev_1"])
        let lines = bench.answer("Pair dev_1")
        #expect(lines.contains(.event(.paired(peer))))
        // bluetoothd repeats the request by itself: it is not made twice.
        #expect(!lines.contains(.call(Self.read)))
        #expect(lines.contains(.call("WriteValue dev_1/service0010/char0016")))
        #expect(
            bench.answer(Self.read, .octets([9])) == [.completed(1, .success(.value([9])))])
    }

    @Test func aBondedPeerIsNotSuspected() {
        bench.addDevice(isPaired: true)
        let peer = bench.peer()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        bench.addAttributes()
        bench.resolve()
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(bench.wait(.seconds(34)) == [])
    }

    @Test func withoutAnAnswerALinkOfItsOwnIsEndedOnce() {
        let peer = bench.connect()
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.start(.writeValue(SystemBench.writable, [1]), on: peer)
        bench.wait(.seconds(5))
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        let lines = bench.lose(Self.read)
        #expect(lines.contains(.completed(1, .failure(.gatt(.transactionTimedOut)))))
        #expect(lines.contains(.completed(2, .failure(.gatt(.transactionTimedOut)))))
        #expect(lines.last == .call("Disconnect dev_1"))
        bench.answer("Disconnect dev_1")
        #expect(bench.linkDown(reason: "Local") == [.event(.disconnected(peer, .bluetoothdHung))])
    }

    @Test func anotherProgramsLinkStaysAndIsNotAskedAgain() {
        bench.addDevice(isConnected: true)
        let peer = bench.peer()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.addAttributes()
        bench.resolve()
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.wait(.seconds(5))
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        #expect(
            bench.lose(Self.read) == [.completed(1, .failure(.gatt(.transactionTimedOut)))])
        #expect(
            bench.start(.readValue(SystemBench.readable), on: peer)
                == [.completed(2, .failure(.gatt(.transactionTimedOut)))])
        #expect(bench.subscribe(of: peer) == [.completed(3, .failure(.gatt(.transactionTimedOut)))])
        #expect(bench.pending == [])
        // A new link is a new chance.
        bench.linkDown()
        bench.linkUp()
        bench.resolve()
        #expect(bench.start(.readValue(SystemBench.readable), on: peer) == [.call(Self.read)])
    }

    @Test func servicesThatAreNeverResolvedEndWhatWaitsForThem() {
        bench.addDevice(isConnected: true)
        let peer = bench.peer()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(bench.start(.discoverPrimaryServices, on: peer) == [])
        #expect(
            bench.wait(RemotePeer.resolutionTime)
                == [.completed(1, .failure(.gatt(.transactionTimedOut)))])
        // Each request gets its time.
        #expect(bench.start(.discoverPrimaryServices, on: peer) == [])
        #expect(bench.resolve().contains(.completed(2, .success(.services([])))))
    }
}
