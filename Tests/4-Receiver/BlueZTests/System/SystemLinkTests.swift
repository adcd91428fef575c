import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemLinkTests {
    private func bench() -> SystemBench {
        let bench = SystemBench()
        bench.begin()
        return bench
    }

    private let app = SystemBench.app
    private let other = SystemBench.otherApp

    private func connect(
        _ bench: SystemBench, _ peer: PeerKey,
        by client: ClientID = SystemBench.app, timeout: Duration? = nil
    ) -> [SystemBench.Line] {
        bench.input { $0.connect(peer, by: client, timeout: timeout, at: $1) }
    }

    private func release(
        _ bench: SystemBench, _ peer: PeerKey,
        by client: ClientID = SystemBench.app
    ) -> [SystemBench.Line] {
        bench.input { system, now in
            system.change(peer, at: now) { $0.release(client, at: now) }
        }
    }

    @Test func aLinkOfItsOwnEndsWithItsLastUser() {
        let bench = bench()
        let peer = bench.connect()
        #expect(connect(bench, peer, by: other) == [.event(.connected(other, peer))])
        #expect(release(bench, peer) == [])
        #expect(release(bench, peer, by: other) == [.call("Disconnect dev_1")])
        #expect(bench.answer("Disconnect dev_1") == [])
        #expect(
            bench.linkDown(reason: "Local") == [
                .event(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            ])
    }

    @Test func anotherProgramsLinkIsUsedAndNeverEnded() {
        let bench = bench()
        let lines = bench.addDevice(isConnected: true)
        let peer = bench.peer()
        #expect(lines.contains(.event(.linkUp(peer))))
        #expect(connect(bench, peer).last == .event(.connected(app, peer)))
        #expect(release(bench, peer) == [])
        bench.wait(.seconds(3_600))
        #expect(bench.pending == [])
    }

    @Test func aLinkThatAnotherProgramIsMakingIsItsOwn() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        #expect(connect(bench, peer) == [.call("Connect dev_1")])
        bench.refuse("Connect dev_1", "InProgress")
        #expect(bench.linkUp().contains(.event(.connected(app, peer))))
        #expect(release(bench, peer) == [])
    }

    @Test func inProgressAfterTheLinkMeansTheSame() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer)
        bench.linkUp()
        bench.refuse("Connect dev_1", "InProgress")
        #expect(release(bench, peer) == [])
    }

    @Test(arguments: ["Notifying", "NotifyAcquired"])
    func aLinkOfItsOwnThatAnotherProgramUsesStays(_ property: String) {
        let bench = bench()
        let peer = bench.connect()
        let path = SystemBench.attributes(of: "dev_1")[1].0
        bench.change(path, "org.bluez.GattCharacteristic1", [property: .bool(true)])
        #expect(release(bench, peer) == [])
        // It ends when that program is done.
        #expect(
            bench.change(path, "org.bluez.GattCharacteristic1", [property: .bool(false)])
                == [.call("Disconnect dev_1")])
    }

    @Test func aKeyboardStaysConnected() {
        let bench = bench()
        let peer = bench.connect()
        bench.changeDevice(["UUIDs": .strings(["180d", "1812"])])
        #expect(release(bench, peer) == [])
    }

    @Test func connectingHasNoLimit() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer)
        for attempt in 0..<100 {
            bench.wait(.seconds(25))
            #expect(
                bench.refuse("Connect dev_1", "Failed", "le-connection-abort-by-local") == [],
                "attempt \(attempt)")
            #expect(bench.wait(.seconds(10)) == [.call("Connect dev_1")])
        }
        bench.linkUp()
        #expect(
            bench.query { $0.connectedPeers(withServices: [BluetoothUUID(0x180D as UInt16)]) } == [
                peer
            ])
    }

    @Test func aTimeoutEndsTheAttempt() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer, timeout: .seconds(5))
        #expect(bench.wait(.milliseconds(4_999)) == [])
        #expect(
            bench.wait(.milliseconds(1))
                == [.event(.connectFailed(app, peer, isKnown: true)), .call("Disconnect dev_1")])
        #expect(bench.refuse("Connect dev_1", "Failed", "br-connection-canceled") == [])
        #expect(bench.answer("Disconnect dev_1") == [])
        #expect(bench.nextDeadline == nil)
    }

    @Test func aLinkThatComesWhileItIsCancelledIsEnded() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer)
        #expect(release(bench, peer) == [.call("Disconnect dev_1")])
        #expect(bench.linkUp() == [.event(.linkUp(peer))])
        bench.answer("Connect dev_1")
        bench.answer("Disconnect dev_1")
        #expect(
            bench.linkDown() == [
                .event(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            ])
    }

    @Test func aLinkThatComesAfterItsOwnAttemptFailedIsAnothers() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer)
        _ = release(bench, peer)
        bench.refuse("Connect dev_1", "Failed", "br-connection-canceled")
        bench.linkUp()
        bench.answer("Disconnect dev_1")
        _ = connect(bench, peer)
        #expect(release(bench, peer) == [])
    }

    @Test func whoWantsItAgainMeanwhileGetsAnother() {
        let bench = bench()
        let peer = bench.connect()
        #expect(release(bench, peer) == [.call("Disconnect dev_1")])
        #expect(connect(bench, peer) == [])
        bench.answer("Disconnect dev_1")
        #expect(
            bench.linkDown()
                == [
                    .event(.disconnected(peer, .link(.connectionTerminatedByLocalHost))),
                    .call("Connect dev_1"),
                ])
    }

    @Test func aLinkThatCannotBeEndedIsUsed() {
        let bench = bench()
        let peer = bench.connect()
        _ = release(bench, peer)
        _ = connect(bench, peer)
        #expect(bench.lose("Disconnect dev_1") == [.event(.connected(app, peer))])
    }

    private static let reasons: [(String?, DisconnectReason)] = [
        ("Local", .otherProgram), ("Remote", .link(.remoteUserTerminatedConnection)),
        ("Timeout", .link(.connectionTimeout)), ("Suspend", .suspended),
        ("Authentication", .link(.authenticationFailure)), ("Unknown", .linkEnded),
        (nil, .linkEnded),
    ]

    @Test(arguments: reasons)
    func theReasonIsTold(_ reason: String?, _ ending: DisconnectReason) {
        let bench = bench()
        let peer = bench.connect()
        #expect(bench.linkDown(reason: reason) == [.event(.disconnected(peer, ending))])
        // As in Core Bluetooth, nobody connects again unasked.
        bench.wait(.seconds(60))
        #expect(bench.pending == [])
    }

    @Test func anAbsentDeviceIsSearched() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        // bluetoothd forgets it after 30 s.
        bench.remove(Bench.path("dev_1"))
        #expect(connect(bench, peer) == [.call("SetDiscoveryFilter hci0")])
        #expect(
            bench.pending.last?.call.arguments.first?.properties?["UUIDs"] == nil)
        bench.answer("SetDiscoveryFilter hci0")
        bench.answer("StartDiscovery hci0")
        // The search ends with its reason.
        #expect(
            bench.addDevice() == [
                .call("Connect dev_1"), .event(.changed(peer)), .call("StopDiscovery hci0"),
            ])
        #expect(bench.peer() == peer)
    }

    @Test func removedWhileItConnectsItIsSearched() {
        let bench = bench()
        bench.addDevice()
        let peer = bench.peer()
        _ = connect(bench, peer)
        #expect(bench.remove(Bench.path("dev_1")) == [.call("SetDiscoveryFilter hci0")])
        #expect(
            bench.finish("Connect dev_1", .failure(BusError(BusError.unknownObject))) == [])
        bench.addDevice()
        #expect(bench.linkUp().contains(.event(.connected(app, peer))))
    }

    @Test func aRemovedDeviceIsDisconnected() {
        let bench = bench()
        let peer = bench.connect()
        #expect(
            bench.remove(Bench.path("dev_1")).contains(.event(.disconnected(peer, .removed))))
    }

    @Test func anUnknownPeerFails() {
        let bench = bench()
        let peer = PeerKey(rawValue: 99)
        #expect(
            connect(bench, peer) == [.event(.connectFailed(app, peer, isKnown: false))])
    }

    @Test func bluetoothdMayEndAndTheRequestRemains() {
        let bench = bench()
        bench.addDevice(isPaired: true)
        let peer = bench.peer()
        _ = connect(bench, peer)
        bench.daemonEnds()
        bench.pending = []
        bench.addDevice(isPaired: true)
        bench.addAdapter()
        bench.objects[Bench.path("dev_1")]?[Bench.device]?["RSSI"] = nil
        let lines = bench.daemonBegins(":1.9")
        #expect(lines.contains(.call("Connect dev_1")))
        #expect(bench.linkUp().contains(.event(.connected(app, peer))))
    }
}
