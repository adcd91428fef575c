import BluetoothLE
import BluetoothTypes
import JSONText
import Testing

@testable import ANCSCapture
@testable import CommandKit

@Suite("Channels of BR/EDR in captures")
struct BasicRateChannelTests {
    private static let read: [UInt8] = [0x0A, 0x03, 0x00]
    private static let refusal: [UInt8] = [0x01, 0x0A, 0x03, 0x00, 0x0F]

    private func connected() -> BasicRateBuilder {
        var link = BasicRateBuilder()
        link.connect()
        return link
    }

    @Test("a channel that is refused, and one that is accepted after a while")
    func answers() {
        var link = connected()
        link.signal(0x02, 1, [0x001F, 0x41], from: .local)
        link.signal(0x03, 1, [0, 0x41, 2, 0], from: .remote)
        link.signal(0x02, 2, [0x001F, 0x42], from: .remote)
        link.signal(0x03, 2, [0x52, 0x42, 1, 2], from: .local)
        link.signal(0x03, 2, [0x52, 0x42, 0, 0], from: .local)
        link.pdu(Self.read, on: 0x52, from: .remote)
        link.pdu(Self.refusal, on: 0x42, from: .local)
        #expect(link.story.all("channel").map { $0["state"] } == ["refused", "opened"])
        #expect(link.story.all("channel").map { $0["side"] } == ["local", "remote"])
        #expect(link.text.contains { $0.contains("it does not have that protocol (0x2)") })
        #expect(link.story.all("refused").count == 1)
    }

    @Test("a C-frame can have several commands, and a damaged one is reported")
    func frames() {
        var link = connected()
        link.pdu(
            BasicRateBuilder.signal(0x02, 1, [0x0001, 0x41])
                + BasicRateBuilder.signal(0x02, 2, [0x001F, 0x42]), on: 1, from: .remote)
        link.pdu(
            BasicRateBuilder.signal(0x03, 1, [0x51, 0x41, 0, 0])
                + BasicRateBuilder.signal(0x03, 2, [0x52, 0x42, 0, 0]) + [0x03, 3, 200],
            on: 1, from: .local)
        #expect(link.story.all("channel").map { $0["protocol"] } == ["SDP", "ATT"])
        #expect(link.story.all("unreadable").map { $0["channel"] } == ["L2CAP signalling"])
    }

    @Test("a PSM of three octets is read to its end")
    func longPSM() {
        var link = connected()
        link.pdu([0x02, 1, 5, 0, 0x01, 0x11, 0x02, 0x41, 0x00], on: 1, from: .remote)
        link.signal(0x03, 1, [0x51, 0x41, 0, 0], from: .local)
        #expect(link.story.all("channel").map { $0["psm"] } == [0x021101])
    }

    @Test("requests of both sides may have the same identifier")
    func identifiers() {
        var link = connected()
        link.signal(0x02, 1, [0x0001, 0x41], from: .remote)
        link.signal(0x02, 1, [0x0019, 0x42], from: .local)
        link.signal(0x03, 1, [0x61, 0x42, 0, 0], from: .remote)
        link.signal(0x03, 1, [0x51, 0x41, 0, 0], from: .local)
        #expect(link.story.all("channel").map { $0["protocol"] } == ["AVDTP", "SDP"])
        #expect(link.story.all("channel").map { $0["side"] } == ["local", "remote"])
    }

