import ANCSTestKit
import BluetoothLE
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("What the first packet of a consumer shows")
struct FaceTests {
    private typealias Structure = AdvertisingData.Structure

    private static let flags = Structure.flags([.generalDiscoverable, .brEDRNotSupported])
    private static let name = Structure.localName("Desk", isComplete: true)
    private static let solicitation = Structure.solicitedServices([.ancs])

    /// Both packets, the first one first.
    private static let asAccessory = [flags, solicitation, name]
    private static let asHeartRateMonitor = [
        flags, name, Structure.services([BluetoothUUID(UInt16(0x180D))]), solicitation,
    ]

    /// Waits until a central hears exactly this.
    private static func expect(
        _ structures: [Structure], in scene: isolated ConsumerScene, by central: TestCentral
    ) async throws {
        await central.forgetHeard()
        try await scene.wait("a central hears \(structures.count) structures") {
            await central.heard.values.contains { $0.advertisement.structures == structures }
        }
    }

    @Test("it is a heart rate monitor's while phones may pair, and changes while on air")
    func window() async throws {
        try await ConsumerScene.run(
            face: .heartRate, pairing: { $0.window = .untilPhoneIsBonded }
        ) { scene in
            let central = try await scene.addCentral()
            try await central.scan()
            try await Self.expect(Self.asHeartRateMonitor, in: scene, by: central)

            // Our phone finds it by the solicitation in the scan response.
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            try await Self.expect(Self.asAccessory, in: scene, by: central)

            await scene.consumer.openPairingWindow(for: .seconds(120))
            try await Self.expect(Self.asHeartRateMonitor, in: scene, by: central)
            try await scene.expect("pairing closed", for: .seconds(121))
            try await Self.expect(Self.asAccessory, in: scene, by: central)

            await scene.consumer.openPairingWindow()
            try await Self.expect(Self.asHeartRateMonitor, in: scene, by: central)
            await scene.consumer.closePairingWindow()
            try await Self.expect(Self.asAccessory, in: scene, by: central)
        }
    }

    @Test("a name that nobody has chosen is on air only while phones may pair")
    func nameOfTheMachine() async throws {
        try await ConsumerScene.run(
            showsNameAlways: false, pairing: { $0.window = .untilPhoneIsBonded }
        ) { scene in
            let central = try await scene.addCentral()
            try await central.scan()
            try await Self.expect(Self.asAccessory, in: scene, by: central)
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            try await Self.expect([Self.flags, Self.solicitation], in: scene, by: central)
            await scene.consumer.openPairingWindow(for: .seconds(120))
            try await Self.expect(Self.asAccessory, in: scene, by: central)
            try await scene.expect("pairing closed", for: .seconds(121))
            try await Self.expect([Self.flags, Self.solicitation], in: scene, by: central)
        }
    }

    @Test("it is on air from the start exactly if phones may pair from the start")
    func start() async throws {
        for (face, window, expected) in [
            (ConsumerConfiguration.Face.heartRate, PairingWindow.open, Self.asHeartRateMonitor),
            (.heartRate, .closed, Self.asAccessory), (.solicitation, .open, Self.asAccessory),
        ] {
            try await ConsumerScene.run(face: face, pairing: { $0.window = window }) { scene in
                let central = try await scene.addCentral()
                try await central.scan()
                try await Self.expect(expected, in: scene, by: central)
            }
        }
    }

    @Test("a device that never pairs shows the solicitation, however open its window is")
    func neverPairs() async throws {
        try await ConsumerScene.run(
            face: .heartRate,
            pairing: {
                $0.window = .open
                $0.policy = .never
            }
        ) { scene in
            let central = try await scene.addCentral()
            try await central.scan()
            try await Self.expect(Self.asAccessory, in: scene, by: central)
        }
    }

    @Test("it has no Heart Rate service that a client could discover")
    func service() async throws {
        try await ConsumerScene.run(face: .heartRate, pairing: { $0.window = .open }) { scene in
            let central = try await scene.addCentral()
            try await scene.connect(central)
            // Find By Type Value: primary services with the UUIDs 0x1800 and 0x180D.
            #expect(try await central.answer(to: "060100ffff00280018").hasPrefix("07"))
            #expect(try await central.answer(to: "060100ffff00280d18") == "010601000a")
        }
    }

    @Test("with bluetoothd it is refused, and the message gives the remedy")
    func bluetoothd() throws {
        var configuration = ConsumerConfiguration(name: "Desk")
        configuration.face = .heartRate
        let fault = try #require(ConsumerConfiguration.Face.heartRate.faultWithBluetoothd)
        #expect(fault.contains("hci-socket:0") && fault.contains("'solicitation'"))
        #expect(throws: DeviceError.advertisement(fault)) {
            _ = try NotificationConsumer(configuration, at: .bluez())
        }
        #expect(ConsumerConfiguration.Face.solicitation.faultWithBluetoothd == nil)
    }
}
