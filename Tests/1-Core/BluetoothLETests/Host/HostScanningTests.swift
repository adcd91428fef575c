@testable import BluetoothLE
import Octets
import Testing

/// A host that looks for devices and connects to them.
@Suite struct HostScanningTests {
    static let scan: [HCIOpcode] = [.leSetScanParameters, .leSetScanEnable]

    static func scanning(
        bonds: [BondRecord] = [], configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> HostBench {
        let bench = HostBench.ready(bonds: bonds, configure: configure)
        try bench.host.startScanning(at: bench.now)
        bench.run()
        bench.forget()
        return bench
    }

    /// A host that waits for ``HostBench/stranger``.
    static func connecting(
        timeout: Duration? = nil, configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> HostBench {
        let bench = HostBench.ready(configure: configure)
        try bench.host.connect(to: HostBench.stranger, timeout: timeout, at: bench.now)
        bench.run()
        bench.forget()
        return bench
    }

    // MARK: Scanning

    @Test("it scans under its address, hears, and stops")
    func scanning() throws {
        let bench = HostBench.ready()
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes() == [.leSetRandomAddress] + Self.scan)
        bench.hear()
        bench.host.stopScanning(at: bench.now)
        bench.run()
        bench.hear()
        #expect(
            bench.story() == ["scanning", "heard E0:F1:F2:F3:F4:F5, connectable", "not scanning"])
        let isScanning = bench.host.isScanning
        #expect(!isScanning)
    }

