import ANCSEvents
import BlueZTestKit
import BluetoothLE
import DBus
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// bluetoothd keeps an `AcquireNotify` that it never answers, and refuses every later one as if a program had the socket
/// (*Notify acquired*): one that waits for security when the link ends, in all versions, and one that the peer refuses,
/// before 5.84. It is this program's own.
@Suite struct KeptSocketTests {
    private static let name = "dev_1/service0010/char0011"
    private static let acquire = "AcquireNotify \(name)"
    private static let stop = "StopNotify \(name)"
    /// bluetoothd 5.82, and 5.85.
    private static let old = "usb:v1D6Bp0246d0552"
    private static let new = "usb:v1D6Bp0246d0555"
    private static let acquired = BusError.blueZ("NotPermitted", "Notify acquired")

    private let peer: PeerKey
    private let bench = SystemBench()

    init() {
        bench.addDevice(isPaired: true)
        bench.addAttributes()
        peer = PeerKey(rawValue: 1)
    }

    /// A link to the bonded device, made by this program unless another one makes it.
    private func linkUp(isOwn: Bool = true) {
        if isOwn { bench.input { $0.connect(peer, by: SystemBench.app, at: $1) } }
        bench.linkUp()
        if isOwn { bench.answer("Connect dev_1") }
        bench.resolve()
        if !isOwn { bench.input { $0.connect(peer, by: SystemBench.app, at: $1) } }
    }

    /// The last subscription is refused as long as it is tried.
    private func refuseAll() -> [SystemBench.Line] {
        var lines: [SystemBench.Line] = []
        for _ in 0..<ValueSubscription.maximumAttempts {
            let index = bench.pending.lastIndex { $0.text == Self.acquire } ?? 0
            lines += bench.finish(at: index, .failure(Self.acquired))
            lines += bench.wait(.seconds(4))
        }
        return lines
    }

    /// The failure of the last subscription.
    private func failure(_ failure: PeerRequestFailure) -> SystemBench.Line {
        .completed(bench.request, .failure(failure))
    }

    // MARK: Before 5.84

    /// Nothing ends it but a restart of bluetoothd: `StopNotify` might use freed memory.
    @Test(arguments: [true, false]) func itIsNotTakenForAnotherPrograms(isLost: Bool) {
        bench.begin(modalias: Self.old)
        linkUp()
        bench.subscribe(of: peer)
        bench.linkDown()
        if isLost { bench.lose(Self.acquire) }
        linkUp()
        bench.subscribe(of: peer)
        let lines = refuseAll()
        #expect(lines.last == failure(.keptByBluetoothd))
        #expect(!lines.contains(.call(Self.stop)))
    }

    @Test func aRefusalThatIsNotAnsweredIsNoOtherProgram() {
        bench.begin(modalias: Self.old)
        linkUp()
        bench.subscribe(of: peer)
        #expect(bench.lose(Self.acquire).last == .call("Disconnect dev_1"))
        bench.answer("Disconnect dev_1")
        #expect(bench.linkDown(reason: "Local") == [.event(.disconnected(peer, .bluetoothdHung))])
        linkUp()
        bench.subscribe(of: peer)
        #expect(refuseAll().last == failure(.keptByBluetoothd))
    }

    /// It has been handed over in the end: who has the next one is another program.
    @Test func afterALateAnswerItIsAnotherProgram() {
        bench.begin(modalias: Self.old)
        linkUp()
        bench.subscribe(of: peer)
        bench.linkDown()
        linkUp()
        bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
        #expect(bench.sockets == [], "it was for the earlier link")
        bench.subscribe(of: peer)
        #expect(refuseAll().last == failure(.takenByAnotherProgram))
    }

    /// With the characteristic, the device or bluetoothd goes what it keeps, though the next one has the same path.
    @Test(arguments: 0...2) func whatIsThereAgainKeepsNothing(_ what: Int) {
        bench.begin(modalias: Self.old)
        linkUp()
        bench.subscribe(of: peer)
        bench.linkDown()
        if what == 1 { bench.lose(Self.acquire) }
        switch what {
        case 0, 1:
            bench.removeAttributes()
            if what == 1 {
                bench.remove(Bench.path("dev_1"))
                bench.addDevice(isPaired: true)
            }
            bench.addAttributes()
        case _:
            bench.daemonEnds()
            bench.pending = []
            bench.addDevice(isPaired: true)
            bench.addAttributes()
            bench.begin(modalias: Self.old)
        }
        if what == 0 { bench.lose(Self.acquire) }
        linkUp()
        bench.subscribe(of: peer)
        #expect(refuseAll().last == failure(.takenByAnotherProgram))
    }

    // MARK: Since 5.84

