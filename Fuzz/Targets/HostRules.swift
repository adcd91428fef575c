import Octets

@testable import BluetoothLE

/// The rules that a ``Host`` must keep with any controller.
struct HostRules {
    var maximumBonds = 1
    /// Whether nothing more may be sent.
    var isStopped = false
    /// The addresses of a few advertisers.
    private(set) var discovered: [DeviceAddress] = []
    private var connections: Set<ConnectionHandle> = []
    private var procedures: [ConnectionHandle: Set<ProcedureID>] = [:]
    private var buffers = ControllerAbilities.Buffers(length: 27, count: 1)
    /// The packets of each connection that the controller holds.
    private var held: [ConnectionHandle: Int] = [:]

    /// The handle of an established connection, if there is one, else an arbitrary one.
    func connection(_ input: inout FuzzInput) -> ConnectionHandle {
        let standing = connections.sorted { $0.rawValue < $1.rawValue }
        return standing.isEmpty || input.choice(8) == 0
            ? ScriptedTraffic.connection(&input) : input.element(of: standing)
    }

    mutating func began(_ procedure: ProcedureID, on connection: ConnectionHandle) {
        procedures[connection, default: []].insert(procedure)
    }

    /// The controller sent a packet.
    mutating func received(_ packet: HCIPacket) {
        guard case .event(let octets) = packet,
            case .numberOfCompletedPackets(let event)? = try? HCIEvent(decoding: octets.span)
        else { return }
        for entry in event.entries {
            guard let count = held[entry.handle] else { continue }
            held[entry.handle] = max(0, count - Int(entry.count))
        }
    }

    mutating func note(_ output: HostOutput) throws {
        switch output {
        case .send(let packet): try sent(packet)
        case .controller(.ready(let abilities)):
            buffers = abilities.buffers
            held = [:]
        case .controller(.resetting): held = [:]
        case .controller(.failed): isStopped = true
        case .air(.discovered(let discovery)):
            discovered = discovered.suffix(5) + [discovery.address]
        case .link(let handle, .connected):
            let isNew = connections.insert(handle).inserted
            try check(isNew, "a connection stands already")
        case .link(let handle, .disconnected):
            try check(connections.remove(handle) != nil, "a connection ends that does not stand")
            let left = procedures.removeValue(forKey: handle)?.count ?? 0
            try check(left == 0, "\(left) procedures do not end with their link")
            held[handle] = nil
        case .attribute(let handle, let event):
            try checkStanding(handle)
            guard case .completed(let procedure, _) = event else { break }
            let ended = procedures[handle]?.remove(procedure)
            try check(ended != nil, "a procedure ends that does not run")
        case .link(let handle, _), .security(let handle, _): try checkStanding(handle)
        case .air, .bondChanged: break
        }
    }

    private func checkStanding(_ handle: ConnectionHandle) throws {
        try check(connections.contains(handle), "something about a connection that does not stand")
    }

    /// A packet must be valid, and the controller must have room for it.
    private mutating func sent(_ packet: HCIPacket) throws {
        try check(!isStopped, "a host that has stopped sends")
        switch packet {
        case .command(let octets):
            let command = try HCICommandPacket(decoding: octets.span)
            try check(command.octets == octets, "a command does not decode to what it was made of")
        case .acl(let octets):
            let packet = try ACLPacket(decoding: octets.span)
            try check(packet.data.count <= buffers.length, "a packet is longer than a buffer")
            held[packet.handle, default: 0] += 1
            let count = held.values.reduce(0, +)
            try check(count <= buffers.count, "\(count) packets in \(buffers.count) buffers")
        case .event: throw BrokenRule(description: "a host sends an event")
        }
    }

    /// The transport has closed.
    func hasEnded() throws {
        try check(connections.isEmpty, "\(connections.count) connections outlive the transport")
    }
}
