internal import Octets

/// Queues L2CAP PDUs for the controller: cuts them to the size of its buffers, sends no more packets than it
/// has buffers for, and takes one packet of each connection in turn. Core Vol 4, Part E, 4.1.
public struct ACLQueue: ~Copyable, Sendable {
    /// Why a PDU was refused.
    public enum UsageError: Error, Equatable, Sendable {
        /// The connection does not exist.
        case unknownConnection
        /// The queue of the connection has no room for the PDU.
        case queueFull
    }

    /// The limit of the queue.
    public struct Configuration: Equatable, Sendable {
        /// How many octets of L2CAP PDUs may be queued on one connection. A PDU of any size is accepted if
        /// its queue is empty.
        public var maximumQueuedOctets: Int

        /// A limit; the default has room for about a hundred of the longest ATT PDUs.
        public init(maximumQueuedOctets: Int = 65_536) {
            self.maximumQueuedOctets = maximumQueuedOctets
        }
    }

    private struct Connection {
        var handle: ConnectionHandle
        var waiting = Queue<[UInt8]>()
        /// How many octets of the first PDU have been sent.
        var sent = 0
        var queuedOctets = 0
        /// How many packets the controller holds.
        var outstanding = 0
    }

    private let configuration: Configuration
    private let buffers: ControllerAbilities.Buffers
    private var free: Int
    private var connections: [Connection] = []
    /// The connections that have something to send, the next one first.
    private var ready = Queue<ConnectionHandle>()

    /// A queue for a controller with these buffers, all of them free.
    public init(
        buffers: ControllerAbilities.Buffers, configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        self.buffers = ControllerAbilities.Buffers(
            length: max(1, buffers.length), count: max(1, buffers.count), isShared: buffers.isShared
        )
        free = self.buffers.count
    }

    /// A connection was established. For a known handle, the old link has ended and its queue is dropped.
    public mutating func connected(_ handle: ConnectionHandle) {
        disconnected(handle)
        let position = connections.position(of: handle) { $0.handle }
        connections.insert(Connection(handle: handle), at: position)
    }

    /// A connection ended: its queue is dropped, and the buffers that it occupied are free. Core Vol 4, Part
    /// E, 4.1.1.
    public mutating func disconnected(_ handle: ConnectionHandle) {
        guard let index = index(of: handle) else { return }
        free = min(buffers.count, free + connections[index].outstanding)
        connections.remove(at: index)
        _ = ready.removeAll { $0 == handle }
    }

    /// Queues a complete L2CAP PDU, including its header. Throws ``UsageError``.
    public mutating func submit(_ pdu: [UInt8], on handle: ConnectionHandle) throws(UsageError) {
        guard let index = index(of: handle) else { throw .unknownConnection }
        let queued = connections[index].queuedOctets
        guard queued == 0 || queued + pdu.count <= configuration.maximumQueuedOctets else {
            throw .queueFull
        }
        guard !pdu.isEmpty else { return }
        if connections[index].waiting.isEmpty { ready.append(handle) }
        connections[index].waiting.append(pdu)
        connections[index].queuedOctets += pdu.count
    }

    /// HCI_Number_Of_Completed_Packets arrived. A count above that of the packets held is ignored.
    public mutating func receive(_ event: HCI.NumberOfCompletedPackets) {
        for entry in event.entries {
            guard let index = index(of: entry.handle) else { continue }
            let completed = min(Int(entry.count), connections[index].outstanding)
            connections[index].outstanding -= completed
            free = min(buffers.count, free + completed)
        }
    }

    /// Takes the next packet for the transport; `nil` if nothing is queued or no buffer is free.
    public mutating func pollOutput() -> ACLPacket? {
        guard free > 0, let handle = ready.popFirst(), let index = index(of: handle) else {
            return nil
        }
        guard let packet = takePacket(at: index) else { return nil }
        free -= 1
        if !connections[index].waiting.isEmpty { ready.append(handle) }
        return packet
    }

    /// How many octets are queued on a connection, without the packets that the controller holds.
    public func queuedOctets(on handle: ConnectionHandle) -> Int {
        index(of: handle).map { connections[$0].queuedOctets } ?? 0
    }

    /// How many packets of a connection the controller holds.
    public func outstandingPackets(on handle: ConnectionHandle) -> Int {
        index(of: handle).map { connections[$0].outstanding } ?? 0
    }

    /// How many of the controller's buffers are free.
    public var freeBuffers: Int { free }

    private func index(of handle: ConnectionHandle) -> Int? {
        let position = connections.position(of: handle) { $0.handle }
        guard position < connections.count, connections[position].handle == handle else {
            return nil
        }
        return position
    }

    private mutating func takePacket(at index: Int) -> ACLPacket? {
        let start = connections[index].sent
        guard let pdu = connections[index].waiting.first else { return nil }
        let end = min(start + buffers.length, pdu.count)
        connections[index].queuedOctets -= end - start
        connections[index].outstanding += 1
        if end == pdu.count {
            _ = connections[index].waiting.popFirst()
            connections[index].sent = 0
        } else {
            connections[index].sent = end
        }
        return ACLPacket(
            handle: connections[index].handle,
            boundary: start == 0 ? .firstNonFlushable : .continuing,
            data: start == 0 && end == pdu.count ? pdu : Array(pdu[start..<end]))
    }
}
