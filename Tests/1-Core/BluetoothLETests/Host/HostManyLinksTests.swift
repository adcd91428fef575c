import BluetoothLE
import Octets
import Testing

/// A host with several links: each packet is about one of them, whatever the others do.
@Suite struct HostManyLinksTests {
    static let handles = [0x42, 0x40, 0x41].map { ConnectionHandle(rawValue: $0) }

    static func address(of handle: ConnectionHandle) -> DeviceAddress {
        DeviceAddress(0xE0F1_F2F3_0000 + UInt64(handle.rawValue), kind: .random)
    }

    /// Links that were made in no order of their handles.
    static func linked() -> HostBench {
        let bench = HostBench.ready()
        for handle in handles {
            bench.connect(handle, as: .central, to: address(of: handle))
        }
        bench.forget()
        return bench
    }

    @Test("the earliest deadline of all links counts, and goes with its link or its procedure")
    func deadlines() throws {
        let bench = Self.linked()
        #expect(bench.host.nextDeadline == nil)
        var deadlines: [MonotonicInstant] = []
        for handle in Self.handles {
            _ = try bench.host.start(.exchangeMTU, on: handle, at: bench.now)
            deadlines.append(bench.now + ATTBearer.transactionTimeout)
            bench.now = bench.now + .seconds(1)
        }
        bench.run()
        #expect(bench.host.nextDeadline == deadlines[0])
        bench.disconnect(Self.handles[0])
        #expect(bench.host.nextDeadline == deadlines[1])
        // The response to Exchange MTU Request.
        bench.receive([0x03, 0x17, 0x00], on: .attributeProtocol, of: Self.handles[1])
        #expect(bench.host.nextDeadline == deadlines[2])
        bench.disconnect(Self.handles[2])
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("an expired deadline affects only its own link")
    func lateLink() throws {
        let bench = Self.linked()
        _ = try bench.host.start(.exchangeMTU, on: Self.handles[1], at: bench.now)
        bench.run()
        bench.advance(by: ATTBearer.transactionTimeout)
        #expect(bench.commands.last?.opcode == .disconnect)
        #expect(bench.commands.last?.parameters.prefix(2) == [0x40, 0x00])
        #expect(bench.host.nextDeadline == nil)
        #expect(bench.host.description(of: Self.handles[2]) != nil)
    }

    @Test("every link is found by its handle, and one that has ended is not")
    func handles() {
        let bench = Self.linked()
        for handle in Self.handles { #expect(bench.host.description(of: handle) != nil) }
        bench.disconnect(Self.handles[2])
        #expect(bench.host.description(of: Self.handles[2]) == nil)
        for handle in Self.handles.dropLast() {
            #expect(bench.host.description(of: handle)?.peerAddress == Self.address(of: handle))
        }
        #expect(bench.host.description(of: ConnectionHandle(rawValue: 0x43)) == nil)
    }
}
