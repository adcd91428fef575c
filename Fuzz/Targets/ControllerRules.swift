import Octets

@testable import BluetoothLE

/// The rules that a virtual controller must keep with any host.
struct ControllerRules {
    /// Commands that have not been answered yet.
    private var unanswered: [HCIOpcode: Int] = [:]
    /// The packets of each connection that the controller accepted and has not reported as completed.
    private var held: [ConnectionHandle: Int] = [:]

    mutating func sent(_ packet: HCIPacket) throws {
        switch packet {
        case .command(let octets):
            guard let command = try? HCICommandPacket(decoding: octets.span) else {
                return malformed(octets)
            }
            // The only command that is answered only if its parameters are invalid. Core Vol 4, Part E,
            // 7.3.40.
            guard command.opcode != .hostNumberOfCompletedPackets else { return }
            unanswered[command.opcode, default: 0] += 1
            if command.opcode == .reset { held = [:] }
        case .acl(let octets):
            guard let packet = try? ACLPacket(decoding: octets.span) else { return }
            held[packet.handle, default: 0] += 1
        case .event: break
        }
    }

    /// A malformed command is refused, if it has an opcode.
    private mutating func malformed(_ command: [UInt8]) {
        guard command.count >= 2 else { return }
        let opcode = UInt16(command[0]) | UInt16(command[1]) << 8
        unanswered[HCIOpcode(rawValue: opcode), default: 0] += 1
    }

    mutating func received(_ packet: HCIPacket) throws {
        switch packet {
        case .command: throw BrokenRule(description: "a controller sends a command")
        case .acl(let octets): _ = try ACLPacket(decoding: octets.span)
        case .event(let octets):
            try check((2...257).contains(octets.count), "an event of \(octets.count) octets")
            try check(Int(octets[1]) == octets.count - 2, "an event that does not have its length")
            try received(HCIEvent(decoding: octets.span))
        }
    }

    private mutating func received(_ event: HCIEvent) throws {
        switch event {
        case .commandComplete(let event): try answered(event.opcode)
        case .commandStatus(let event): try answered(event.opcode)
        case .numberOfCompletedPackets(let event):
            for entry in event.entries {
                let left = held[entry.handle, default: 0] - Int(entry.count)
                try check(left >= 0, "packets are completed that were not sent")
                held[entry.handle] = left
            }
        case .disconnectionComplete(let event): held[event.handle] = nil
        case .unknown(let code, _):
            throw BrokenRule(description: "an event that the host does not know: \(code)")
        default: break
        }
    }

    private mutating func answered(_ opcode: HCIOpcode) throws {
        guard opcode != .hostNumberOfCompletedPackets else { return }
        let count = unanswered[opcode, default: 0]
        try check(count > 0 || opcode == .none, "an answer to no command")
        unanswered[opcode] = count > 1 ? count - 1 : nil
    }

    mutating func lostPower() {
        unanswered = [:]
        held = [:]
    }

    /// Every command must be answered at once.
    func rests() throws {
        guard let opcode = unanswered.keys.first else { return }
        throw BrokenRule(description: "command \(opcode) has no answer")
    }
}
