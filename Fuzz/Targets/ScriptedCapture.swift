import Octets

@testable import BluetoothLE
@testable import LinuxIO

/// Capture files of the traffic between a host and its controller.
enum ScriptedCapture {
    /// 1970 in the microseconds of btsnoop.
    private static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    static func header(_ input: inout FuzzInput) -> [UInt8] {
        let datalink: UInt32 = input.element(of: [1001, 1002, 2001])
        return Array("btsnoop\0".utf8) + big(UInt32(1)) + big(datalink)
    }

    static func octets(_ input: inout FuzzInput) -> [UInt8] {
        let format = input.choice(6)
        let datalinks: [UInt32] = [1001, 1002, 2001]
        var octets: [UInt8] = []
        if format < 3 {
            octets = Array("btsnoop\0".utf8) + big(UInt32(1)) + big(datalinks[format])
        } else if format > 3 {
            octets = libpcapHeader(isBlocks: format == 5, &input)
        }
        var time: Int64 = unixEpoch + 1_795_253_400_000_000
        while !input.isAtEnd {
            time = nextTime(after: time, &input)
            for packet in packets(&input) {
                octets += record(packet, format: format, time: time, &input)
            }
        }
        return octets
    }

    private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }

    /// Usually a little later, but clocks may be set and files damaged.
    private static func nextTime(after time: Int64, _ input: inout FuzzInput) -> Int64 {
        switch input.choice(16) {
        case 0: Int64(bitPattern: input.number(UInt64.self))
        case 1: input.element(of: [.min, .max, 0, -1, unixEpoch])
        default: time &+ Int64(input.octet()) * 1000
        }
    }

    private static func packets(_ input: inout FuzzInput) -> [(packet: HCIPacket, isSent: Bool)] {
        switch input.choice(8) {
        case 0...3:
            let isSent = input.flag()
            return ScriptedTraffic.packets(&input, isSent: isSent)
                .map { (.acl($0.octets), isSent) }
        case 4, 5: return [(.event(ScriptedTraffic.event(&input)), false)]
        case 6:
            let command = HCICommandPacket(
                opcode: ScriptedTraffic.opcode(&input), parameters: input.octets())
            return [(.command(command.octets), true)]
        default: return ScriptedBasicRate.packets(&input)
        }
    }

    private static func record(
        _ packet: (packet: HCIPacket, isSent: Bool), format: Int, time: Int64,
        _ input: inout FuzzInput
    ) -> [UInt8] {
        let isData = if case .acl = packet.packet { true } else { false }
        var data = format == 1 ? packet.packet.octets : packet.packet.body
        if format > 3 { return libpcap(packet, time, isBlocks: format == 5, &input) }
        guard format < 3 else { return packetLogger(packet, time, data) }
        var flags: UInt32 = (packet.isSent ? 0 : 1) | (isData ? 0 : 2)
        if format == 2 {
            flags = isData ? (packet.isSent ? 4 : 5) : packet.isSent ? 2 : 3
            flags |= UInt32(input.choice(2)) << 16
            // A controller appears or disappears.
            if input.choice(16) == 0 {
                flags = UInt32(input.element(of: [0, 1, 10, 8]))
                data = input.octets()
            }
        }
        let cut = input.choice(16) == 0 ? min(data.count, input.choice(8)) : 0
        let drops = input.choice(16) == 0 ? input.number(UInt32.self) : 0
        return big(UInt32(data.count)) + big(UInt32(data.count - cut)) + big(flags) + big(drops)
            + big(time) + data.dropLast(cut)
    }

    private static func packetLogger(
        _ packet: (packet: HCIPacket, isSent: Bool), _ time: Int64, _ data: [UInt8]
    ) -> [UInt8] {
        let type: UInt8 =
            switch packet.packet {
            case .command: 0x00
            case .event: 0x01
            case .acl: packet.isSent ? 0x02 : 0x03
            }
        let seconds = UInt32(truncatingIfNeeded: time / 1_000_000)
        let microseconds = UInt32(time.magnitude % 1_000_000)
        return big(UInt32(9 + data.count)) + big(seconds) + big(microseconds) + [type] + data
    }

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let length = big(UInt32(padded.count + 12))
        return big(type) + length + padded + length
    }

    private static func libpcapHeader(isBlocks: Bool, _ input: inout FuzzInput) -> [UInt8] {
        let linkType: UInt16 = input.element(of: [187, 201, 254])
        guard isBlocks else {
            let magic: UInt32 = input.element(of: [0xA1B2_C3D4, 0xA1B2_3C4D])
            return big(magic) + [0, 2, 0, 4] + [UInt8](repeating: 0, count: 12)
                + big(UInt32(linkType))
        }
        let resolution = input.flag() ? [0, 9, 0, 1, input.octet(), 0, 0, 0] : []
        return block(
            0x0A0D_0D0A,
            big(UInt32(0x1A2B_3C4D)) + [0, 1, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
            + block(1, big(linkType) + [0, 0, 0, 0, 0, 0] + resolution)
    }

    /// A packet in all forms of the link types at once: the direction, an indicator, a packet.
    private static func libpcap(
        _ packet: (packet: HCIPacket, isSent: Bool), _ time: Int64, isBlocks: Bool,
        _ input: inout FuzzInput
    ) -> [UInt8] {
        let opcode: UInt16 = input.element(of: [2, 3, 4, 5])
        let data: [UInt8] =
            switch input.choice(3) {
            case 0: packet.packet.octets
            case 1: big(packet.isSent ? 0 : 1 as UInt32) + packet.packet.octets
            default: [0, 0] + big(opcode) + packet.packet.body
            }
        let cut = input.choice(16) == 0 ? min(data.count, input.choice(8)) : 0
        let lengths = big(UInt32(data.count - cut)) + big(UInt32(data.count))
        let (upper, lower) = (
            UInt32(truncatingIfNeeded: time >> 32), UInt32(truncatingIfNeeded: time)
        )
        guard isBlocks else {
            return big(upper) + big(lower) + lengths + data.dropLast(cut)
        }
        let padding = [UInt8](repeating: 0, count: (4 - (data.count - cut) % 4) % 4)
        let flags = input.flag() ? [0, 2, 0, 4, 0, 0, 0, input.octet()] : []
        return block(
            6,
            [0, 0, 0, 0] + big(upper) + big(lower) + lengths + data.dropLast(cut) + padding + flags)
    }
}
