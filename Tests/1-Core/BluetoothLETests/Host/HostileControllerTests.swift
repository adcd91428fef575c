@testable import BluetoothLE
import Octets
import Testing

/// Whatever a controller and its peers send, a host neither traps nor grows, and its story stays one:
/// every link is told once when it begins and once when it ends, with everything else in between.
@Suite struct HostileControllerTests {
    @Test("random and mutated packets do no harm", arguments: 1...40)
    func randomPackets(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bench = HostBench.ready(isExtended: seed.isMultiple(of: 2)) {
            $0.maximumConnections = 3
        }
        bench.completesPackets = seed % 3 != 0
        let samples = Samples()
        var links: Set<String> = []
        for _ in 0..<1500 {
            if bench.host.isReady, Int.random(in: 0..<50, using: &generator) == 0 {
                try? bench.advertise()
            }
            for handle in samples.handles where Bool.random(using: &generator) {
                _ = try? bench.host.start(
                    .readValue(AttributeHandle(3)), on: handle, at: bench.now)
            }
            bench.enqueue(samples.packet(using: &generator))
            bench.run()
            follow(bench.story(), &links, seed: seed)
            if Int.random(in: 0..<20, using: &generator) == 0 {
                bench.advance(by: .milliseconds(Int.random(in: 0..<5000, using: &generator)))
                follow(bench.story(), &links, seed: seed)
            }
            try #require(links.count <= 3, "seed \(seed)")
            let deadline = bench.host.nextDeadline
            #expect(deadline.map { $0 <= bench.now + .seconds(60) } ?? true, "seed \(seed)")
            for handle in samples.handles {
                let queued = bench.host.queuedOctets(on: handle)
                #expect(queued <= 65_536, "seed \(seed)")
            }
            bench.forget()
        }
    }

    /// Checks that what is told of a link lies between its beginning and its end.
    private func follow(_ story: [String], _ links: inout Set<String>, seed: Int) {
        for line in story {
            let words = line.split(separator: " ").map(String.init)
            switch words.count > 1 ? words[1] : "" {
            case "connected":
                #expect(links.insert(words[0]).inserted, "seed \(seed): \(line) twice")
            case "disconnected:":
                #expect(links.remove(words[0]) != nil, "seed \(seed): \(line) without a link")
            default:
                let isAboutLink = UInt16(words[0], radix: 16) != nil
                #expect(!isAboutLink || links.contains(words[0]), "seed \(seed): \(line)")
            }
        }
    }
}

/// Packets that mean something, and what chance makes of them.
private struct Samples {
    let handles = [0x0040, 0x0041, 0x0042, 0x0043].map { ConnectionHandle(rawValue: $0) }
    private let peers = [0xC000_0000_0001, 0xE0F1_F2F3_F4F5].map {
        DeviceAddress($0, kind: .random)
    }
    private let payloads: [(L2CAPChannelID, [UInt8])] = [
        (.attributeProtocol, [0x02, 0x05, 0x02]),
        (.attributeProtocol, [0x04, 0x01, 0x00, 0xFF, 0xFF]),
        (.attributeProtocol, [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]),
        (.attributeProtocol, [0x0A, 0x03, 0x00]),
        (.attributeProtocol, [0x12, 0x08, 0x00, 0x02, 0x00]),
        (.attributeProtocol, [0x0B, 0x41]), (.attributeProtocol, [0x01, 0x0A, 0x03, 0x00, 0x05]),
        (.attributeProtocol, [0x1B, 0x03, 0x00, 0x01]),
        (.attributeProtocol, [0x1D, 0x03, 0x00, 0x01]),
        (.attributeProtocol, [0x16, 0x08, 0x00, 0x00, 0x00, 0x01]),
        (.attributeProtocol, [0x18, 0x01]),
        (.securityManager, [0x01, 0x03, 0x00, 0x0D, 0x10, 0x03, 0x03]),
        (.securityManager, [0x05, 0x08]),
        (.securityManager, [0x0B, 0x0D]),
        (.leSignalling, [0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 72, 0]),
        (.leSignalling, [0x14, 2, 10, 0, 0x25, 0, 0x40, 0, 64, 0, 64, 0, 1, 0]),
    ]

    func packet(using generator: inout some RandomNumberGenerator) -> HCIPacket {
        let isData = Int.random(in: 0..<3, using: &generator) > 0
        var octets = isData ? data(using: &generator) : event(using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0, !octets.isEmpty {
            let place = Int.random(in: 0..<octets.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: octets[place] = .random(in: 0...255, using: &generator)
            case 1: octets.remove(at: place)
            default: octets.insert(.random(in: 0...255, using: &generator), at: place)
            }
        }
        return isData ? .acl(octets) : .event(octets)
    }

    private func data(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        guard let (channel, payload) = payloads.randomElement(using: &generator),
            let handle = handles.randomElement(using: &generator)
        else { return [] }
        let pdu = L2CAPPDU(channel: channel, payload: payload).octets
        return ACLPacket(handle: handle, boundary: .first, data: pdu).octets
    }

    private func event(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        guard let handle = handles.randomElement(using: &generator),
            let peer = peers.randomElement(using: &generator)
        else { return [] }
        let number = UInt64.random(in: 0...1, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0...2:
            return HCI.LEConnectionComplete(
                status: .success, handle: handle, role: number == 0 ? .central : .peripheral,
                peerAddress: peer, interval: ConnectionInterval(rawValue: 24), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0
            ).eventPacket
        case 3:
            return HCI.LEAdvertisingSetTerminated(
                status: .success, set: 0, handle: handle, completedEvents: 0
            ).eventPacket
        case 4:
            return HCI.DisconnectionComplete(
                status: .success, handle: handle, reason: .connectionTimeout
            ).eventPacket
        case 5:
            return HCI.EncryptionChange(
                status: number == 0 ? .success : .pinOrKeyMissing, handle: handle,
                isEnabled: number == 0
            ).eventPacket
        case 6:
            return HCI.EncryptionKeyRefreshComplete(status: .success, handle: handle).eventPacket
        case 7, 8:
            return HCI.LELongTermKeyRequest(
                handle: handle, random: number, encryptedDiversifier: 0
            ).eventPacket
        case 9:
            return HCI.NumberOfCompletedPackets(entries: [
                .init(handle: handle, count: .random(in: 0...9, using: &generator))
            ]).eventPacket
        case 10:
            return HCI.CommandComplete(
                credits: UInt8(number), opcode: .disconnect, returnParameters: []
            ).eventPacket
        case 11:
            return HCI.CommandStatus(
                status: .unknownConnectionIdentifier, credits: 1, opcode: .disconnect
            ).eventPacket
        case 12 where Int.random(in: 0..<20, using: &generator) == 0:
            return HCI.HardwareError(hardwareCode: 0).eventPacket
        default:
            let count = Int.random(in: 0...40, using: &generator)
            return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
        }
    }
}
