import BluetoothLE
import BluetoothTypes
import JSONText
import Octets
import Testing

@testable import CommandKit

@Suite("Captures as files")
struct CaptureFileTests {
    @Test("every format gives the same output", arguments: CaptureBuilder.Format.allCases)
    func formats(_ format: CaptureBuilder.Format) throws {
        var link = LinkBuilder(format)
        link.wholeSession()
        link.disconnect()
        var other = LinkBuilder(.h4)
        other.wholeSession()
        other.disconnect()
        func told(_ story: ToldStory) -> [JSONValue] {
            story.objects.dropFirst().map { object in
                .object((object.members ?? []).filter { $0.name != "adapter" })
            }
        }
        #expect(link.story.status == .success)
        #expect(told(link.story) == told(other.story))
        #expect(link.story.all("dataSource").count == 1)
    }

    @Test(
        "octets that arrive one by one give the same output",
        arguments: CaptureBuilder.Format.allCases)
    func drip(_ format: CaptureBuilder.Format) {
        var link = LinkBuilder(format)
        link.wholeSession()
        let whole = ToldStory(link.capture.octets, json: false)
        for chunk in [1, 7, 30] {
            #expect(ToldStory(link.capture.octets, json: false, chunk: chunk).lines == whole.lines)
        }
    }

