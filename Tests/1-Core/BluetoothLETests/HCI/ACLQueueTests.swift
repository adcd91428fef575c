@testable import BluetoothLE
import Octets
import Testing

extension ACLQueue {
    mutating func drain() -> [ACLPacket] {
        var packets: [ACLPacket] = []
        while let packet = pollOutput() { packets.append(packet) }
        return packets
    }
}

@Suite struct ACLQueueTests {
    static let first = ConnectionHandle(rawValue: 0x0001)
    static let second = ConnectionHandle(rawValue: 0x0002)

    func queue(length: Int = 4, count: Int, limit: Int = 100) -> ACLQueue {
        var queue = ACLQueue(
            buffers: .init(length: length, count: count),
            configuration: .init(maximumQueuedOctets: limit))
        queue.connected(Self.first)
        queue.connected(Self.second)
        return queue
    }

    func completed(_ handle: ConnectionHandle, _ count: UInt16) -> HCI.NumberOfCompletedPackets {
        HCI.NumberOfCompletedPackets(entries: [.init(handle: handle, count: count)])
    }

    @Test("a PDU is cut to the buffers; the first packet begins it and the others continue it")
    func fragmentation() throws {
        var queue = queue(count: 8)
        try queue.submit(Array(0..<9), on: Self.first)
        let packets = queue.drain()
        #expect(packets.map(\.boundary) == [.firstNonFlushable, .continuing, .continuing])
        #expect(packets.map(\.data) == [[0, 1, 2, 3], [4, 5, 6, 7], [8]])
        #expect(packets[1].octets == [0x01, 0x10, 0x04, 0x00, 4, 5, 6, 7])
        #expect(packets[0].octets == [0x01, 0x00, 0x04, 0x00, 0, 1, 2, 3])
        #expect(queue.outstandingPackets(on: Self.first) == 3)
    }

    @Test("never more packets go out than the controller has buffers")
    func accounting() throws {
        var queue = queue(count: 2)
        try queue.submit(Array(0..<12), on: Self.first)
        #expect(queue.drain().count == 2)
        #expect(queue.freeBuffers == 0)
        #expect(queue.queuedOctets(on: Self.first) == 4)
        queue.receive(completed(Self.first, 1))
        #expect(queue.drain().map(\.data) == [[8, 9, 10, 11]])
        #expect(queue.drain().isEmpty)
        #expect(queue.queuedOctets(on: Self.first) == 0)
    }

    @Test("completing more than is outstanding, or on no connection, frees nothing")
    func hostileCompletion() throws {
        var queue = queue(count: 2)
        try queue.submit(Array(0..<16), on: Self.first)
        #expect(queue.drain().count == 2)
        queue.receive(completed(ConnectionHandle(rawValue: 0x0EFF), 100))
        queue.receive(completed(Self.second, 100))
        #expect(queue.drain().isEmpty)
        queue.receive(completed(Self.first, 0xFFFF))
        #expect(queue.freeBuffers == 2)
        #expect(queue.drain().count == 2)
        #expect(queue.freeBuffers == 0)
    }

    @Test("connections take turns, packet by packet")
    func fairness() throws {
        var queue = queue(count: 6)
        try queue.submit(Array(0..<12), on: Self.first)
        try queue.submit(Array(0..<8), on: Self.second)
        #expect(
            queue.drain().map(\.handle) == [
                Self.first, Self.second, Self.first, Self.second, Self.first,
            ])
    }

    @Test("connections may come in any order, and one that goes leaves the others")
    func manyConnections() throws {
        var queue = queue(count: 8)
        let handles = [9, 3, 7, 5].map { ConnectionHandle(rawValue: $0) }
        for handle in handles { queue.connected(handle) }
        for handle in handles { try queue.submit([1], on: handle) }
        queue.disconnected(handles[2])
        #expect(queue.drain().map(\.handle) == [handles[0], handles[1], handles[3]])
        for handle in handles {
            #expect(queue.outstandingPackets(on: handle) == (handle == handles[2] ? 0 : 1))
        }
    }

    @Test("with one buffer a busy connection does not starve the other")
    func starvation() throws {
        var queue = queue(count: 1)
        try queue.submit(Array(0..<12), on: Self.first)
        try queue.submit(Array(0..<4), on: Self.second)
        #expect(queue.drain().map(\.handle) == [Self.first])
        queue.receive(completed(Self.first, 1))
        #expect(queue.drain().map(\.handle) == [Self.second])
        queue.receive(completed(Self.second, 1))
        #expect(queue.drain().map(\.handle) == [Self.first])
    }

    @Test("a disconnection frees the connection's buffers and drops its queue")
    func disconnection() throws {
        var queue = queue(count: 2)
        try queue.submit(Array(0..<12), on: Self.first)
        try queue.submit(Array(0..<4), on: Self.second)
        #expect(queue.drain().count == 2)
        queue.disconnected(Self.first)
        queue.receive(completed(Self.first, 1))
        #expect(queue.freeBuffers == 1)
        #expect(queue.drain().isEmpty)
        queue.receive(completed(Self.second, 1))
        #expect(queue.freeBuffers == 2)
        #expect(throws: ACLQueue.UsageError.unknownConnection) {
            try queue.submit([1], on: Self.first)
        }
    }

    @Test("a handle that connects again begins with nothing outstanding")
    func reconnection() throws {
        var queue = queue(count: 2)
        try queue.submit(Array(0..<12), on: Self.first)
        #expect(queue.drain().count == 2)
        queue.connected(Self.first)
        #expect(queue.freeBuffers == 2)
        #expect(queue.outstandingPackets(on: Self.first) == 0)
        try queue.submit([7], on: Self.first)
        #expect(queue.drain().map(\.boundary) == [.firstNonFlushable])
    }

    @Test(
        "a full queue reports it and keeps its order; a large PDU is accepted if the queue is empty"
    )
    func limit() throws {
        var queue = queue(length: 4, count: 1, limit: 8)
        try queue.submit(Array(0..<20), on: Self.first)
        #expect(throws: ACLQueue.UsageError.queueFull) {
            try queue.submit([1], on: Self.first)
        }
        try queue.submit([1], on: Self.second)
        #expect(queue.queuedOctets(on: Self.first) == 20)
    }

    @Test(
        "decoding an encoded packet gives the same packet, with any boundary flag", arguments: 0...3
    )
    func packets(boundary: UInt8) throws {
        let packet = ACLPacket(
            handle: ConnectionHandle(rawValue: 0x0EFF),
            boundary: try #require(ACLPacket.Boundary(rawValue: boundary)), data: [1, 2, 3])
        let octets = packet.octets
        #expect(try ACLPacket(decoding: octets.span) == packet)
        for count in octets.indices {
            #expect(throws: DecodingError.self) {
                _ = try ACLPacket(decoding: Array(octets[..<count]).span)
            }
        }
        #expect(throws: DecodingError.excess(count: 1)) {
            _ = try ACLPacket(decoding: (octets + [0]).span)
        }
    }
}
