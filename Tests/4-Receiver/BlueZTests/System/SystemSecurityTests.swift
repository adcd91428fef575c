import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemSecurityTests {
    private let bench = SystemBench()
    private let peer: PeerKey
    private static let read = "ReadValue dev_1/service0010/char0014"
    private static let write = "WriteValue dev_1/service0010/char0016"

    init() {
        bench.begin()
        peer = bench.connect()
    }

    private func refused(_ request: UInt64, _ handle: AttributeHandle) -> SystemBench.Line {
        .completed(request, .failure(.gatt(.errorResponse(.insufficientAuthentication, handle))))
    }

    @Test func aRefusalIsPairedForAndRepeated() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.start(.writeValue(SystemBench.writable, [1]), on: peer)
        #expect(
            bench.refuse(Self.read, "NotPermitted", "Not paired") == [.call("Pair dev_1")])
        #expect(bench.refuse(Self.write, "NotPermitted", "Not paired") == [])
        bench.changeDevice(["Paired": .bool(true)])
        #expect(
            bench.answer("Pair dev_1")
                == [.event(.paired(peer)), .call(Self.read), .call(Self.write)])
        bench.answer(Self.read, .octets([]))
        // It is not paired for twice.
        #expect(
            bench.refuse(Self.write, "NotPermitted", "Not paired") == [
                .event(.pairingFailed(peer, .peerLostBond)), refused(2, SystemBench.writable),
            ])
    }

    @Test func afterAFailureNobodyIsAskedAgainUnwanted() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.refuse(Self.read, "NotPermitted", "Not paired")
        #expect(
            bench.refuse("Pair dev_1", "AuthenticationCanceled") == [
                .event(.pairingFailed(peer, .cancelled)), refused(1, SystemBench.readable),
            ])
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(
            bench.refuse(Self.read, "NotPermitted", "Not paired")
                == [refused(2, SystemBench.readable)])
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.pairForClient(at: now) }
            } == [.call("Pair dev_1")])
    }

    @Test func anotherProgramsPairingIsWaitedFor() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.refuse(Self.read, "NotPermitted", "Not paired")
        #expect(bench.refuse("Pair dev_1", "InProgress") == [])
        #expect(
            bench.changeDevice(["Paired": .bool(true)])
                == [.event(.paired(peer)), .call(Self.read), .event(.changed(peer))])
    }

    @Test func anotherProgramsPairingMayNeverEnd() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.refuse(Self.read, "NotPermitted", "Not paired")
        bench.refuse("Pair dev_1", "InProgress")
        #expect(
            bench.wait(.seconds(90)) == [
                .event(.pairingFailed(peer, .timedOut)), refused(1, SystemBench.readable),
            ])
    }

    @Test func aBondedPeerThatRefusesHasLostItsKeys() {
        bench.changeDevice(["Paired": .bool(true)])
        for _ in 0..<2 { bench.start(.readValue(SystemBench.readable), on: peer) }
        #expect(
            bench.refuse(Self.read, "NotPermitted", "Not paired") == [
                .event(.pairingFailed(peer, .peerLostBond)), refused(1, SystemBench.readable),
                .call(Self.read),
            ])
        // It is said once.
        #expect(
            bench.refuse(Self.read, "NotPermitted", "Not paired")
                == [refused(2, SystemBench.readable)])
    }

    @Test func theUserIsAskedByOurAgent() {
        bench.input { system, now in
            system.change(peer, at: now) { $0.pairForClient(at: now) }
        }
        let lines = bench.askAgent("RequestConfirmation", 123_456)
        #expect(lines.first == .event(.ask(peer, .compare(123_456), request: 1)))
        #expect(
            bench.input { $0.passOn(.confirm(true), to: 1, at: $1) }
                == [.answer(InvocationID(rawValue: 1), .success([]))])
        // A second question is withdrawn with the pairing.
        bench.askAgent("RequestConfirmation", 2)
        #expect(
            bench.refuse("Pair dev_1", "AuthenticationFailed").contains(.event(.withdrawn(peer))))
    }

    @Test func nobodyIsAskedAboutAStranger() {
        guard case .answer(_, .failure)? = bench.askAgent("RequestConfirmation", 1).first else {
            Issue.record("it is not refused")
            return
        }
    }

    private static let agreed = SystemBench.Line.answer(InvocationID(rawValue: 1), .success([]))

    private func isRefused(_ lines: [SystemBench.Line]) -> Bool {
        guard lines.count == 1, case .answer(_, .failure)? = lines.first else { return false }
        return true
    }

    @Test func aPairingOfBluetoothdForARequestIsJoined() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(bench.askAgent("RequestAuthorization", 0) == [.call("Pair dev_1"), Self.agreed])
        // bluetoothd repeats the request by itself.
        #expect(
            bench.answer(Self.read, .octets([1]))
                == [.completed(1, .success(.value([1])))])
        #expect(bench.changeDevice(["Paired": .bool(true)]) == [.event(.changed(peer))])
        #expect(bench.answer("Pair dev_1") == [.event(.paired(peer))])
    }

    @Test func aPairingOfBluetoothdForASubscriptionIsJoined() {
        bench.subscribe(of: peer)
        #expect(bench.askAgent("RequestAuthorization", 0) == [.call("Pair dev_1"), Self.agreed])
    }

    @Test func theUserIsAskedInAPairingOfBluetoothd() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        let lines = bench.askAgent("RequestConfirmation", 123_456)
        #expect(lines.first == .call("Pair dev_1"))
        #expect(lines.last == .event(.ask(peer, .compare(123_456), request: 1)))
    }

    @Test func aPairingThatNoRequestWaitsForIsRefused() {
        // A value that the peer has given, and one that it cannot refuse.
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.answer(Self.read, .octets([1]))
        bench.writeWithoutResponse([1], of: peer)
        #expect(isRefused(bench.askAgent("RequestAuthorization", 0)))
        // Nothing but pairing is joined.
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(isRefused(bench.askAgent("AuthorizeService", 0)))
    }

    @Test func aPairingWithoutABondIsRefused() {
        bench.change("/org/bluez/hci0", Bench.adapter, ["Pairable": .bool(false)])
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(isRefused(bench.askAgent("RequestAuthorization", 0)))
        #expect(
            bench.wait(RemotePeer.suspicionTime)
                == [.call("Set Pairable true hci0"), .call("Pair dev_1")])
    }

    @Test func afterAFailureBluetoothdDoesNotPairEither() {
        bench.input { system, now in
            system.change(peer, at: now) { $0.pairForClient(at: now) }
        }
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(isRefused(bench.askAgent("RequestAuthorization", 0)))
    }

    @Test func theAdapterIsPairableOnlyMeanwhile() {
        bench.change("/org/bluez/hci0", Bench.adapter, ["Pairable": .bool(false)])
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.pairForClient(at: now) }
            }
                == [.call("Set Pairable true hci0"), .call("Pair dev_1")])
        #expect(
            bench.refuse("Pair dev_1", "AuthenticationTimeout").last
                == .call("Set Pairable false hci0"))
    }

    @Test func pairingWaitsForTheDiscoveryOfServices() {
        bench.linkDown()
        bench.linkUp()
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.pairForClient(at: now) }
            } == [])
        #expect(bench.resolve().contains(.call("Pair dev_1")))
    }

    @Test func pairingWaitsForServicesOnlySoLong() {
        bench.linkDown()
        bench.linkUp()
        bench.input { system, now in
            system.change(peer, at: now) { $0.pairForClient(at: now) }
        }
        #expect(
            bench.wait(RemotePeer.resolutionTime) == [.event(.pairingFailed(peer, .timedOut))])
        #expect(bench.resolve().contains(.call("Pair dev_1")) == false)
    }

    @Test func theEndOfTheLinkEndsThePairing() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.refuse(Self.read, "NotPermitted", "Not paired")
        #expect(bench.linkDown().contains(.completed(1, .failure(.gatt(.closed)))))
        #expect(bench.refuse("Pair dev_1", "AuthenticationFailed") == [])
        #expect(bench.query { !$0.active.values.contains(where: \.isPairing) })
    }
}
