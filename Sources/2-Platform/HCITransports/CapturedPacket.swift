internal import BluetoothTypes

/// The contents of a record, in the forms that several formats share.
enum CapturedPacket {
    /// A packet after its H4 indicator.
    static func h4(
        _ data: ArraySlice<UInt8>, _ direction: CaptureReader.Direction, missing: Int
    ) -> CaptureReader.Content {
        guard let indicator = data.first else { return .empty }
        let body = Array(data.dropFirst())
        return switch indicator {
        case 0x01: .packet(.command(body), .sent, missing: missing)
        case 0x02: .packet(.acl(body), direction, missing: missing)
        case 0x03, 0x05: .audio(octets: data.count - 1 + missing)
        case 0x04: .packet(.event(body), .received, missing: missing)
        default: .other
        }
    }

    /// The opcodes of BlueZ's monitor channel: `doc/btmon.rst` and `src/shared/btsnoop.h` of BlueZ.
    static func monitor(
        _ opcode: UInt16, _ data: ArraySlice<UInt8>, missing: Int
    ) -> CaptureReader.Content {
        let data = Array(data)
        switch opcode {
        case 0:  // New index: type, bus, address, name of 8
            guard data.count >= 8 else { return .empty }
            let name = data[8...].prefix(8).prefix { $0 != 0 }
            return .adapterAdded(address(data[2..<8]), name: String(decoding: name, as: UTF8.self))
        case 1: return .adapterRemoved
        case 2: return .packet(.command(data), .sent, missing: missing)
        case 3: return .packet(.event(data), .received, missing: missing)
        case 4: return .packet(.acl(data), .sent, missing: missing)
        case 5: return .packet(.acl(data), .received, missing: missing)
        case 6, 7, 18, 19: return .audio(octets: data.count + missing)
        case 10:  // Index information: address, manufacturer
            guard data.count >= 6 else { return .empty }
            return .adapterAddress(address(data[0..<6]))
        default: return .other
        }
    }

    private static func address(_ octets: ArraySlice<UInt8>) -> DeviceAddress {
        DeviceAddress(octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind: .public)
    }
}

/// The direction of ACL packets in a file that does not say it.
///
/// The Packet_Boundary_Flag tells it for the first fragment of an L2CAP PDU on an LE link: 0b00 from the host,
/// 0b10 from the controller (Core Vol 4, Part E, 5.4.2). A continuation belongs to the PDU that is incomplete.
/// On a BR/EDR link a host may use 0b10 for data that may be flushed, and then the answer is wrong; Linux uses
/// 0b00 by default.
struct InferredDirection: Sendable {
    private struct Pending {
        /// The octets that the current PDU of each direction still needs.
        var sent = 0
        var received = 0
        var latest = CaptureReader.Direction.received
    }

    /// By connection handle: at most 4,096.
    private var pending: [UInt16: Pending] = [:]

    /// The direction of an ACL packet, from the octet after its H4 indicator on.
    mutating func direction(of packet: ArraySlice<UInt8>) -> CaptureReader.Direction {
        let order = CaptureFormat.ByteOrder.littleEndian
        guard packet.count >= 4 else { return .received }
        let header = order.shortNumber(packet, at: 0)
        let handle = header & 0xFFF
        var state = pending[handle] ?? Pending()
        defer { pending[handle] = state }
        let count = Int(order.shortNumber(packet, at: 2))
        switch header >> 12 & 0b11 {
        case 0b01:
            if state.sent > 0, state.received == 0 { state.latest = .sent }
            if state.received > 0, state.sent == 0 { state.latest = .received }
            if state.latest == .sent {
                state.sent = max(0, state.sent - count)
            } else {
                state.received = max(0, state.received - count)
            }
        case let boundary:
            state.latest = boundary == 0b00 ? .sent : .received
            // The length of the PDU, its header of four octets not counted.
            let whole = packet.count >= 6 ? 4 + Int(order.shortNumber(packet, at: 4)) : count
            let rest = max(0, whole - count)
            if state.latest == .sent { state.sent = rest } else { state.received = rest }
        }
        return state.latest
    }
}