    @Test("a request in a channel that is closed stays unanswered, and the channel is over")
    func closing() {
        var link = connected()
        link.openATT()
        link.att(Self.read, from: .remote)
        link.signal(
            0x06, 3, [BasicRateBuilder.hostEnd, BasicRateBuilder.phoneEnd], from: .remote)
        link.att(Self.refusal, from: .local)
        #expect(link.story.all("channel").map { $0["state"] } == ["opened", "closed"])
        #expect(link.story.all("unanswered").map { $0["why"] } == ["the channel was closed"])
        #expect(
            link.story.all("notShown").first?["contents"]
                == [["what": "unknown channels", "packets": 1, "octets": 5]])
    }

    @Test("the ATT_MTU is reported when both sides have agreed; the default is 672")
    func configuration() {
        var link = connected()
        link.open(0x1F)
        link.configure(.local, mtu: 1000)
        #expect(link.story.all("mtu").isEmpty)
        link.configure(.remote, mtu: nil)
        #expect(link.story.all("mtu").map { $0["mtu"] } == [672])
    }

    @Test("a proposal that is not accepted changes nothing")
    func refusedConfiguration() {
        var link = connected()
        link.open(0x1F)
        link.configure(.local, mtu: 1000)
        let data = BasicRateBuilder.little(BasicRateBuilder.hostEnd) + [0, 0, 1, 2, 30, 0]
        link.pdu([0x04, 2, UInt8(data.count), 0] + data, on: 1, from: .remote)
        link.signal(0x05, 2, [BasicRateBuilder.phoneEnd, 0, 1], from: .local)
        #expect(link.story.all("mtu").isEmpty)
    }

    @Test("ATT in a mode with retransmission is counted, not misread")
    func retransmission() {
        var link = connected()
        link.open(0x1F)
        link.configure(.remote, mtu: 100, mode: 3)
        link.configure(.local, mtu: 100, mode: 3)
        link.att([0, 0] + Self.read + [0, 0], from: .remote)
        #expect(link.story.all("refused").isEmpty && link.story.all("unreadable").isEmpty)
        #expect(
            link.story.all("notShown").first?["contents"]
                == [["what": "ATT with retransmission", "packets": 1, "octets": 7]])
    }

    // MARK: What is not shown

    @Test("audio is counted and leaves no lines, and a headset gets no advice")
    func audio() throws {
        var link = BasicRateBuilder()
        link.peer = BasicRateBuilder.headset
        link.connect(BasicRateBuilder.headsetClass)
        link.pair()
        link.open(0x19)
        let packet = [UInt8](repeating: 0x80, count: 600)
        for _ in 0..<1000 { link.pdu(packet, on: BasicRateBuilder.phoneEnd, from: .local) }
        // Longer than what is reassembled.
        link.pdu([UInt8](repeating: 1, count: 3000), on: BasicRateBuilder.phoneEnd, from: .local)
        // Speech has a link and packets of its own.
        link.handle = 0x101
        link.complete(linkType: 2)
        link.complete(linkType: 0)
        link.event(
            0x2C, [0] + BasicRateBuilder.little(0x101) + link.peer + [2, 12, 4, 60, 0, 60, 0, 2])
        for _ in 0..<1000 {
            link.capture.btsnoop([0x03, 0x01, 0x01, 3, 1, 2, 3], 1)
        }
        let story = link.story
        #expect(story.lines.count < 16)
        let counted = story.all("notShown").flatMap { $0["contents"]?.array ?? [] }
        #expect(
            counted == [
                ["what": "AVDTP", "packets": 1001, "octets": 603_000],
                ["what": "speech and other audio", "packets": 1000, "octets": 6000],
            ])
        #expect(story.all("advice").isEmpty && story.status == .success)
        #expect(link.text.contains { $0.contains("BR/EDR · an audio or video device") })
    }

    @Test("incomplete audio is counted, without a line for each")
    func incomplete() {
        var link = connected()
        for _ in 0..<100 {
            link.capture.add(
                .acl([0x0B, 0x20, 6, 0, 200, 0, 0x52, 0, 1, 2]), isSent: false)
        }
        #expect(link.story.all("unreadable").isEmpty)
        #expect(
            link.story.all("notShown").first?["contents"]?.array?.first?["what"]
                == "incomplete PDUs")
    }

    @Test(
        "a hostile capture of endless protocols, requests, names and phones keeps its memory and lines bounded"
    )
    func hostile() {
        var link = BasicRateBuilder()
        link.connect()
        for number in 0..<500 as Range<UInt16> {
            link.signal(0x02, 1, [0x1001 + 2 * (number % 100), 0x100 + number], from: .remote)
            link.signal(0x02, UInt8(number & 0xFF), [1, 0x800 + number], from: .local)
            link.signal(0x03, 1, [0x400 + number, 0x100 + number, 0, 0], from: .local)
            link.pdu([1, 2], on: 0x400 + number, from: .remote)
        }
        for number in 0..<500 as Range<UInt16> {
            link.peer = BasicRateBuilder.little(number) + [9, 9, 9, 9]
            link.name(String(repeating: "n", count: 248))
            link.event(0x04, link.peer + BasicRateBuilder.phoneClass + [1])
            link.agree()
            link.handle = number
            link.complete()
        }
        let story = link.story
        #expect(story.status == .success)
        let counts = story.all("notShown").map { $0["contents"]?.array?.count ?? 0 }
        #expect(counts.allSatisfy { $0 <= 16 } && counts.contains(16))
        #expect(story.all("channel").count == 500)
        #expect(story.lines.count < link.capture.offsets.count * 2)
    }

    // MARK: Captures that begin in the middle

    @Test("a link from before the capture is reported once, found by its signalling")
    func signallingFirst() {
        var link = BasicRateBuilder()
        link.signal(0x08, 1, [], from: .remote)
        link.openATT()
        link.att(Self.read, from: .remote)
        link.att(Self.refusal, from: .local)
        link.disconnect()
        let connections = link.story.links
        #expect(connections.map { $0["event"] } == ["connected", "disconnected"])
        #expect(connections.first?["beforeCapture"] == true)
        #expect(connections.first?["transport"] == "BR/EDR")
        #expect(link.story.all("refused").count == 1)
        #expect(link.text.contains { $0.contains("before the capture began · BR/EDR") })
        #expect(link.story.all("advice").map { $0["about"] } == ["phoneOverBREDR"])
    }

    @Test("channels from before the capture are reported once, with their number")
    func dataFirst() {
        var link = BasicRateBuilder()
        for _ in 0..<100 { link.pdu([1, 2, 3, 4], on: 0x0052, from: .remote) }
        link.signal(0x08, 1, [], from: .remote)
        let story = link.story
        #expect(states(story) == ["connected", "transport"])
        #expect(story.links.first?["transport"] == nil)
        #expect(
            story.all("notShown").first?["contents"]
                == [["what": "unknown channels", "packets": 100, "octets": 400]])
        #expect(
            link.text.contains { $0.contains("like its channels, so that what is in them cannot") })
    }

    @Test("a link that turns out to be one of Low Energy is followed as one")
    func lowEnergyAfterAll() {
        var link = LinkBuilder()
        link.pdu([1, 2, 3, 4], on: L2CAPChannelID(rawValue: 0x0040), from: .remote)
        link.discover()
        link.subscribe()
        link.announce(7)
        #expect(states(link.story) == ["connected", "transport"])
        #expect(link.story.links.last?["transport"] == "LE")
        #expect(link.story.all("notificationSource").count == 1)
    }

    @Test("pairing on a link from before the capture is reported, and its handle is learned")
    func pairingFirst() {
        var link = BasicRateBuilder()
        link.agree()
        link.confirm()
        link.event(0x36, [0] + link.peer)
        link.event(0x18, link.peer + BasicRateBuilder.key + [8])
        link.event(0x06, [0] + BasicRateBuilder.little(link.handle))
        link.encrypt()
        link.openATT()
        link.disconnect()
        let story = link.story
        #expect(states(story) == ["connected", "disconnected"])
        #expect(story.objects.dropFirst().dropLast().allSatisfy { $0["connection"] == 1 })
        #expect(story.all("secured").map { $0["key"] } == ["new"])
        #expect(story.all("advice").map { $0["address"] } == ["5C:70:12:34:56:78"])
    }

    @Test("a packet after the end of a link does not create a new link")
    func tooLate() {
        var link = connected()
        link.disconnect()
        link.signal(0x08, 1, [], from: .remote)
        link.command(0x042C, link.peer)
        link.event(0x36, [0x05] + link.peer)
        link.encrypt()
        #expect(states(link.story) == ["connected", "disconnected"])
    }

    private func states(_ story: ToldStory) -> [String] {
        story.links.compactMap { $0["event"]?.string }
    }

    // MARK: Damage

    @Test(
        "an event or a command that is cut is malformed, wherever it is cut, and a whole one is not"
    )
    func cut() {
        let peer = BasicRateBuilder.phone
        let handle = BasicRateBuilder.little(0x0B)
        let events: [(UInt8, [UInt8])] = [
            (0x03, [0] + handle + peer + [1]), (0x04, peer + BasicRateBuilder.phoneClass + [1]),
            (0x06, [0] + handle), (0x07, [0] + peer), (0x16, peer),
            (0x18, peer + BasicRateBuilder.key + [8]), (0x31, peer), (0x32, peer + [1, 0, 3]),
            (0x33, peer), (0x36, [0] + peer),
        ]
        for (code, parameters) in events {
            for count in 0...parameters.count {
                var link = connected()
                link.event(code, Array(parameters.prefix(count)))
                let isWhole = count == parameters.count
                #expect(link.story.all("malformed").count == (isWhole ? 0 : 1), "\(code) \(count)")
            }
        }
        let commands: [(UInt16, [UInt8])] = [
            (0x0405, peer), (0x0411, handle), (0x042B, peer + [1, 0, 3]), (0x042C, peer),
            (0x042D, peer),
        ]
        for (opcode, parameters) in commands {
            for count in 0...parameters.count {
                var link = connected()
                link.command(opcode, Array(parameters.prefix(count)))
                let isWhole = count == parameters.count
                #expect(
                    link.story.all("malformed").count == (isWhole ? 0 : 1), "\(opcode) \(count)")
            }
        }
    }
}
