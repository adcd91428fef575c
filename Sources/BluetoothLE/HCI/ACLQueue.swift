internal import Octets

/// L2CAP PDUs on their way to the controller: cut to the size of its buffers, never more than it has
/// buffers for, one packet of each connection in turn. Core Vol 4, Part E, 4.1.
public struct ACLQueue: ~Copyable, Sendable {
    /// Why a PDU was not taken.
    public enum UsageError: Error, Hashable, Sendable {
        /// There is no such connection.
        case unknownConnection
        /// So much waits on the connection that there is no room for the PDU.
        case queueFull
    }

    /// The limit of the queue.
    public struct Configuration: Hashable, Sendable {
        /// How many octets of L2CAP PDUs may wait on one connection. One PDU of any size is taken
        /// while nothing waits.
        public var maximumQueuedOctets: Int

        /// Room for about a hundred of the largest ATT PDUs, unless said otherwise.
        public init(maximumQueuedOctets: Int = 65_536) {
            self.maximumQueuedOctets = maximumQueuedOctets
        }
    }

    private struct Connection {
        var handle: ConnectionHandle
        var waiting = Queue<[UInt8]>()
        /// How much of the first waiting PDU has been sent.
        var sent = 0
        var queuedOctets = 0
        /// How many packets the controller holds.
        var outstanding = 0
    }

    private let configuration: Configuration
    private let buffers: ControllerAbilities.Buffers
    private var free: Int
    private var connections: [Connection] = []
    /// Those with something to send, the next one first.
    private var ready = Queue<ConnectionHandle>()

    /// A queue to a controller with these buffers, all of them free.
    public init(
        buffers: ControllerAbilities.Buffers, configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        self.buffers = ControllerAbilities.Buffers(
            length: max(1, buffers.length), count: max(1, buffers.count), isShared: buffers.isShared
        )
        free = self.buffers.count
    }

    /// A connection was made. A handle that is known already begins anew: its link must have ended.
    public mutating func connected(_ handle: ConnectionHandle) {
        disconnected(handle)
        let position = connections.position(of: handle) { $0.handle }
        connections.insert(Connection(handle: handle), at: position)
    }

    /// A connection ended: what waits is dropped, and the buffers that it held are free.
    /// Core Vol 4, Part E, 4.1.1.
    public mutating func disconnected(_ handle: ConnectionHandle) {
        guard let index = index(of: handle) else { return }
        free = min(buffers.count, free + connections[index].outstanding)
        connections.remove(at: index)
        _ = ready.removeAll { $0 == handle }
    }

    /// Takes a whole L2CAP PDU, its header included.
    public mutating func submit(
        _ pdu: [UInt8], on handle: ConnectionHandle
    ) throws(UsageError) {
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

    /// HCI_Number_Of_Completed_Packets came. More than the controller holds counts for nothing.
    public mutating func receive(_ event: HCI.NumberOfCompletedPackets) {
        for entry in event.entries {
            guard let index = index(of: entry.handle) else { continue }
            let completed = min(Int(entry.count), connections[index].outstanding)
            connections[index].outstanding -= completed
            free = min(buffers.count, free + completed)
        }
    }

    /// The next packet for the transport, or `nil` while nothing waits or no buffer is free.
    public mutating func pollOutput() -> ACLPacket? {
        guard free > 0, let handle = ready.popFirst(), let index = index(of: handle) else {
            return nil
        }
        guard let packet = takePacket(at: index) else { return nil }
        free -= 1
        if !connections[index].waiting.isEmpty { ready.append(handle) }
        return packet
    }

    /// How many octets wait on a connection, packets that the controller holds not counted.
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
