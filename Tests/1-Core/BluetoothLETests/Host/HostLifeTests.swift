@testable import BluetoothLE
import Octets
import Testing

/// A host and its controller: set-up, advertising, connections and their end.
@Suite struct HostLifeTests {
    static let controllers = [false, true]

    @Test("a host is set up, advertises, and goes off air for a connection", arguments: controllers)
    func life(isExtended: Bool) throws {
        let bench = HostBench(isExtended: isExtended)
        bench.start()
        #expect(bench.story() == ["ready"])
        try bench.advertise()
        #expect(bench.story() == ["on air"])
        bench.connect()
        if isExtended { bench.terminateSet(for: HostBench.handle) }
        #expect(bench.story() == ["40 connected to stranger", "off air: connected"])
        bench.disconnect()
        #expect(bench.story() == ["40 disconnected: 13"])
    }

    @Test("a second connection may have the handle of the first", arguments: controllers)
    func sameHandleAgain(isExtended: Bool) throws {
        let bench = HostBench.ready(isExtended: isExtended)
        for _ in 1...3 {
            try bench.advertise()
            bench.connect()
            if isExtended { bench.terminateSet(for: HostBench.handle) }
            bench.disconnect()
            #expect(
                bench.story() == [
                    "on air", "40 connected to stranger", "off air: connected",
                    "40 disconnected: 13",
                ])
        }
    }

    @Test("the two events of a connection are one, in either order")
    func eitherOrder() throws {
        let bench = HostBench.ready(isExtended: true)
        try bench.advertise()
        bench.terminateSet(for: HostBench.handle)
        // The owner wants more connections and advertises again at once.
        try bench.host.startAdvertising(Advertisement(data: AdvertisingData()), at: bench.now)
        bench.connect()
        bench.run()
        #expect(
            bench.story() == [
                "on air", "off air: connected", "40 connected to stranger", "on air",
            ])
    }

    @Test("a handle that is given again ends the link that had it")
    func handleReuse() throws {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.connect()
        let id = try bench.host.start(
            .readValue(AttributeHandle(3)), on: HostBench.handle, at: bench.now)
        bench.run()
        try bench.advertise()
        bench.forget()
        bench.connect(to: DeviceAddress(0xEEEE_EEEE_EEEE, kind: .random))
        let outputs = bench.takeOutputs()
        #expect(
            outputs.map(\.line) == [
                "40 not done: closed", "40 disconnected: 1f", "40 connected to stranger",
                "off air: connected",
            ])
        #expect(outputs.first == .attribute(HostBench.handle, .completed(id, .failure(.closed))))
        let isAdvertising = bench.host.isAdvertising
        #expect(!isAdvertising)
    }

    @Test(
        "a connection that failed is not reported as a link",
        arguments: [HCIStatus.connectionTimeout, .limitReached])
    func failedConnection(status: HCIStatus) throws {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.connect(status: status)
        #expect(bench.story() == ["on air"])
        let isAdvertising = bench.host.isAdvertising
        #expect(isAdvertising)
        #expect(throws: HostUsageError.unknownConnection) {
            try bench.host.disconnect(HostBench.handle, at: bench.now)
        }
    }

    @Test("a connection beyond the limit is ended and never reported")
    func tooManyConnections() throws {
        let bench = HostBench.ready { $0.maximumConnections = 1 }
        bench.connect()
        try bench.advertise()
        bench.forget()
        let second = ConnectionHandle(rawValue: 0x0041)
        bench.connect(second)
        #expect(bench.opcodes() == [.disconnect])
        bench.receive([0x02, 0x00, 0x02], on: .attributeProtocol, of: second)
        #expect(bench.sent(on: .attributeProtocol).isEmpty)
        bench.disconnect(second)
        #expect(bench.story() == ["off air: connected"])
        bench.disconnect()
        bench.connect(second)
        #expect(bench.story() == ["40 disconnected: 13", "41 connected to stranger"])
    }

    @Test("a disconnection is requested once, and again if the controller did not carry it out")
    func disconnection() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        for _ in 1...2 { try bench.host.disconnect(HostBench.handle, at: bench.now) }
        bench.run()
        #expect(bench.opcodes() == [.disconnect])
        bench.disconnect(reason: .connectionTerminatedByLocalHost)
        bench.connect()
        bench.controller.answers[.disconnect] = .status(.commandDisallowed)
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        #expect(bench.opcodes() == [.disconnect, .disconnect])
    }

    @Test("a link that the controller does not know has ended")
    func unknownToController() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        bench.controller.answers[.disconnect] = .status(.unknownConnectionIdentifier)
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        #expect(bench.story() == ["40 disconnected: 02"])
    }

    @Test("events about unknown links have no effect")
    func unknownHandles() {
        let bench = HostBench.ready()
        let unknown = ConnectionHandle(rawValue: 0x0EFF)
        bench.disconnect(unknown)
        bench.inject(HCI.EncryptionChange(status: .success, handle: unknown, isEnabled: true))
        bench.inject(HCI.EncryptionKeyRefreshComplete(status: .success, handle: unknown))
        bench.inject(
            HCI.NumberOfCompletedPackets(entries: [.init(handle: unknown, count: 0xFFFF)]))
        bench.receive([0x0A, 0x01, 0x00], on: .attributeProtocol, of: unknown)
        #expect(bench.opcodes().isEmpty)
        // The controller waits for an answer to this one, whoever asks.
        bench.inject(HCI.LELongTermKeyRequest(handle: unknown, random: 0, encryptedDiversifier: 0))
        #expect(bench.opcodes() == [.leLongTermKeyRequestNegativeReply])
        #expect(bench.story().isEmpty)
    }

    @Test("nothing can be done before the controller is set up")
    func notReady() {
        let bench = HostBench()
        #expect(throws: HostUsageError.notReady) { try bench.advertise() }
        bench.connect()
        #expect(bench.story().isEmpty)
    }
}

extension HostBench {
    /// HCI_LE_Advertising_Set_Terminated: the set went off air for a connection.
    func terminateSet(for handle: ConnectionHandle) {
        inject(
            HCI.LEAdvertisingSetTerminated(
                status: .success, set: 0, handle: handle, completedEvents: 0))
    }
}
