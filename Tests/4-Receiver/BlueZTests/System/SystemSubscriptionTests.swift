import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemSubscriptionTests {
    private let bench = SystemBench()
    private let peer: PeerKey
    private static let name = "dev_1/service0010/char0011"
    private static let acquire = "AcquireNotify \(name)"
    private static let trial = "ReadValue \(name)/desc0013"
    private static let start = "StartNotify \(name)"
    private static let stop = "StopNotify \(name)"
    private static let path = SystemBench.attributes(of: "dev_1")[1].0

    init() {
        bench.begin()
        peer = bench.connect()
        bench.changeDevice(["Paired": .bool(true)])
    }

    private func acquire() -> SocketID {
        bench.subscribe(of: peer)
        bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        return bench.sockets.last ?? SocketID(rawValue: 0)
    }

    private func broadcast(_ value: [UInt8]) -> [SystemBench.Line] {
        bench.change(Self.path, "org.bluez.GattCharacteristic1", ["Value": .octets(value)])
    }

    private func closed(_ request: UInt64) -> SystemBench.Line {
        .completed(request, .failure(.gatt(.closed)))
    }

    @Test func aSocketComesFirst() {
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
        let lines = bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        let socket = bench.sockets[0]
        #expect(lines == [.open(socket), .completed(1, .success(.done))])
        #expect(
            bench.input { $0.receive([1], from: socket, at: $1) }
                == [.event(.value(peer, SystemBench.notified, [1]))])
        // What another program reads is not a notification.
        #expect(broadcast([2]) == [])
        #expect(
            bench.subscribe(false, of: peer) == [.close(socket), .completed(2, .success(.done))])
        #expect(bench.input { $0.receive([1], from: socket, at: $1) } == [])
    }

    @Test func clientsShareIt() {
        let socket = acquire()
        #expect(
            bench.subscribe(of: peer, by: SystemBench.otherApp) == [closed(2)],
            "it does not use the link")
        bench.input { $0.connect(peer, by: SystemBench.otherApp, at: $1) }
        #expect(
            bench.subscribe(of: peer, by: SystemBench.otherApp) == [.completed(3, .success(.done))])
        #expect(bench.subscribe(false, of: peer) == [.completed(4, .success(.done))])
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.release(SystemBench.otherApp, at: now) }
            } == [.close(socket)])
    }

    @Test func withoutASocketItStarts() {
        bench.subscribe(of: peer)
        // Another program has subscribed by signals.
        #expect(bench.refuse(Self.acquire, "InProgress") == [.call(Self.start)])
        #expect(bench.answer(Self.start) == [.completed(1, .success(.done))])
        #expect(broadcast([1, 2]) == [.event(.value(peer, SystemBench.notified, [1, 2]))])
        #expect(bench.subscribe(false, of: peer) == [.call(Self.stop)])
        #expect(bench.answer(Self.stop) == [.completed(2, .success(.done))])
        #expect(broadcast([1]) == [])
    }

    @Test func whatWasLeftBehindCounts() {
        bench.subscribe(of: peer)
        bench.refuse(Self.acquire, "InProgress")
        #expect(
            bench.refuse(Self.start, "InProgress") == [.completed(1, .success(.done))])
    }

    @Test func aTakenSocketIsWaitedFor() {
        bench.subscribe(of: peer)
        var lines: [SystemBench.Line] = []
        for _ in 1..<ValueSubscription.maximumAttempts {
            #expect(bench.refuse(Self.acquire, "NotPermitted", "Notify acquired") == [])
            #expect(bench.wait(.seconds(4)) == [.call(Self.acquire)])
        }
        lines = bench.refuse(Self.acquire, "NotPermitted", "Notify acquired")
        #expect(lines == [.completed(1, .failure(.takenByAnotherProgram))])
        #expect(bench.nextDeadline == nil)
    }

    /// It is being replaced, which is reported separately if it lasts.
    @Test func anObjectThatIsGoneIsAskedForAgain() {
        bench.subscribe(of: peer)
        let gone = BusError(BusError.unknownObject)
        for _ in 1..<ValueSubscription.maximumAttempts {
            #expect(bench.finish(Self.acquire, .failure(gone)) == [])
            #expect(bench.wait(.seconds(4)) == [.call(Self.acquire)])
        }
        let failure = PeerRequestFailure.gatt(.errorResponse(.invalidHandle, SystemBench.notified))
        #expect(
            bench.finish(Self.acquire, .failure(gone)) == [.completed(1, .failure(failure))])
    }

    /// It is refused while nobody wants it any more: there is nothing to end, and the link is left alone.
    @Test func whatIsGivenUpBeforeTheAnswerEndsInNothing() {
        bench.subscribe(of: peer)
        #expect(bench.subscribe(false, of: peer) == [])
        #expect(
            bench.refuse(Self.acquire, "Failed") == [
                .completed(1, .success(.done)), .completed(2, .success(.done)),
            ])
    }

    /// Other programs can share that, and `AcquireNotify` that is refused has no answer before 5.84.
    @Test(arguments: ["usb:v1D6Bp0246d0552", "usb:v1D6Bp0246d0557", "", "usb:v1D6Bp0246dXXXX"])
    func aStrangerIsSubscribedToBySignals(_ modalias: String) {
        let bench = SystemBench()
        bench.begin(modalias: modalias)
        let peer = bench.connect()
        #expect(bench.subscribe(of: peer) == [.call(Self.start)])
        // A refusal is answered, and paired for.
        #expect(
            bench.refuse(Self.start, "NotPermitted", "Not paired") == [.call("Pair dev_1")])
        bench.changeDevice(["Paired": .bool(true)])
        // From 5.84 on, no trial is needed.
        let first = modalias.hasSuffix("57") ? Self.acquire : Self.trial
        #expect(bench.answer("Pair dev_1") == [.event(.paired(peer)), .call(first)])
        if first == Self.trial {
            #expect(bench.answer(Self.trial, .octets([0, 0])) == [.call(Self.acquire)])
        }
    }

    /// A first pairing, and a client that subscribes on its link.
    private static func paired(
        _ modalias: String = "usb:v1D6Bp0246d0542"
    ) -> (SystemBench, PeerKey) {
        let bench = SystemBench()
        bench.begin(modalias: modalias)
        let peer = bench.connect()
        bench.input { system, now in
            system.change(peer, at: now) { $0.pairForClient(at: now) }
        }
        bench.changeDevice(["Paired": .bool(true)])
        bench.answer("Pair dev_1")
        return (bench, peer)
    }

    /// A link on which the peer was paired may hang, and an `AcquireNotify` that waits there outlasts it: before 5.84
    /// bluetoothd never answers it, and every later one *Notify acquired*.
    @Test func before584ALinkOfAPairingIsTriedBeforeASocketIsAskedFor() {
        let (bench, peer) = Self.paired()
        #expect(bench.subscribe(of: peer) == [.call(Self.trial)])
        let lines = bench.lose(Self.trial)
        #expect(lines.contains(.completed(1, .failure(.gatt(.transactionTimedOut)))))
        #expect(lines.last == .call("Disconnect dev_1"))
        bench.answer("Disconnect dev_1")
        bench.linkDown(reason: "Local")
        // The next link is that of a bond.
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        bench.resolve()
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
    }

    @Test func aTrialThatIsInProgressForEverIsAHang() {
        let (bench, peer) = Self.paired()
        bench.subscribe(of: peer)
        for _ in 1..<ValueSubscription.maximumAttempts {
            #expect(bench.refuse(Self.trial, "InProgress") == [])
            #expect(bench.wait(.seconds(4)) == [.call(Self.trial)])
        }
        #expect(
            bench.refuse(Self.trial, "InProgress").contains(
                .completed(1, .failure(.gatt(.transactionTimedOut)))))
    }

    @Test func aTrialThatNobodyWantsAnyMoreEndsInNothing() {
        let (bench, peer) = Self.paired()
        bench.subscribe(of: peer)
        #expect(bench.subscribe(false, of: peer) == [])
        #expect(
            bench.answer(Self.trial, .octets([0, 0])) == [
                .completed(1, .success(.done)), .completed(2, .success(.done)),
            ])
    }

    @Test func aTrialIsMadeOncePerLinkAndAnAnswerOfThePeerIsOne() {
        let (bench, peer) = Self.paired()
        bench.subscribe(of: peer)
        let refusal = BusError.blueZ("Failed", "Operation failed with ATT error: 0x0e")
        #expect(bench.finish(Self.trial, .failure(refusal)) == [.call(Self.acquire)])
        bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        bench.subscribe(false, of: peer)
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
    }

    @Test func from584OnNoTrialIsNeeded() {
        let (bench, peer) = Self.paired("usb:v1D6Bp0246d0554")
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
    }

    /// bluetoothd broadcasts what is read before it replies.
    @Test func whatIsReadIsNotNotified() {
        let read = "ReadValue \(Self.name)"
        func value(_ octet: UInt8) -> SystemBench.Line {
            .event(.value(peer, SystemBench.notified, [octet]))
        }
        func start() { _ = bench.start(.readValue(SystemBench.notified), on: peer) }
        bench.subscribe(of: peer)
        bench.refuse(Self.acquire, "InProgress")
        bench.answer(Self.start)
        start()
        #expect(broadcast([1]) == [])
        #expect(bench.answer(read, .octets([1])) == [.completed(2, .success(.value([1])))])
        #expect(broadcast([1]) == [value(1)])
        // Others are notified meanwhile, before and after.
        start()
        for octet: UInt8 in [2, 3, 2, 4] { #expect(broadcast([octet]) == []) }
        #expect(
            bench.answer(read, .octets([2])) == [
                value(2), value(3), value(4), .completed(3, .success(.value([2]))),
            ])
        // A read that fails has none, and no number of values is kept without an end.
        start()
        for octet: UInt8 in 0..<16 { #expect(broadcast([octet]) == []) }
        #expect(broadcast([16]) == [value(0)])
        #expect(bench.refuse(read, "Failed").dropLast() == (1...16).map(value)[...])
    }

    /// What was notified before the link ended has arrived, though the read is not answered any more.
    @Test(arguments: [true, false]) func whatWasHeardDuringAReadIsNotLostWithIt(endsLink: Bool) {
        bench.subscribe(of: peer)
        bench.refuse(Self.acquire, "InProgress")
        bench.answer(Self.start)
        bench.start(.readValue(SystemBench.notified), on: peer)
        #expect(broadcast([1]) == [])
        let lines = endsLink ? bench.linkDown() : bench.removeAttributes()
        let value = SystemBench.Line.event(.value(peer, SystemBench.notified, [1]))
        #expect(lines.first == value)
        #expect(lines.count { $0 == value } == 1)
    }

    @Test func aSubscriptionEndsWithTheLinkAndDoesNotComeBack() {
        bench.subscribe(of: peer)
        bench.refuse(Self.acquire, "InProgress")
        bench.answer(Self.start)
        let lines = bench.linkDown()
        #expect(lines == [.call(Self.stop), .event(.disconnected(peer, .linkEnded))])
        bench.answer(Self.stop)
        bench.linkUp()
        bench.resolve()
        #expect(broadcast([1]) == [])
    }

    @Test func aStartThatSucceedsAfterTheLinkIsUndone() {
        bench.subscribe(of: peer)
        bench.refuse(Self.acquire, "InProgress")
        #expect(bench.linkDown().first == closed(1))
        #expect(bench.answer(Self.start) == [.call(Self.stop)])
    }

    @Test func nothingIsSubscribedOnADeadLink() {
        bench.linkDown()
        #expect(bench.subscribe(of: peer) == [closed(1)])
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        // The link is up, and the services are not resolved.
        #expect(bench.subscribe(of: peer) == [])
        #expect(bench.resolve().contains(.call(Self.acquire)))
    }

    @Test func aSocketThatHangsUpIsRenewedUnlessTheLinkEnds() {
        let socket = acquire()
        #expect(bench.input { $0.hungUp(socket, at: $1) } == [.close(socket)])
        bench.wait(.milliseconds(150))
        #expect(bench.linkDown() == [.event(.disconnected(peer, .linkEnded))])
        bench.wait(.seconds(5))
        #expect(bench.pending == [])
    }

    @Test func aSocketThatHangsUpOnALivingLinkIsRenewed() {
        let socket = acquire()
        bench.input { $0.hungUp(socket, at: $1) }
        #expect(bench.wait(.seconds(1)) == [.call(Self.acquire)])
        #expect(
            bench.refuse(Self.acquire, "NotSupported").contains(.call(Self.start)))
        #expect(
            bench.refuse(Self.start, "Failed", "Failed to register notify session")
                == [.event(.unsubscribed(peer, SystemBench.notified))])
    }

    @Test func anUnwantedSubscriptionEndsWhenItStands() {
        bench.subscribe(of: peer)
        #expect(bench.subscribe(false, of: peer) == [])
        let lines = bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        #expect(lines.contains(.completed(1, .success(.done))))
        #expect(lines.contains(.completed(2, .success(.done))))
        #expect(bench.sockets == [])
    }

    @Test func withoutAnAnswerItHangs() {
        bench.subscribe(of: peer)
        #expect(
            bench.lose(Self.acquire) == [
                .completed(1, .failure(.gatt(.transactionTimedOut))), .call("Disconnect dev_1"),
            ])
    }

    /// The loss of this program's own connection says nothing about bluetoothd.
    @Test func theLossOfTheBusIsNoEndOfBluetoothd() {
        bench.input { $0.selinuxRead(SELinuxState(isEnforcing: true, policy: "p"), at: $1) }
        bench.subscribe(of: peer)
        let lines = bench.input { $0.busLost(at: $1) }
        #expect(!lines.contains { if case .rememberEnds = $0 { true } else { false } })
        #expect(lines.contains(.completed(1, .failure(.gatt(.closed)))))
    }

    @Test func aSocketThatEndedBluetoothdIsNotAskedForAgain() {
        bench.input { $0.selinuxRead(SELinuxState(isEnforcing: true, policy: "p"), at: $1) }
        bench.subscribe(of: peer)
        let lines = bench.daemonEnds()
        #expect(lines.contains { if case .rememberEnds = $0 { true } else { false } })
        bench.pending = []
        bench.begin()
        bench.addDevice(isConnected: true, isPaired: true)
        bench.addAttributes()
        bench.resolve()
        let peer = bench.peer()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(bench.subscribe(of: peer) == [.call(Self.start)])
    }

    @Test func stopNotifyIsNotCalledWhereItIsDangerous() {
        let bench = SystemBench()
        bench.begin(modalias: "usb:v1D6Bp0246d0552")
        let peer = bench.connect()
        bench.changeDevice(["Paired": .bool(true)])
        bench.subscribe(of: peer)
        bench.answer(Self.trial, .octets([0, 0]))
        bench.refuse(Self.acquire, "Failed", "Failed to subscribe")
        bench.answer(Self.start)
        bench.change(Self.path, "org.bluez.GattCharacteristic1", ["Notifying": .bool(true)])
        #expect(bench.subscribe(false, of: peer) == [.completed(2, .success(.done))])
        // What remains is this program's own, and does not keep the link.
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.release(SystemBench.app, at: now) }
            }
                == [.call("Disconnect dev_1")])
    }
}