    /// Then `StopNotify` is safe, and when the link has gone, the socket of no other program is there to be closed.
    @Test(arguments: [true, false]) func itIsReleasedWhenTheLinkHasEnded(isWanted: Bool) {
        bench.begin(modalias: Self.new)
        linkUp()
        bench.subscribe(of: peer)
        if !isWanted { bench.subscribe(false, of: peer) }
        #expect(
            bench.linkDown().suffix(2) == [
                .call(Self.stop), .event(.disconnected(peer, .linkEnded)),
            ])
        bench.answer(Self.stop)
        // That it is lost says nothing any more.
        bench.lose(Self.acquire)
        linkUp()
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
        #expect(refuseAll().last == failure(.takenByAnotherProgram))
        #expect(bench.linkDown() == [.event(.disconnected(peer, .linkEnded))])
    }

    @Test(arguments: [true, false]) func soIsOneThatHasHadNoAnswer(isOwn: Bool) {
        bench.begin(modalias: Self.new)
        linkUp(isOwn: isOwn)
        bench.subscribe(of: peer)
        let lines = bench.lose(Self.acquire)
        #expect(lines.contains(failure(.gatt(.transactionTimedOut))))
        #expect(lines.contains(.call("Disconnect dev_1")) == isOwn)
        // The link stays another program's, and so may be what is on it.
        #expect(!lines.contains(.call(Self.stop)))
        if isOwn { bench.answer("Disconnect dev_1") }
        #expect(bench.linkDown().filter { $0 == .call(Self.stop) }.count == 1)
        bench.answer(Self.stop)
        linkUp()
        #expect(bench.subscribe(of: peer) == [.call(Self.acquire)])
        #expect(
            bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185)).last
                == .completed(bench.request, .success(.done)))
    }

    @Test(arguments: [true, false]) func nothingIsReleasedThatHasGone(isPower: Bool) {
        bench.begin(modalias: Self.new)
        linkUp()
        bench.subscribe(of: peer)
        let lines = isPower ? bench.remove(Bench.path("dev_1")) : bench.daemonEnds()
        #expect(!lines.contains(.call(Self.stop)))
    }

    // MARK: One that was closed

    private func haveSocket() {
        bench.begin(modalias: Self.new)
        linkUp()
        bench.subscribe(of: peer)
        bench.answer(Self.acquire, .descriptor(Bench.descriptor), .uint16(185))
    }

    /// bluetoothd says whether any program has the socket.
    @discardableResult
    private func acquired(_ isAcquired: Bool) -> [SystemBench.Line] {
        bench.change(
            SystemBench.attributes(of: "dev_1")[1].0, "org.bluez.GattCharacteristic1",
            ["NotifyAcquired": .bool(isAcquired)])
    }

    /// bluetoothd says later that it has noticed. Meanwhile it is not another program that uses the link.
    @Test(arguments: [true, false]) func whatWasClosedHereKeepsNoLink(isReleased: Bool) {
        haveSocket()
        acquired(true)
        bench.subscribe(false, of: peer)
        let lines = bench.input { system, now in
            system.change(peer, at: now) {
                if isReleased {
                    $0.release(SystemBench.app, at: now)
                } else {
                    $0.endOwnLink(at: now)
                }
            }
        }
        #expect(lines == [.call("Disconnect dev_1")])
        #expect(acquired(false) == [])
    }

    @Test func anotherProgramsSocketAfterItKeepsTheLink() {
        haveSocket()
        for isAcquired in [true, false, true] {
            acquired(isAcquired)
            if isAcquired { bench.subscribe(false, of: peer) }
        }
        #expect(
            bench.input { system, now in
                system.change(peer, at: now) { $0.release(SystemBench.app, at: now) }
            } == [])
    }

    // MARK: On a bus

    /// The first socket is closed when nobody wants it, and the next one is had though bluetoothd may not know that yet.
    @Test func aSocketThatWasGivenUpIsHadAgainAtOnce() async throws {
        try await SystemWorld.run { world in
            world.strap.isPaired = true
            let (program, peer) = try await world.beginConnected()
            for _ in 0..<20 {
                #expect(try await world.subscribe(program, peer) == .success(.done))
                #expect(try await world.subscribe(program, peer, false) == .success(.done))
            }
        }
    }

    @Test(arguments: [Self.new, Self.old])
    func theLinkEndsWhileASocketIsAskedFor(_ modalias: String) async throws {
        try await SystemWorld.run { world in
            world.strap.isPaired = true
            world.strap.keepsSockets = true
            await world.double.run {
                $0.change(
                    BlueZDouble.adapter, "org.bluez.Adapter1", ["Modalias": .string(modalias)])
            }
            let (program, peer) = try await world.beginConnected()
            world.strap.requestTime = .seconds(2)
            let number = program.request { system, request, now in
                system.request(request, of: peer, at: now) {
                    $0.subscribe(
                        true, to: SystemWorld.measured, request, by: SystemWorld.app, at: now)
                }
            }
            try await world.loop.sleep(for: .seconds(1))
            let strap = world.strap
            await world.double.run { $0.linkDown(strap) }
            try await world.wait("the end", program) {
                $0.results[number] == .failure(.gatt(.closed))
            }
            world.strap.requestTime = .milliseconds(30)
            try await world.connect(program, peer)
            _ = try await world.perform(.discoverPrimaryServices, program, peer)
            let again = try await world.subscribe(program, peer)
            #expect(
                again == (modalias == Self.new ? .success(.done) : .failure(.keptByBluetoothd)))
        }
    }
}
