import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemStateTests {
    @Test func itIsPoweredOnWithTheAdapter() {
        let bench = SystemBench()
        bench.addAdapter()
        #expect(bench.ownerChanged(to: Bench.owner) == [.call("GetManagedObjects /")])
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects)
                == [.event(.stateChanged(.poweredOn)), .call("RegisterAgent /org/bluez")])
    }

    @Test func theAdapterMayComeAfterBluetoothd() {
        let bench = SystemBench()
        #expect(
            bench.daemonBegins().contains(.event(.stateChanged(.unsupported, .noAdapter("any")))))
        #expect(bench.addAdapter(isPowered: false).contains(.call("GetManagedObjects /")))
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects)
                == [.event(.stateChanged(.poweredOff, .off(adapter: "hci0", isBlocked: false)))]
                || bench.query { $0.state } == .poweredOff)
        #expect(
            bench.power(true)
                == [.event(.stateChanged(.poweredOn)), .call("RegisterAgent /org/bluez")])
    }

    /// For the same reasons as an accessory.
    @Test(arguments: StartTests.failures)
    func bluetoothdThatWasNeverThereIsNotWaitedFor(
        _ error: BusError, _ failure: BluetoothdFailure
    ) {
        let bench = SystemBench()
        #expect(bench.ownerChanged(to: nil) == [.call("GetManagedObjects /")])
        #expect(
            bench.finish("GetManagedObjects /", .failure(error)).last == .event(.failed(failure)))
        #expect(bench.query { $0.state != .poweredOn })
        #expect(bench.nextDeadline == nil)
        #expect(bench.ownerChanged(to: Bench.owner) == [])
    }

    @Test func bluetoothdThatEndsWhenItIsStartedIsNotWaitedFor() {
        let bench = SystemBench()
        bench.ownerChanged(to: nil)
        #expect(bench.answer("GetManagedObjects /", bench.managedObjects) == [])
        #expect(
            bench.wait(.seconds(5))
                == [.event(.stateChanged(.resetting)), .event(.failed(.ended))])
    }

    @Test func bluetoothdThatWasThereIsWaitedFor() {
        let bench = SystemBench()
        bench.begin()
        bench.ownerChanged(to: nil)
        #expect(bench.nextDeadline == nil)
        bench.ownerChanged(to: Bench.secondOwner)
        #expect(
            bench.finish("GetManagedObjects /", .failure(BusError(BusError.accessDenied)))
                == [.event(.stateChanged(.unauthorized, .denied))])
        // The administrator may change that.
        #expect(bench.wait(.seconds(10)) == [.call("GetManagedObjects /")])
    }

    @Test func signalsOfOtherProgramsAreIgnored() {
        let bench = SystemBench()
        bench.begin()
        bench.addDevice()
        let signal = BusSignal(
            from: ":1.66", Bench.path("dev_1"), "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [.string(Bench.device), .options(["Connected": .bool(true)]), .strings([])])
        #expect(bench.receive(signal) == [])
    }

    @Test func callsOfOtherProgramsAreRefused() {
        let bench = SystemBench()
        bench.begin()
        let call = BusMethodCall(
            from: ":1.66", PairingAgent.path, PairingAgent.interface, "Release", [])
        let invocation = InvocationID(rawValue: 7)
        guard
            case .answer(invocation, .failure(let error))? =
                bench.input({ $0.receive(call, invocation, at: $1) }).first
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(error.name == BusError.accessDenied)
    }

    @Test func switchedOffEverythingEndsFirst() {
        let bench = SystemBench()
        bench.begin()
        let peer = bench.connect()
        bench.start(.readValue(SystemBench.readable), on: peer)
        #expect(
            bench.power(false) == [
                .completed(bench.request, .failure(.gatt(.closed))),
                .event(.disconnected(peer, .bluetoothGone)),
                .event(.stateChanged(.poweredOff, .off(adapter: "hci0", isBlocked: false))),
            ])
        // The reply is late.
        #expect(bench.answer("ReadValue dev_1/service0010/char0014", .octets([1])) == [])
    }

    @Test func anotherAdapterThatIsOnTakesOver() {
        let bench = SystemBench()
        bench.begin()
        bench.addAdapter("/org/bluez/hci1")
        bench.addDevice()
        #expect(bench.query { $0.adapter } == "/org/bluez/hci0")
        let lines = bench.power(false)
        #expect(lines.contains(.call("GetManagedObjects /")))
        bench.answer("GetManagedObjects /", bench.managedObjects)
        #expect(bench.query { $0.adapter } == "/org/bluez/hci1")
        #expect(bench.query { $0.state } == .poweredOn)
        // Devices of the first are not of this one.
        #expect(bench.query { $0.book.peers.values.allSatisfy { $0.path == nil } })
    }
}
