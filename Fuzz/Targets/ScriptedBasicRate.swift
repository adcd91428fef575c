import Octets

@testable import BluetoothLE
@testable import LinuxIO

/// What a controller reports of BR/EDR, and what flows on its links: valid packets and slightly wrong ones. The
/// handles are those of the other traffic, so that links of both kinds replace each other.
enum ScriptedBasicRate {
    static func packets(_ input: inout FuzzInput) -> [(packet: HCIPacket, isSent: Bool)] {
        switch input.choice(4) {
        case 0: [(.event(input.octets()), input.flag())]
        case 1: [(.event(event(&input)), false)]
        case 2: [(.command(command(&input)), true)]
        default: data(&input)
        }
    }

    /// One of two devices.
    private static func address(_ input: inout FuzzInput) -> [UInt8] {
        [0x55, 0x44, 0x33, 0x22, 0x11, input.flag() ? 0x00 : 0x5C]
    }

    private static func handle(_ input: inout FuzzInput) -> [UInt8] {
        little(ScriptedTraffic.connection(&input).rawValue)
    }

    private static func little(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    private static func status(_ input: inout FuzzInput) -> UInt8 {
        ScriptedTraffic.status(&input).rawValue
    }

    private static func capabilities(_ input: inout FuzzInput) -> [UInt8] {
        [UInt8(input.choice(5)), UInt8(input.choice(2)), UInt8(input.choice(7))]
    }

    private static func event(_ input: inout FuzzInput) -> [UInt8] {
        let code: UInt8 = input.element(of: [
            0x03, 0x04, 0x06, 0x07, 0x16, 0x18, 0x31, 0x32, 0x33, 0x36,
        ])
        var parameters: [UInt8] =
            switch code {
            case 0x03:
                [status(&input)] + handle(&input) + address(&input) + [UInt8(input.choice(3)), 0]
            case 0x04:
                address(&input) + [0x0C, UInt8(input.choice(10)), 0x7A, UInt8(input.choice(2))]
            case 0x06: [status(&input)] + handle(&input)
            case 0x07: [status(&input)] + address(&input) + input.octets()
            case 0x18:
                address(&input) + [UInt8](repeating: 0xA5, count: 16) + [UInt8(input.choice(10))]
            case 0x32: address(&input) + capabilities(&input)
            case 0x33: address(&input) + [0x40, 0xE2, 0x01, 0x00]
            case 0x36: [status(&input)] + address(&input)
            default: address(&input)
            }
        if input.choice(16) == 0 { parameters.removeLast(input.choice(parameters.count)) }
        return [code, UInt8(truncatingIfNeeded: parameters.count)] + parameters.prefix(255)
    }

    private static func command(_ input: inout FuzzInput) -> [UInt8] {
        let opcode: UInt16 = input.element(of: [0x0405, 0x0411, 0x042B, 0x042C, 0x042D, 0x0C13])
        let parameters: [UInt8] =
            switch opcode {
            case 0x0411: handle(&input)
            case 0x042B: address(&input) + capabilities(&input)
            case 0x0C13: input.take(input.choice(249))
            default: address(&input)
            }
        return little(opcode) + [UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }

    /// The end of a channel: few, so that requests, answers and PDUs meet.
    private static func end(_ input: inout FuzzInput) -> UInt16 {
        0x40 + UInt16(input.choice(4))
    }

    private static func data(_ input: inout FuzzInput) -> [(packet: HCIPacket, isSent: Bool)] {
        let isSent = input.flag()
        let handle = ScriptedTraffic.connection(&input)
        let (channel, payload): (UInt16, [UInt8]) =
            switch input.choice(4) {
            case 0, 1: (0x0001, frame(&input))
            case 2: (end(&input), ScriptedTraffic.payload(&input).payload)
            default: (0x0007, ScriptedTraffic.securityPDU(&input))
            }
        let octets = L2CAPPDU(channel: L2CAPChannelID(rawValue: channel), payload: payload).octets
        let first: ACLPacket.Boundary = isSent ? .firstNonFlushable : .first
        return input.pieces(of: octets).enumerated().map { index, part in
            let packet = ACLPacket(
                handle: handle, boundary: index == 0 ? first : .continuing, data: part)
            return (.acl(packet.octets), isSent)
        }
    }

    /// A C-frame of one or two commands.
    private static func frame(_ input: inout FuzzInput) -> [UInt8] {
        (0...input.choice(2)).flatMap { _ in signal(&input) }
    }

    private static func signal(_ input: inout FuzzInput) -> [UInt8] {
        let code = 1 + UInt8(input.choice(7))
        let data: [UInt8] =
            switch code {
            case 0x02:
                little(input.element(of: [0x0001, 0x0019, 0x001F, 0x001F, 0x1101]))
                    + little(end(&input))
            case 0x03:
                little(end(&input)) + little(end(&input)) + [UInt8(input.choice(3)), 0, 0, 0]
            case 0x04:
                little(end(&input)) + [0, 0, 0x01, 0x02] + input.take(2)
                    + (input.flag() ? [] : [0x04, 0x01, UInt8(input.choice(5))])
            case 0x05: little(end(&input)) + [0, 0, UInt8(input.choice(2)), 0]
            case 0x06, 0x07: little(end(&input)) + little(end(&input))
            default: input.octets()
            }
        return [code, UInt8(input.choice(4)), UInt8(truncatingIfNeeded: data.count), 0] + data
    }
}