    @Test("advertising and scanning share the address, which is set once")
    func sharedAddress() throws {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.forget()
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes() == Self.scan)
        #expect(bench.story() == ["scanning"])
    }

    @Test("without a controller, or with another device's public address, nothing is started")
    func usage() throws {
        let early = HostBench()
        #expect(throws: HostUsageError.notReady) { try early.host.startScanning(at: early.now) }
        #expect(throws: HostUsageError.notReady) {
            try early.host.connect(to: HostBench.stranger, at: early.now)
        }
        early.host.stopScanning(at: early.now)
        early.host.cancelConnecting(at: early.now)
        let other = HostBench(address: DeviceAddress(1, kind: .public))
        other.start()
        #expect(throws: HostUsageError.addressNotAvailable) {
            try other.host.startScanning(at: other.now)
        }
        let own = HostBench(address: DeviceAddress(0xC011_2233_4455, kind: .public))
        own.start()
        own.forget()
        try own.host.startScanning(at: own.now)
        own.run()
        #expect(own.commands.first?.parameters[5] == OwnAddressType.public.rawValue)
        #expect(own.opcodes() == Self.scan)
    }

    @Test("a controller that refuses the address is not used under another one")
    func addressRefused() throws {
        let bench = HostBench.ready()
        bench.controller.answers[.leSetRandomAddress] = .completed([0x12])
        try bench.host.startScanning(at: bench.now)
        try bench.host.connect(to: HostBench.stranger, at: bench.now)
        try bench.advertise()
        #expect(bench.opcodes() == [.leSetRandomAddress])
        #expect(
            Set(bench.story()) == [
                "scanning failed: refused(BluetoothLE.HCIOpcode(rawValue: 8197), "
                    + "BluetoothTypes.HCIStatus(rawValue: 18))",
                "no link to E0:F1:F2:F3:F4:F5: refused(BluetoothTypes.HCIStatus(rawValue: 18))",
                "advertising failed",
            ])
        bench.controller.answers[.leSetRandomAddress] = nil
        try bench.advertise()
        #expect(bench.story() == ["on air"])
    }

    @Test("a controller that still does something is silenced before it gets its address")
    func addressDisallowed() throws {
        let bench = HostBench.ready()
        bench.controller.answers[.leSetRandomAddress] = .completed([0x0C])
        bench.commandSent = { command in
            if command.opcode == .leSetScanEnable {
                bench.controller.answers[.leSetRandomAddress] = nil
            }
        }
        try bench.host.startScanning(at: bench.now)
        bench.run()
        bench.commandSent = { _ in }
        #expect(
            bench.opcodes() == [
                .leSetRandomAddress, .leSetAdvertisingEnable, .leSetScanEnable,
                .leSetRandomAddress, .leSetScanParameters, .leSetScanEnable,
            ])
        #expect(bench.story() == ["scanning"])
    }

    // MARK: Connecting

    @Test("scanning pauses for the connection and continues afterwards")
    func connection() throws {
        let bench = try Self.scanning()
        bench.hear()
        try bench.host.connect(to: HostBench.stranger, at: bench.now)
        bench.run()
        #expect(bench.opcodes() == [.leSetScanEnable, .leCreateConnection])
        let address = bench.host.connectingAddress
        #expect(address == HostBench.stranger)
        bench.connect(as: .central)
        #expect(bench.opcodes() == [.leSetScanEnable])
        #expect(
            bench.story() == ["heard E0:F1:F2:F3:F4:F5, connectable", "40 connected to stranger"])
        // It advertises again when the link is gone, which is news.
        bench.disconnect()
        bench.hear()
        #expect(
            bench.story() == ["40 disconnected: 13", "heard E0:F1:F2:F3:F4:F5, connectable"])
    }

    @Test("a device that does not answer is given up, and scanning continues")
    func timeout() throws {
        let bench = try Self.connecting(timeout: .seconds(5))
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes().isEmpty)
        bench.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(bench.opcodes().isEmpty)
        bench.advance(by: .nanoseconds(1))
        #expect(bench.opcodes() == [.leCreateConnectionCancel])
        bench.confirmCancel()
        #expect(bench.opcodes() == Self.scan)
        #expect(bench.story() == ["no link to E0:F1:F2:F3:F4:F5: timedOut", "scanning"])
        // It is heard, given up once more, and heard again.
        for _ in 1...2 {
            bench.hear()
            #expect(bench.story() == ["heard E0:F1:F2:F3:F4:F5, connectable"])
            try bench.host.connect(to: HostBench.stranger, timeout: .seconds(1), at: bench.now)
            bench.run()
            bench.advance(by: .seconds(1))
            bench.confirmCancel()
            #expect(bench.story() == ["no link to E0:F1:F2:F3:F4:F5: timedOut"])
        }
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a link that is made while it is given up is a link")
    func cancelRace() throws {
        let bench = try Self.connecting()
        bench.controller.answers[.leCreateConnectionCancel] = .completed([0x0C])
        bench.host.cancelConnecting(at: bench.now)
        bench.connect(as: .central)
        bench.advance(by: .seconds(10))
        #expect(bench.story() == ["40 connected to stranger"])
        #expect(bench.opcodes() == [.leCreateConnectionCancel])
    }

    @Test("one connection is made at a time, to a peer that has none, up to the limit")
    func connectUsage() throws {
        let bench = try Self.connecting { $0.maximumConnections = 1 }
        #expect(throws: HostUsageError.connecting(.busy(HostBench.stranger))) {
            try bench.host.connect(to: HostBench.address, at: bench.now)
        }
        bench.connect(as: .central)
        #expect(throws: HostUsageError.alreadyConnected(HostBench.handle)) {
            try bench.host.connect(to: HostBench.stranger, at: bench.now)
        }
        #expect(throws: HostUsageError.tooManyConnections) {
            try bench.host.connect(to: HostBench.address, at: bench.now)
        }
    }

    @Test("a link that exceeds the limit is ended and not reported")
    func noRoom() throws {
        let bench = try Self.connecting { $0.maximumConnections = 1 }
        let other = ConnectionHandle(rawValue: 0x41)
        bench.connect(other, as: .peripheral, to: HostBench.address)
        bench.connect(as: .central)
        #expect(bench.opcodes() == [.disconnect])
        #expect(
            bench.story() == [
                "41 connected to stranger",
                "no link to E0:F1:F2:F3:F4:F5: refused(BluetoothTypes.HCIStatus(rawValue: 9))",
            ])
    }

    @Test("links in both roles coexist, and advertising continues as Central")
    func bothRoles() throws {
        let bench = try Self.connecting()
        try bench.advertise()
        bench.connect(as: .central)
        let isAdvertising = bench.host.isAdvertising
        #expect(isAdvertising)
        let other = ConnectionHandle(rawValue: 0x41)
        bench.connect(other, as: .peripheral, to: HostBench.address)
        #expect(
            bench.story() == [
                "on air", "40 connected to stranger", "41 connected to stranger",
                "off air: connected",
            ])
        try bench.host.connect(
            to: DeviceAddress(0xEEEE_EEEE_EEEE, kind: .random), at: bench.now)
        bench.run()
        bench.connect(
            ConnectionHandle(rawValue: 0x42), as: .central,
            to: DeviceAddress(0xEEEE_EEEE_EEEE, kind: .random))
        #expect(bench.story() == ["42 connected to stranger"])
    }

    // MARK: The end of the controller

    @Test("a reset ends scanning and connecting, and both may begin again")
    func reset() throws {
        let bench = try Self.connecting()
        try bench.host.startScanning(at: bench.now)
        bench.forget()
        bench.inject(HCI.HardwareError(hardwareCode: 7))
        #expect(
            bench.story() == [
                "scanning failed: controllerLost",
                "no link to E0:F1:F2:F3:F4:F5: controllerLost", "resetting: hardware error 7",
                "ready",
            ])
        bench.forget()
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes() == [.leSetRandomAddress] + Self.scan)
        #expect(bench.story() == ["scanning"])
    }

    @Test("a controller that fails again while it is set up ends nothing twice")
    func resetTwice() throws {
        let bench = try Self.connecting()
        try bench.advertise()
        bench.forget()
        bench.unanswered = [.reset]
        for _ in 1...2 { bench.inject(HCI.HardwareError(hardwareCode: 7)) }
        #expect(
            bench.story() == [
                "off air: 3", "no link to E0:F1:F2:F3:F4:F5: controllerLost",
                "resetting: hardware error 7", "resetting: hardware error 7",
            ])
    }

    @Test("a reset in any state of scanning and connecting ends both once")
    func resetAnywhere() throws {
        for step in 0..<24 {
            let bench = HostBench.ready()
            try bench.host.startScanning(at: bench.now)
            try bench.host.connect(to: HostBench.stranger, at: bench.now)
            for _ in 0..<step / 2 { bench.step() }
            if !step.isMultiple(of: 2) { bench.host.cancelConnecting(at: bench.now) }
            bench.enqueue(HCI.HardwareError(hardwareCode: 7))
            bench.run()
            let story = bench.story()
            #expect(story.filter { $0.hasPrefix("scanning failed") }.count == 1)
            #expect(story.filter { $0.hasPrefix("no link") }.count == 1)
            #expect(story.last == "ready")
        }
    }

    @Test("a transport that closes ends scanning and connecting")
    func transportClosed() throws {
        let bench = try Self.connecting()
        try bench.host.startScanning(at: bench.now)
        bench.forget()
        bench.host.transportClosed(at: bench.now)
        bench.run()
        #expect(
            bench.story() == [
                "scanning failed: controllerLost",
                "no link to E0:F1:F2:F3:F4:F5: controllerLost",
            ])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("empty or overlong reports do no harm")
    func hostileReports() throws {
        let bench = try Self.scanning()
        for octets: [UInt8] in [
            [0x3E, 0x01, 0x02], [0x3E, 0x02, 0x02, 0xFF],
            [0x3E, 0x0C, 0x02, 0x01, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x1F, 0x02],
            [0x3E, 0x02, 0x0D, 0x01],
        ] {
            bench.enqueue(.event(octets))
            bench.run()
        }
        #expect(bench.story().isEmpty)
        bench.hear(HostBench.stranger, [0x00, 0xFF, 0xFF])
        #expect(bench.story() == ["heard E0:F1:F2:F3:F4:F5, connectable"])
    }
}