    @Test(
        "a file cut anywhere is read up to the cut, and the position of the cut is reported",
        arguments: CaptureBuilder.Format.allCases)
    func truncation(_ format: CaptureBuilder.Format) {
        var link = LinkBuilder(format)
        link.connect()
        link.fetch(7)
        let octets = link.capture.octets
        // The story of the first records alone, without its end.
        var told = [ToldStory([], json: true)]
        let borders = link.capture.offsets.dropFirst() + [octets.count]
        for border in borders { told.append(ToldStory(Array(octets[..<border]), json: true)) }
        // A single octet tells nothing.
        for count in 2..<octets.count {
            let story = ToldStory(Array(octets[..<count]), json: true)
            let whole = borders.count { $0 <= count }
            let begin = link.capture.offsets[0]
            let heads = link.capture.headOffsets
            let isBorder = borders.contains(count) || count == begin || heads.contains(count)
            #expect(story.status == (isBorder ? .success : .failure), "\(count)")
            let offset =
                borders.last { $0 <= count } ?? (count > begin ? begin : heads.last { $0 <= count })
            #expect(story.failureOffset == (isBorder ? nil : offset.map { UInt64($0) }), "\(count)")
            #expect(
                story.lines("dataSource").count == told[whole].lines("dataSource").count, "\(count)"
            )
            #expect(story.lines("handles") == told[whole].lines("handles"), "\(count)")
        }
    }

    @Test("a record of an absurd length ends the output with its offset")
    func damage() throws {
        var link = LinkBuilder(.h4)
        link.wholeSession()
        let offset = try #require(link.capture.offsets.last)
        var octets = link.capture.octets
        octets[offset] = 0x7F
        let story = ToldStory(octets, json: true)
        #expect(story.status == .failure)
        #expect(story.failureOffset == UInt64(offset))
        #expect(story.all("controlPoint").count == 1)
        #expect(story.all("capture").last?["complete"] == false)
        let error = story.all("capture").compactMap { $0["error"]?.string }
        #expect(error.count == 1 && error[0].contains("octet \(offset)"))
    }

    @Test("more octets in a record than the packet had are damage")
    func inconsistentLength() {
        var capture = CaptureBuilder(.h4)
        capture.add(.event([0x0E, 0]), isSent: false)
        var octets = capture.octets
        octets[capture.offsets[0] + 3] = 1  // original length, less than included
        #expect(ToldStory(octets, json: true).failureOffset == 16)
    }

    /// The header of a pcap file.
    private static func pcap(linkType: UInt16) -> [UInt8] {
        [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 8)
            + [0xFF, 0xFF, 0, 0, UInt8(truncatingIfNeeded: linkType), UInt8(linkType >> 8), 0, 0]
    }

    @Test("a pcapng file of a sniffer is refused at its first packet, and named")
    func sniffer() {
        var capture = CaptureBuilder(.pcapngDirection)
        capture.add(.event([0x0E, 0]), isSent: false)
        var octets = capture.octets
        // The link type of the interface: 201 becomes 251.
        octets[capture.headOffsets[1] + 9] = 251
        let story = ToldStory(octets, json: false)
        #expect(story.status == .usage)
        #expect(story.lines.isEmpty)
        #expect(story.failure?.contains("a sniffer's capture") == true)
    }

    @Test("packets of an interface that has no HCI are passed over beside one that has")
    func interfaces() {
        var link = LinkBuilder(.pcapngDirection)
        link.wholeSession()
        var octets = link.capture.octets
        let start = link.capture.headOffsets[1]
        var other = Array(octets[start..<link.capture.headOffsets[2]])
        other[9] = 251
        octets.insert(contentsOf: other, at: link.capture.headOffsets[2])
        var packet = Array(
            octets[
                (link.capture.offsets[0] + other.count)..<(link.capture.offsets[1] + other.count)])
        packet[11] = 1
        octets += packet
        packet[11] = 9
        octets += packet
        #expect(
            ToldStory(octets, json: false).lines.dropLast()
                == ToldStory(link.capture.octets, json: false).lines.dropLast())
        #expect(ToldStory(octets, json: false).status == .success)
    }

    @Test("two interfaces, or two controllers of BlueZ's monitor channel, are two adapters")
    func adapters() {
        var link = LinkBuilder(.pcapngDirection)
        link.wholeSession()
        var octets = link.capture.octets
        let heads = link.capture.headOffsets
        let interface = Array(octets[heads[1]..<heads[2]])
        octets.insert(contentsOf: interface, at: heads[2])
        let start = link.capture.offsets[0] + interface.count
        var packet = Array(octets[start..<link.capture.offsets[1] + interface.count])
        packet[11] = 1
        octets += packet
        // The same connection handle of another adapter ends no connection.
        let story = ToldStory(octets, json: true)
        #expect(story.links.filter { $0["state"] == "connected" }.count == 2)
        #expect(story.links.last { $0["state"] == "connected" }?["adapter"] == 1)
        var shared = LinkBuilder(.pcapMonitor)
        shared.wholeSession()
        #expect(shared.story.all("dataSource").map { $0["adapter"] } == [0])
    }

    @Test("an interface after one that has no HCI is the only adapter")
    func onlyAdapter() {
        var link = LinkBuilder(.pcapngDirection)
        link.wholeSession()
        var octets = link.capture.octets
        for offset in link.capture.offsets { octets[offset + 11] = 1 }
        let start = link.capture.headOffsets[1]
        var other = Array(octets[start..<link.capture.headOffsets[2]])
        other[9] = 1
        octets.insert(contentsOf: other, at: start)
        #expect(
            ToldStory(octets, json: false).lines
                == ToldStory(link.capture.octets, json: false).lines)
    }

    @Test(
        "a file that is not a capture is refused",
        arguments: [
            pcap(linkType: 1), pcap(linkType: 251), pcap(linkType: 272), pcap(linkType: 220),
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0],  // gzip
            [0x50, 0x4B, 3, 4, 0x14, 0, 8, 0, 8, 0, 0, 0, 0, 0],  // zip
            Array("btsnoop\0".utf8) + [0, 0, 0, 2, 0, 0, 3, 0xEA],  // version 2
            Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 7, 0xD2],  // a simulator's datalink
        ])
    func otherFormats(_ octets: [UInt8]) {
        let story = ToldStory(octets, json: true)
        #expect(story.status == .usage)
        #expect(story.lines.isEmpty)
    }

    @Test(
        "an unsupported format is named, with advice",
        arguments: [
            (251, "on the air, where ANCS is encrypted"), (256, "on the air"), (272, "on the air"),
            (192, "PPI"), (255, "BR/EDR packets on the air"), (161, "private link type"),
            (220, "USB"), (1, "a network"),
        ])
    func names(linkType: UInt16, name: String) throws {
        let failure = try #require(ToldStory(Self.pcap(linkType: linkType), json: false).failure)
        #expect(failure.contains(name) && failure.contains("(link type \(linkType))"))
        #expect(failure.contains("'idevicebtlogger -f pcap FILE'"))
        #expect(failure.contains("'btmon -w FILE'"))
    }

    @Test(
        "a btsnoop file of another datalink is refused with the datalink's name",
        arguments: [(1003, "BCSP"), (1004, "H5"), (2002, "simulated"), (4, "a network")])
    func datalinks(type: Int, name: String) throws {
        let octets =
            Array("btsnoop\0".utf8) + CaptureBuilder.big(UInt32(1))
            + CaptureBuilder.big(UInt32(type))
        let failure = try #require(ToldStory(octets, json: false).failure)
        #expect(failure.contains(name) && failure.contains("'btmon -w FILE'"))
    }

    @Test("notes, audio and other records are passed over", arguments: [0x08, 0x0B, 0x12, 0xFC])
    func otherRecords(_ type: UInt8) {
        var link = LinkBuilder(.packetLoggerLittle)
        link.capture.note(0x00, HCICommandPacket(HCI.Reset()).octets)
        link.capture.note(type, Array("some note".utf8))
        link.wholeSession()
        #expect(link.story.status == .success)
        #expect(link.story.all("dataSource").count == 1)
    }

    @Test("a malformed packet is reported by its offset, and the output continues")
    func malformedPackets() {
        var link = LinkBuilder(.h4)
        link.connect()
        link.capture.add(.event([0x3E, 19, 1]), isSent: false)
        link.capture.add(.acl([0x40, 0x20, 9, 0, 1]), isSent: false)
        link.capture.btsnoop([], 0)
        link.discover()
        let story = link.story
        let offsets = link.capture.offsets[1...3].map { JSONValue.integer($0) }
        #expect(story.all("malformed").compactMap { $0["offset"] } == offsets)
        #expect(story.all("handles").count == 1)
        #expect(story.status == .failure)
    }

    @Test("octets changed at random never trap", arguments: [1, 2, 3, 4] as [UInt64])
    func randomDamage(_ seed: UInt64) {
        var generator = Generator(state: seed)
        for format in CaptureBuilder.Format.allCases {
            var link = LinkBuilder(format)
            link.wholeSession()
            link.disconnect()
            for _ in 0..<15 {
                var octets = link.capture.octets
                for _ in 0..<generator.next() % 8 {
                    let index = Int(generator.next() % UInt64(octets.count))
                    octets[index] = UInt8(truncatingIfNeeded: generator.next())
                }
                let story = ToldStory(octets, json: true)
                #expect(story.lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
                _ = ToldStory(octets, json: false)
            }
        }
    }

    private struct Generator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    @Test("records that the capture lost are counted")
    func lost() {
        var link = LinkBuilder(.h4)
        link.connect()
        link.capture.add(.event([0x0E, 0]), isSent: false, drops: 3)
        link.capture.add(.event([0x13, 1, 0]), isSent: false, drops: 3)
        #expect(link.story.all("lost").map { $0["records"] } == [3])
    }

    @Test("packets recorded without their end are reported once and leave a gap")
    func cut() {
        var link = LinkBuilder(.h4)
        link.wholeSession()
        for _ in 0..<3 {
            let packet = ACLPacket(
                handle: link.handle, boundary: .first,
                data: L2CAPPDU(
                    channel: .attributeProtocol,
                    payload: [0x1B, 0x25, 0] + [UInt8](repeating: 0, count: 8)
                ).octets)
            link.capture.add(.acl(packet.octets), isSent: false, missing: 6)
        }
        link.announce(8)
        #expect(link.story.all("cut").count == 1)
        #expect(link.story.all("notificationSource").map { $0["uid"] } == [7, 8])
        #expect(link.story.status == .success)
    }
}
