@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// Commands: which there are, how they are answered, and what cannot be done now.
@Suite struct ControllerCommandTests {
    static let presets: [VirtualControllerAbilities] = [
        .bluetooth4_0, .bluetooth4_2, .bluetooth5_3,
    ]
    static let everyOpcode = (0...UInt16(0x3F)).flatMap { group in
        (0..<UInt16(0x90)).map { HCIOpcode(rawValue: group << 10 | $0) }
    }

    @Test("every command whose bit is set is known, and no other", arguments: presets)
    func supportedCommands(_ abilities: VirtualControllerAbilities) throws {
        let bench = ProbeBench()
        let probe = bench.add(abilities)
        let commands = try probe.returns(HCI.ReadLocalSupportedCommands()).commands
        for opcode in Self.everyOpcode
        where opcode != .readLocalSupportedCommands && opcode != .hostNumberOfCompletedPackets {
            let status = probe.send(HCICommandPacket(opcode: opcode, parameters: []))
            #expect((status != .unknownCommand) == commands.contains(opcode), "\(opcode)")
        }
        #expect(
            probe.send(HCICommandPacket(opcode: HCIOpcode(rawValue: 0xFC01), parameters: [1]))
                == .unknownCommand)
    }

    @Test("parameters that are too short are invalid", arguments: presets)
    func shortParameters(_ abilities: VirtualControllerAbilities) throws {
        let probe = ProbeBench().add(abilities)
        for command in [
            HCICommandPacket(HCI.LESetRandomAddress(address: ProbeBench.central)),
            HCICommandPacket(HCI.SetEventMask(mask: 0)),
            HCICommandPacket(
                HCI.Disconnect(
                    handle: ConnectionHandle(rawValue: 1), reason: .remoteUserTerminatedConnection)),
        ] {
            var short = command
            short.parameters.removeLast()
            #expect(probe.send(short) == .invalidCommandParameters)
        }
    }

    @Test("invalid packets are reported and do no harm")
    func garbage() {
        let bench = ProbeBench()
        let probe = bench.add()
        for body in [[], [0x03], [0x03, 0x0C], [0x03, 0x0C, 5, 1]] as [[UInt8]] {
            bench.radio.receive(.command(body), at: probe.controller, at: bench.now)
            bench.radio.receive(.acl(body), at: probe.controller, at: bench.now)
        }
        bench.radio.receive(.event([0x0E]), at: probe.controller, at: bench.now)
        bench.drain()
        #expect(bench.faults == Array(repeating: .malformedPacket, count: 9))
        #expect(probe.send(HCI.Reset()) == .success)
    }

    @Test("random commands and data never trap", arguments: 1...8)
    func randomPackets(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bench = ProbeBench(RadioConfiguration(seed: seed))
        let link = try bench.connected(seed % 2 == 0 ? .bluetooth4_0 : .bluetooth5_3)
        bench.radio.setPath(
            RadioPath(loss: 0.1), between: link.central.controller,
            and: link.peripheral.controller, at: bench.now)
        let probes = [link.central, link.peripheral, bench.add()]
        let known = Self.everyOpcode.filter { SupportedCommands([$0]) != SupportedCommands() }
        for _ in 0..<4000 {
            let probe = probes.randomElement(using: &random) ?? link.central
            let count = Int.random(in: 0...40, using: &random)
            // Small values are handles, states and flags; large ones are hostile.
            let limit: UInt8 = Bool.random(using: &random) ? 3 : 255
            let parameters = (0..<count).map { _ in UInt8.random(in: 0...limit, using: &random) }
            if UInt8.random(in: 0...9, using: &random) == 0 {
                probe.sendData(parameters, on: ConnectionHandle(rawValue: 1))
            } else {
                let opcode = known.randomElement(using: &random) ?? .reset
                probe.send(HCICommandPacket(opcode: opcode, parameters: parameters))
            }
            bench.advance(by: .milliseconds(10))
            for probe in probes { probe.received = [] }
        }
        for probe in probes { #expect(probe.send(HCI.Reset()) == .success) }
    }

    @Test("a controller reports its properties", arguments: presets)
    func information(_ abilities: VirtualControllerAbilities) throws {
        let probe = ProbeBench().add(abilities)
        #expect(
            try probe.returns(HCI.ReadLocalVersionInformation()).hciVersion == abilities.version)
        #expect(
            try probe.returns(HCI.LEReadLocalSupportedFeatures()).features == abilities.features)
        let buffers = try probe.returns(HCI.LEReadBufferSize())
        #expect(Int(buffers.aclLength) == abilities.buffers.length)
        #expect(Int(buffers.aclCount) == abilities.buffers.count)
        #expect(
            try probe.returns(HCI.ReadBDADDR()).address
                == DeviceAddress(0xC0FF_EE00_0001, kind: .public))
    }

    @Test("shared buffers are those of BR/EDR")
    func sharedBuffers() throws {
        var abilities = VirtualControllerAbilities.bluetooth4_0
        abilities.buffers = .init(length: 310, count: 10, isShared: true)
        let probe = ProbeBench().add(abilities)
        #expect(try probe.returns(HCI.LEReadBufferSize()).aclCount == 0)
        #expect(try probe.returns(HCI.ReadBufferSize()).aclLength == 310)
        #expect(try probe.returns(HCI.ReadLocalSupportedFeatures()).features == 1 << 38)
    }

    @Test("a controller encrypts a block as in FIPS-197, and makes matching keys")
    func cryptography() throws {
        let bench = ProbeBench()
        let first = bench.add()
        let second = bench.add()
        let answer = try first.returns(
            HCI.LEEncrypt(
                key: 0x0001_0203_0405_0607_0809_0A0B_0C0D_0E0F,
                block: 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF))
        #expect(answer.block == 0x69C4_E0D8_6A7B_0430_D8CD_B780_70B4_C55A)
        for probe in [first, second] {
            #expect(probe.send(HCI.LEReadLocalP256PublicKey()) == .success)
        }
        let keys = [first, second].compactMap {
            $0.all(HCI.LEReadLocalP256PublicKeyComplete.self).first?.publicKey
        }
        try #require(keys.count == 2)
        #expect(first.send(HCI.LEGenerateDHKey(publicKey: keys[1])) == .success)
        #expect(second.send(HCI.LEGenerateDHKey(publicKey: keys[0])) == .success)
        let secrets = [first, second].compactMap {
            $0.all(HCI.LEGenerateDHKeyComplete.self).first?.sharedSecret
        }
        #expect(secrets.count == 2 && secrets[0] == secrets[1])
    }

    @Test("without a toolbox nothing is claimed that needs one")
    func noToolbox() throws {
        let probe = ProbeBench(toolbox: nil).add()
        #expect(probe.send(HCI.LEReadLocalP256PublicKey()) == .unknownCommand)
        #expect(probe.send(HCI.LEEncrypt(key: 0, block: 0)) == .unknownCommand)
        #expect(probe.send(HCI.LEReadResolvingListSize()) == .unknownCommand)
        #expect(
            try !probe.returns(HCI.LEReadLocalSupportedFeatures()).features.contains(.privacy))
    }

    @Test("events that the host masks are not sent")
    func masks() throws {
        let bench = ProbeBench()
        let scanner = bench.add(wantsEvents: false)
        let advertiser = bench.add()
        advertiser.advertise(as: .public)
        scanner.scan(filtersDuplicates: false)
        bench.advance(by: .seconds(1))
        // LE events are masked after a reset. Core Vol 4, Part E, 7.3.1.
        #expect(scanner.reports.isEmpty)
        scanner.send(HCI.SetEventMask(mask: 1 << 61))
        bench.advance(by: .seconds(1))
        #expect(!scanner.reports.isEmpty)
        scanner.send(HCI.LESetEventMask(mask: 0))
        scanner.received = []
        bench.advance(by: .seconds(1))
        #expect(scanner.received.isEmpty)
    }

    @Test("a reset forgets everything")
    func reset() throws {
        let bench = ProbeBench()
        let scanner = bench.add()
        let probe = bench.add()
        probe.send(HCI.LESetRandomAddress(address: ProbeBench.peripheral))
        probe.advertise()
        scanner.scan(filtersDuplicates: false)
        bench.advance(by: .seconds(1))
        #expect(!scanner.reports.isEmpty)
        #expect(probe.send(HCI.Reset()) == .success)
        scanner.received = []
        bench.advance(by: .seconds(1))
        #expect(scanner.reports.isEmpty)
        // The parameters are the default ones again: public address, 1.28 s.
        #expect(probe.send(HCI.LESetAdvertisingEnable(isEnabled: true)) == .success)
        bench.advance(by: .seconds(10))
        #expect((6...9).contains(scanner.reports.count))
        #expect(scanner.reports.allSatisfy { $0.address.kind == .public })
    }

    @Test("legacy and extended commands do not mix until a reset")
    func families() {
        let probe = ProbeBench().add()
        #expect(probe.send(HCI.LESetAdvertisingData(data: [1])) == .success)
        let scan = HCI.LESetExtendedScanEnable(
            isEnabled: false, duplicateFilter: 0, duration: 0, period: 0)
        #expect(probe.send(scan) == .commandDisallowed)
        probe.send(HCI.Reset())
        #expect(probe.send(scan) == .success)
        #expect(probe.send(HCI.LESetAdvertisingData(data: [1])) == .commandDisallowed)
    }

    @Test("parameters of running advertising cannot be changed")
    func disallowed() {
        let bench = ProbeBench()
        let probe = bench.add()
        probe.send(HCI.LESetRandomAddress(address: ProbeBench.peripheral))
        probe.advertise()
        #expect(
            probe.send(HCI.LESetRandomAddress(address: ProbeBench.central)) == .commandDisallowed)
        #expect(probe.send(HCI.LECreateConnectionCancel()) == .commandDisallowed)
        let other = bench.add()
        other.initiate(to: ProbeBench.peripheral, as: .public)
        let handle = ConnectionHandle(rawValue: 7)
        #expect(
            other.send(HCI.Disconnect(handle: handle, reason: .remoteUserTerminatedConnection))
                == .unknownConnectionIdentifier)
        #expect(other.send(HCI.LECreateConnectionCancel()) == .success)
        #expect(
            other.all(HCI.LEEnhancedConnectionComplete.self).map(\.status)
                == [.unknownConnectionIdentifier])
    }

    @Test("an address that the host has not set cannot be used")
    func noRandomAddress() {
        let probe = ProbeBench().add()
        probe.send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: .minimum, intervalMaximum: .minimum, type: .connectable,
                ownAddressType: .random, peerAddress: DeviceAddress(0, kind: .public),
                channels: .all, filterPolicy: 0))
        #expect(
            probe.send(HCI.LESetAdvertisingEnable(isEnabled: true)) == .invalidCommandParameters)
    }

    @Test("a filter accept list has its limit, and rests while it is in use")
    func filterAcceptList() throws {
        var abilities = VirtualControllerAbilities.bluetooth4_0
        abilities.filterAcceptListSize = 2
        let probe = ProbeBench().add(abilities)
        #expect(try probe.returns(HCI.LEReadFilterAcceptListSize()).size == 2)
        let addresses = (1...3).map { DeviceAddress($0, kind: .public) }
        #expect(
            addresses.map { probe.send(HCI.LEAddDeviceToFilterAcceptList(address: $0)) }
                == [.success, .success, .memoryCapacityExceeded])
        probe.initiate(to: DeviceAddress(0, kind: .public), as: .public, filterPolicy: 1)
        #expect(probe.send(HCI.LEClearFilterAcceptList()) == .commandDisallowed)
    }

    @Test("a failing controller forgets everything and reports it")
    func hardwareError() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.fail(link.central.controller, code: 0x42, at: bench.now)
        bench.drain()
        #expect(link.central.all(HCI.HardwareError.self).map(\.hardwareCode) == [0x42])
        // What the host sent before it heard of that is no fault, and after its reset it would be.
        link.central.sendData([1], on: link.atCentral)
        #expect(bench.faults.isEmpty)
        link.central.send(HCI.Reset())
        link.central.sendData([1], on: link.atCentral)
        #expect(bench.faults == [.unknownConnection(link.atCentral)])
        #expect(bench.advance { link.peripheral.endings == [.connectionTimeout] })
    }
}
