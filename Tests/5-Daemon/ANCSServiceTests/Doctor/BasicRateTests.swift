@testable import ANCSService
import DBus
import DBusTestKit
import Testing

@Suite("The doctor and BR/EDR")
struct DoctorBasicRateTests {
    /// An iPhone that is known over BR/EDR.
    private static func facts(_ change: (inout Facts.Device) -> Void = { _ in }) -> Facts {
        var facts = Facts.beforePairing
        facts.changeBluetoothd {
            var phone = Facts.Device.phone
            phone.isConnected = false
            phone.hasResolvedServices = false
            phone.knowsANCS = false
            phone.hasANCS = false
            phone.isNotifying = false
            phone.hasLowEnergyServices = false
            phone.isApplePhone = true
            phone.hasBasicRate = true
            change(&phone)
            $0.devices = [phone]
        }
        return facts
    }

    private static func bond(_ facts: Facts) -> Finding? {
        Examination.diagnosis(of: facts).findings.first { $0.id == .bond }
    }

    @Test("A bond over BR/EDR alone is a fault, with advice for both sides")
    func bondOfBasicRate() throws {
        let bond = try #require(Self.bond(Self.facts()))
        #expect(bond.severity == .fault)
        #expect(bond.seen.contains("probably paired over BR/EDR only"))
        #expect(bond.remedy.contains("bluetoothctl remove AC:BC:32:01:02:03"))
        #expect(bond.remedy.contains("Forget This Device"))
        #expect(bond.remedy.contains("close the desktop's Bluetooth settings"))
    }

    @Test("a bluetoothd that reports the bearers makes the finding certain")
    func bearers() throws {
        let certain = try #require(Self.bond(Self.facts { $0.isBondedOverLowEnergy = false }))
        #expect(certain.seen == "paired over BR/EDR only")
        // Services that were once read do not make a bond.
        let old = Self.facts {
            $0.isBondedOverLowEnergy = false
            $0.knowsANCS = true
        }
        #expect(Self.bond(old)?.seen == "paired over BR/EDR only")
        #expect(Self.bond(Self.facts { $0.isBondedOverLowEnergy = true })?.severity == .fine)
    }

    @Test("A phone with services of Low Energy lacks ANCS only: its bond is removed last")
    func servicesWithoutANCS() throws {
        let facts = Self.facts {
            $0.isConnected = true
            $0.hasResolvedServices = true
            $0.hasLowEnergyServices = true
        }
        var alone = facts
        alone.daemon = .seen(nil)
        alone.programs = [Facts.Program(process: 901, name: "ancs receive", kind: .receiver)]
        let fault = try #require(Examination.diagnosis(of: alone).firstFault)
        #expect(fault.id == .service)
        let share = try #require(fault.remedy.firstRange(of: "off and on"))
        let last = try #require(fault.remedy.firstRange(of: "bluetoothctl remove"))
        #expect(share.lowerBound < last.lowerBound)
    }

    @Test("Security without Testing has no effect in bluetoothd")
    func securityWithoutTesting() {
        var facts = Facts.desk
        facts.settings = .seen([
            .init(section: "GATT", key: "Security", value: "low", line: 5)
        ])
        let findings = Examination.diagnosis(of: facts).findings
        #expect(findings.filter { $0.id == .bluetoothdSettings }.map(\.severity) == [.fine])
    }

    @Test("What 'ancs pair' reports about this machine, from bluetoothd's objects")
    func obstacles() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            let isDrawing = Box(true)
            await peer.export("/") { _, reply in
                reply.succeed([
                    .managedObjects([
                        "/org/bluez/hci0": [
                            "org.bluez.Adapter1": [
                                "Powered": .bool(true), "Discoverable": .bool(true),
                                "Class": .uint32(isDrawing.value ? 0x7C_010C : 0),
                            ]
                        ],
                        "/org/bluez/hci0/dev_1": [
                            "org.bluez.Device1": [
                                "Name": .string("Ada's iPhone"),
                                "Address": .string("AC:BC:32:01:02:03"),
                                "Adapter": .objectPath("/org/bluez/hci0"),
                                "Paired": .bool(isDrawing.value), "Class": .uint32(0x7A_020C),
                                "Modalias": .string("bluetooth:v004Cp7A10d1100"),
                            ]
                        ],
                    ])
                ])
            }
            try await peer.own("org.bluez")
            var places = FactsReader.Places()
            places.systemBus = .address(bus.address)
            places.patience = .seconds(60)
            let lines = await FactsReader.obstaclesToPairing(ownName: "Desk", places: places)
            #expect(lines.count == 2)
            #expect(lines.first?.contains("hci0 is discoverable") == true)
            #expect(lines.last?.contains("Ada's iPhone (AC:BC:32:01:02:03)") == true)
            // An adapter of Low Energy alone, and a phone that is not paired.
            isDrawing.value = false
            let none = await FactsReader.obstaclesToPairing(ownName: "Desk", places: places)
            #expect(none == [])
        }
    }
}
