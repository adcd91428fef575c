import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// Two hosts of this package, each at a controller of the same radio.
@Suite struct HostsOnRadioTests {
    static let centralAddress: UInt64 = 0xCC11_2233_4455
    static let peripheralAddress: UInt64 = 0xC011_2233_4455

    /// A Central and a Peripheral that are connected.
    func connected(
        _ bench: RadioBench, _ abilities: VirtualControllerAbilities = .bluetooth5_3,
        security: SecurityConfiguration = SecurityConfiguration()
    ) throws -> Pair {
        let central = bench.add(abilities, address: Self.centralAddress, security: security)
        let peripheral = bench.add(abilities, address: Self.peripheralAddress, security: security)
        let handles = try bench.connect(
            central, to: peripheral, isExtended: abilities.advertisingSets > 0)
        return Pair(
            central: central, peripheral: peripheral, atCentral: handles.central,
            atPeripheral: handles.peripheral)
    }

    struct Pair {
        let central: RadioBench.Device
        let peripheral: RadioBench.Device
        let atCentral: ConnectionHandle
        let atPeripheral: ConnectionHandle

        var isEncrypted: Bool {
            central.isEncrypted(atCentral) && peripheral.isEncrypted(atPeripheral)
        }
    }

    static let presets: [VirtualControllerAbilities] = [
        .bluetooth4_0, .bluetooth4_2, .bluetooth5_3,
    ]

    @Test("two hosts pair by LE Secure Connections", arguments: presets)
    func secureConnections(_ abilities: VirtualControllerAbilities) throws {
        let bench = RadioBench()
        let pair = try connected(bench, abilities)
        try pair.central.host.pair(pair.atCentral, at: bench.now)
        #expect(bench.advance { pair.central.isPaired && pair.peripheral.isPaired })
        #expect(pair.isEncrypted)
        #expect(
            pair.central.host.security(of: pair.atCentral)?.usesSecureConnections == true)
        #expect(bench.faults.isEmpty)
    }

    @Test("two hosts pair by LE legacy pairing", arguments: presets)
    func legacyPairing(_ abilities: VirtualControllerAbilities) throws {
        var security = SecurityConfiguration()
        security.authentication = [.bonding]
        let bench = RadioBench()
        let pair = try connected(bench, abilities, security: security)
        try pair.central.host.pair(pair.atCentral, at: bench.now)
        #expect(bench.advance { pair.central.isPaired && pair.peripheral.isPaired })
        #expect(pair.isEncrypted)
        #expect(
            pair.central.host.security(of: pair.atCentral)?.usesSecureConnections == false)
    }

    /// A service whose value is notified to who pairs and subscribes.
    static let service = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0xFFF0)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0xFFF1)),
                properties: [.notify, .read])
        ])

    @Test("a subscriber receives every value, whatever the radio loses", arguments: [0, 0.3])
    func subscription(loss: Double) throws {
        let bench = RadioBench(RadioConfiguration(seed: 3))
        let pair = try connected(bench)
        bench.radio.setPath(
            RadioPath(loss: loss), between: pair.central.controller,
            and: pair.peripheral.controller, at: bench.now)
        let handles = try pair.peripheral.host.addService(Self.service, at: bench.now)
        let value = handles.characteristics[0].value
        let configuration = try #require(handles.characteristics[0].configuration)
        _ = try pair.central.host.start(
            .writeValue(configuration, [1, 0]), on: pair.atCentral, at: bench.now)
        #expect(
            bench.advance {
                pair.peripheral.outputs.contains {
                    if case .attribute(_, .server(.subscriptionChanged)) = $0 {
                        true
                    } else {
                        false
                    }
                }
            })
        for number in 0..<UInt8(50) {
            try pair.peripheral.host.notify(
                [number], of: value, on: pair.atPeripheral, at: bench.now)
        }
        #expect(bench.advance { pair.central.notifications.count == 50 })
        #expect(pair.central.notifications == (0..<UInt8(50)).map { [$0] })
        #expect(bench.faults.isEmpty)
    }

    @Test(
        "bonded hosts that meet again encrypt with their key, and do not pair", arguments: presets)
    func reconnection(_ abilities: VirtualControllerAbilities) throws {
        let first = RadioBench()
        let pair = try connected(first, abilities)
        try pair.central.host.pair(pair.atCentral, at: first.now)
        #expect(
            first.advance {
                pair.central.host.bonds.count == 1 && pair.peripheral.host.bonds.count == 1
            })
        let second = RadioBench()
        let central = second.add(
            abilities, address: Self.centralAddress, bonds: pair.central.host.bonds)
        let peripheral = second.add(
            abilities, address: Self.peripheralAddress, bonds: pair.peripheral.host.bonds)
        let handles = try second.connect(
            central, to: peripheral, isExtended: abilities.advertisingSets > 0)
        try central.host.pair(handles.central, at: second.now)
        #expect(
            second.advance {
                central.isEncrypted(handles.central) && peripheral.isEncrypted(handles.peripheral)
            })
        #expect(!central.isPaired && !peripheral.isPaired)
    }

    @Test("a controller that resolves addresses shows the host its bonded peer")
    func resolvedPeer() throws {
        let bench = RadioBench()
        let pair = try connected(bench)
        try pair.central.host.pair(pair.atCentral, at: bench.now)
        #expect(bench.advance { pair.peripheral.host.bonds.count == 1 })
        bench.radio.cut(
            between: pair.central.controller, and: pair.peripheral.controller, at: bench.now)
        bench.advance(by: .seconds(1))
        // From now on the Central goes by a private address that its controller makes.
        let irk: UInt128 = 0x1234
        bench.command(HCI.LESetAddressResolutionEnable(isEnabled: false), at: pair.central)
        for (device, peer, own, other) in [
            (pair.central, pair.peripheral, irk, 0), (pair.peripheral, pair.central, 0, irk),
        ] {
            bench.command(
                HCI.LEAddDeviceToResolvingList(
                    peerIdentity: peer.address, peerIRK: other, localIRK: own), at: device)
            bench.command(HCI.LESetAddressResolutionEnable(isEnabled: true), at: device)
            device.forget()
        }
        try pair.peripheral.host.startAdvertising(
            Advertisement(data: AdvertisingData()), at: bench.now)
        bench.settle()
        bench.initiate(
            pair.central, to: pair.peripheral.address, ownAddressType: .resolvableOrRandom)
        #expect(bench.advance { !pair.peripheral.connections.isEmpty })
        let description = pair.peripheral.outputs.compactMap { output -> LinkDescription? in
            if case .link(_, .connected(let description)) = output { description } else { nil }
        }
        #expect(description.map(\.peerIdentity) == [pair.central.address])
    }

    @Test("a Peripheral's host learns that a lost link timed out, and can be connected to again")
    func lostLink() throws {
        let bench = RadioBench()
        let pair = try connected(bench)
        bench.radio.move(pair.central.controller, to: RadioRoom(rawValue: 1), at: bench.now)
        #expect(
            bench.advance {
                pair.central.endings == [.connectionTimeout]
                    && pair.peripheral.endings == [.connectionTimeout]
            })
        bench.radio.move(pair.central.controller, to: .first, at: bench.now)
        _ = try bench.connect(pair.central, to: pair.peripheral)
    }
}
