@testable import BluetoothLE
import Octets
import Testing

/// ACL data that is ahead of its connection, or behind its end; and events that come late or twice.
@Suite struct HostEarlyPacketTests {
    /// How long data is held for its event: Documentation/Decisions/0026.
    static let limit = Duration.milliseconds(80)
    static let mtuRequest: [UInt8] = [0x02, 0x05, 0x02]
    static let mtuResponse: [UInt8] = [0x03, 0x05, 0x02]
    static let other = ConnectionHandle(rawValue: 0x0041)

    private func advertising() throws -> HostBench {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.forget()
        return bench
    }

    /// Whether the link serves a request.
    private func serves(_ bench: HostBench, _ handle: ConnectionHandle = HostBench.handle) -> Bool {
        bench.forget()
        bench.receive(Self.mtuRequest, on: .attributeProtocol, of: handle)
        return bench.sent(on: .attributeProtocol) == [Self.mtuResponse]
    }

    @Test("a request ahead of its connection is answered when the event comes, up to the limit")
    func early() throws {
        let bench = try advertising()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        bench.advance(by: Self.limit - .nanoseconds(1))
        #expect(bench.takeOutputs().isEmpty && bench.data.isEmpty)
        bench.connect()
        #expect(
            bench.story() == ["40 connected to stranger", "40 mtu 517", "off air: connected"])
        #expect(bench.sent(on: .attributeProtocol) == [Self.mtuResponse])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("data whose event does not come within the limit is dropped")
    func tooEarly() throws {
        let bench = try advertising()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        let deadline = bench.host.nextDeadline
        #expect(deadline == bench.now + Self.limit)
        bench.advance(by: Self.limit)
        let rest = bench.host.nextDeadline
        #expect(rest == nil)
        bench.connect()
        #expect(bench.data.isEmpty)
        #expect(serves(bench))
    }

    @Test(
        "fragments ahead of their connection are one PDU, and so are those behind it",
        arguments: 1...6)
    func fragments(count: Int) throws {
        let bench = try advertising()
        let pdu = L2CAPPDU(channel: .attributeProtocol, payload: Self.mtuRequest).octets
        for (index, octet) in pdu.enumerated() {
            let packet = ACLPacket(
                handle: HostBench.handle, boundary: index == 0 ? .first : .continuing, data: [octet]
            )
            bench.enqueue(.acl(packet.octets))
            bench.run()
            if index == count - 1 { bench.connect() }
        }
        #expect(bench.sent(on: .attributeProtocol) == [Self.mtuResponse])
    }

    @Test(
        "of a handle with too many packets or octets nothing is held, and its link works",
        arguments: [(9, 3), (3, 700), (1, 65_000)])
    func tooMuch(packets: Int, octets: Int) throws {
        let bench = try advertising()
        for _ in 0..<packets {
            let payload = Self.mtuRequest + [UInt8](repeating: 0, count: octets - 3)
            bench.receive(payload, on: .attributeProtocol)
        }
        bench.connect()
        #expect(bench.data.isEmpty)
        #expect(serves(bench))
    }

    @Test("a flood of data for unknown handles fills four places, and is forgotten after the limit")
    func flood() throws {
        let bench = try advertising()
        for round in 0..<50 {
            for number in UInt16(0)..<200 {
                bench.receive(
                    Self.mtuRequest, on: .attributeProtocol,
                    of: ConnectionHandle(rawValue: 0x100 + number))
            }
            #expect(bench.takeOutputs().isEmpty, "round \(round)")
        }
        // The first four handles have their places; the others have none.
        bench.connect(ConnectionHandle(rawValue: 0x104))
        #expect(bench.data.isEmpty)
        bench.advance(by: Self.limit)
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
        try bench.advertise()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        bench.connect()
        #expect(bench.sent(on: .attributeProtocol) == [Self.mtuResponse])
    }

    @Test("data behind the end of its link is not the first data of the next link")
    func disconnectionAhead() throws {
        let bench = try advertising()
        bench.connect()
        bench.disconnect()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
        try bench.advertise()
        bench.forget()
        bench.connect(to: DeviceAddress(0xEEEE_EEEE_EEEE, kind: .random))
        #expect(bench.data.isEmpty)
        #expect(serves(bench))
        // After the limit, data of this handle is early again, not late.
        bench.disconnect()
        bench.advance(by: Self.limit)
        try bench.advertise()
        bench.forget()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        bench.connect()
        #expect(bench.sent(on: .attributeProtocol) == [Self.mtuResponse])
    }

    @Test("data ahead of a link that ends before its event is seen belongs to no other link")
    func endedUnseen() throws {
        let bench = try advertising()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        bench.disconnect()
        bench.connect()
        #expect(bench.data.isEmpty)
        #expect(serves(bench))
    }

    @Test("data of a link that is refused is not held")
    func refused() throws {
        let bench = HostBench.ready { $0.maximumConnections = 1 }
        bench.connect()
        bench.forget()
        bench.connect(Self.other)
        #expect(bench.opcodes() == [.disconnect])
        bench.receive(Self.mtuRequest, on: .attributeProtocol, of: Self.other)
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil && bench.data.isEmpty)
    }

    @Test("data from before a reset of the controller belongs to no link after it")
    func reset() throws {
        let bench = try advertising()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        bench.inject(HCI.HardwareError(hardwareCode: 1))
        bench.connect()
        #expect(bench.data.isEmpty)
        #expect(serves(bench))
    }

    @Test("the event of a connection, twice, is one link")
    func doubledConnection() throws {
        let bench = try advertising()
        bench.connect()
        #expect(serves(bench))
        bench.forget()
        bench.connect()
        #expect(bench.story().isEmpty)
        let mtu = bench.host.mtu(of: HostBench.handle)
        #expect(mtu == 517)
        // Later, the same event means that the end of the link was lost.
        bench.advance(by: Self.limit)
        bench.connect()
        #expect(bench.story() == ["40 disconnected: 1f", "40 connected to stranger"])
    }

    @Test("the event of an end, twice, is one end, and the next link lives")
    func doubledDisconnection() throws {
        let bench = try advertising()
        bench.connect()
        bench.forget()
        bench.disconnect()
        bench.disconnect()
        #expect(bench.story() == ["40 disconnected: 13"])
        bench.connect()
        #expect(serves(bench))
    }

    @Test("completed packets of a link that has ended free no buffer twice")
    func lateCompletion() throws {
        let bench = try advertising()
        bench.completesPackets = false
        bench.connect()
        bench.receive(Self.mtuRequest, on: .attributeProtocol)
        #expect(bench.data.count == 1)
        bench.disconnect()
        bench.inject(
            HCI.NumberOfCompletedPackets(entries: [
                .init(handle: HostBench.handle, count: 1), .init(handle: Self.other, count: 9),
            ]))
        // What AnsweringController has.
        let buffers = 8
        bench.connect()
        bench.forget()
        for _ in 0..<(buffers + 10) {
            bench.receive(Self.mtuRequest, on: .attributeProtocol)
        }
        #expect(bench.data.count == buffers)
    }

    @Test(
        "a fade is requested only of virtual controllers: others may define the opcode differently")
    func fade() throws {
        let bench = try advertising()
        #expect(throws: HostUsageError.notSupported) {
            try bench.host.fade(nil, for: .seconds(1), at: bench.now)
        }
        bench.run()
        #expect(bench.opcodes().isEmpty)
    }
}
