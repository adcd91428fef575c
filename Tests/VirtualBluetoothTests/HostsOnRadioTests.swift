import ANCSKit
import BluetoothLE
import Octets
import Testing
import VirtualBluetooth

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
}
