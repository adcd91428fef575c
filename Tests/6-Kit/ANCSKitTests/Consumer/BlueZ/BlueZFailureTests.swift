import ANCS
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZFailureTests {
    @Test func aHangIsWarnedOfAndEndedOnceAndThePhoneComesBack() async throws {
        try await BlueZBench.run { bench in
            // As if no answer came in time, without the time.
            await bench.double.refuse("StartNotify char0011", with: BusError(BusError.noReply))
            try await bench.double.addPairedPhone()
            let story = try await bench.start()
            await bench.double.connect(BlueZBench.phone)
            #expect(try await story.warning(.bluetoothd).contains("comes back"))
            let end = try await story.until("1 disconnected")
            guard case .peer(_, .disconnected(.bluetoothdHung)) = end else {
                Issue.record("it ended otherwise: \(end.line)")
                return
            }
            await bench.double.stopRefusing("StartNotify char0011")
            await bench.double.connect(BlueZBench.phone)
            try await story.until("2 session")
            #expect(await bench.double.count(of: "Disconnect dev_1") == 1)
            await story.consumer.stop()
        }
    }

    @Test func bluetoothdIsRestarted() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            let name = try await bench.consumerName
            try await bench.double.restart()
            let end = try await story.until("1 disconnected")
            guard case .peer(_, .disconnected(.bluetoothGone)) = end else {
                Issue.record("it ended otherwise: \(end.line)")
                return
            }
            #expect(
                try await story.until("resetting") == .device(.resetting(.bluetoothd(.ended))))
            try await story.until("ready")
            await bench.wait { $0.clients[name]?.advertisement != nil }
            await bench.double.connect(BlueZBench.phone)
            try await story.until("2 session")
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            await story.consumer.stop()
        }
    }

    @Test func theAdapterIsSwitchedOffAndOn() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await bench.double.setPower(false)
            let event = try await story.until("resetting")
            guard case .device(.resetting(.bluetoothd(.off(let adapter, _)))) = event else {
                Issue.record("something else is said")
                return
            }
            #expect(adapter == "hci0")
            #expect(story.lines.suffix(4).contains("1 disconnected"))
            await bench.double.setPower(true)
            try await story.until("on air")
            await bench.double.connect(BlueZBench.phone)
            try await story.until("2 session")
            await story.consumer.stop()
        }
    }

    @Test func theAdapterIsPulledOutAndPluggedInAgain() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await bench.double.removeAdapter()
            #expect(
                try await story.until("resetting")
                    == .device(.resetting(.bluetoothd(.adapterLost(adapter: "hci0")))))
            await bench.double.addAdapter()
            try await story.until("on air")
            try await bench.double.addPairedPhone()
            await bench.double.connect(BlueZBench.phone)
            try await story.until("2 session")
            await story.consumer.stop()
        }
    }

    @Test func forgersOnTheBusAreNotHeard() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start()
            let forger = try await bench.bus.connect()
            let name = try await bench.consumerName
            let device = BlueZBench.phone
            for destination in [nil, name] {
                for signal in try await Self.forgedSignals(by: forger.name, of: device) {
                    try await forger.emit(signal, to: destination)
                }
            }
            for (path, interface, member) in Self.forgedCalls {
                let call = BusCall(
                    name, path, interface, member, [.objectPath(device), .uint32(1)])
                let result = await forger.call(call)
                guard case .failure(let error) = result else {
                    Issue.record("\(member) was answered")
                    continue
                }
                #expect(error.name == BusError.accessDenied)
            }
            try await bench.double.connectNewPhone("dev_2")
            try await story.until("1 session")
            #expect(
                story.lines.filter { !$0.hasPrefix("pairing") } == [
                    "ready", "on air", "1 connected", "1 is Anna's iPhone", "off air", "1 paired",
                    "1 waits", "1 session",
                ])
            await story.consumer.stop()
        }
    }

    private static let forgedCalls: [(ObjectPath, String, String)] = [
        ("/ancs/agent", "org.bluez.Agent1", "RequestConfirmation"),
        ("/ancs/agent", "org.bluez.Agent1", "RequestPasskey"),
        ("/ancs/agent", "org.bluez.Agent1", "Release"),
        ("/ancs/agent", "org.bluez.Agent1", "Cancel"),
        ("/ancs/advertisement", "org.bluez.LEAdvertisement1", "Release"),
        ("/ancs/advertisement", "org.freedesktop.DBus.Properties", "GetAll"),
    ]

    private static func forgedSignals(by name: String, of device: ObjectPath) -> [BusSignal] {
        let phone: [String: BusValue] = [
            "Adapter": .objectPath(BlueZDouble.adapter), "Connected": .bool(true),
            "AddressType": .string("random"), "UUIDs": .strings([DoublePhone.ancs]),
        ]
        return [
            BusSignal(
                .root, .objectManager, "InterfacesAdded",
                [.objectPath(device), .interfaces([.device: phone])]),
            BusSignal(
                .root, .objectManager, "InterfacesRemoved",
                [.objectPath(BlueZDouble.adapter), .strings([.adapter, .advertisingManager])]),
            BusSignal(
                BlueZDouble.adapter, .properties, "PropertiesChanged",
                [.string(.adapter), .options(["Powered": .bool(false)]), .strings([])]),
            BusSignal(
                "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                [.string("org.bluez"), .string(""), .string(name)]),
            BusSignal(
                "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
                [.bool(false)]),
        ]
    }

    @Test func theMachineWasSuspended() async throws {
        try await BlueZBench.run { bench in
            let logind = try await bench.bus.connect()
            try await logind.own("org.freedesktop.login1")
            let story = try await bench.start()
            for isBeginning in [true, false] {
                try await logind.emit(
                    BusSignal(
                        "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                        "PrepareForSleep", [.bool(isBeginning)]))
            }
            try await story.until("resumed")
            // What is on air may be dead.
            await bench.wait(for: "RegisterAdvertisement hci0", count: 2)
            await story.consumer.stop()
        }
    }

    static let failures: [(BluetoothdFailure, String)] = [
        (.notRunning, "sudo systemctl start bluetooth"), (.ended, "waiting until it is back"),
        (.denied, "ask its administrator"), (.noAdapter("any"), "plug one in"),
        (.noAdapter("hci7"), "bluetoothctl list"),
        (.off(adapter: "hci0", isBlocked: false), "bluetoothctl power on"),
        (.off(adapter: "hci0", isBlocked: true), "rfkill unblock bluetooth"),
        (.cannotAdvertise(adapter: "hci0"), "another adapter"),
        (.noAnswer, "sudo systemctl restart bluetooth"),
        (.unreadable, "bluetoothctl remove"),
        (.refused("it is busy"), "sudo systemctl restart bluetooth"),
    ]

    @Test(arguments: failures)
    func eachFailureSaysWhatToDo(_ failure: BluetoothdFailure, _ advice: String) {
        #expect(failure.message.contains(advice))
        #expect(DeviceError.controller(.bluetoothd(failure)).message == failure.message)
    }
}
