import Octets
import Testing

@testable import BlueZ
@testable import BluetoothLE

@Suite("The packets for a link that lasts, held against the host's")
struct LinkUpdateTests {
    static let handle = ConnectionHandle(rawValue: 0x0040)

    static func event(_ packet: [UInt8]) -> LinkUpdateEvent? {
        LinkUpdateEvent(decoding: packet.span)
    }

    @Test("the command has the octets of the host's")
    func command() {
        let parameters = LinkParameterPolicy(latency: 4).wanted
        let ours = LinkUpdateCommand(handle: Self.handle, parameters: parameters)
        let host = HCI.LEConnectionUpdate(
            handle: Self.handle, parameters: parameters, eventLengthMinimum: 0,
            eventLengthMaximum: 0)
        #expect(ours.octets == HCICommandPacket(host).octets)
        #expect(LinkUpdateCommand.opcode == HCI.LEConnectionUpdate.opcode.rawValue)
    }

    @Test("the status of this command is an event, and that of another is none")
    func status() {
        let ours = HCI.CommandStatus(
            status: .commandDisallowed, credits: 1, opcode: .leConnectionUpdate)
        let other = HCI.CommandStatus(
            status: .commandDisallowed, credits: 1, opcode: .leCreateConnection)
        #expect(Self.event(ours.eventPacket) == .status(.commandDisallowed))
        #expect(Self.event(other.eventPacket) == nil)
    }

    @Test("the parameters of a link are those that the host reads")
    func complete() {
        let host = HCI.LEConnectionUpdateComplete(
            status: .success, handle: Self.handle, interval: ConnectionInterval(rawValue: 36),
            latency: 4, supervisionTimeout: SupervisionTimeout(rawValue: 600))
        let update = LinkUpdate(
            handle: Self.handle, interval: ConnectionInterval(rawValue: 36), latency: 4,
            supervisionTimeout: SupervisionTimeout(rawValue: 600))
        #expect(Self.event(host.eventPacket) == .complete(.success, update))
    }

    @Test("every event that is cut short, and every other event, is none")
    func others() {
        let host = HCI.LEConnectionUpdateComplete(
            status: .success, handle: Self.handle, interval: ConnectionInterval(rawValue: 36),
            latency: 4, supervisionTimeout: SupervisionTimeout(rawValue: 600))
        for length in host.eventPacket.indices {
            #expect(Self.event(Array(host.eventPacket[..<length])) == nil)
            // The length says so too.
            var packet = Array(host.eventPacket[..<length])
            if packet.count > 1 { packet[1] = UInt8(length - 2) }
            #expect(Self.event(packet) == nil)
        }
        for code in UInt8.min...UInt8.max where code != 0x0F && code != 0x3E {
            let packet = [code, 4, 0, 1, 0x13, 0x20]
            #expect(Self.event(packet) == nil)
        }
        for subevent in UInt8.min...UInt8.max where subevent != 0x03 {
            var packet = host.eventPacket
            packet[2] = subevent
            #expect(Self.event(packet) == nil)
        }
    }
}
