import BluetoothTypes
import Foundation
import JSONText
import Testing

@testable import ANCSCapture
@testable import CommandKit

@Suite("Links of BR/EDR in captures")
struct BasicRateStoryTests {
    private func states(_ story: ToldStory) -> [String] {
        story.pairing.compactMap { ($0["event"] == "pairing" ? $0["state"] : $0["event"])?.string }
    }

    // MARK: An iPhone

    @Test("an iPhone that pairs over BR/EDR is reported, with advice")
    func phone() throws {
        var link = BasicRateBuilder()
        link.command(0x0C13, Array("desk".utf8) + [UInt8](repeating: 0, count: 244))
        link.connect()
        link.name("Ada’s iPhone")
        link.pair()
        link.disconnect()
        let story = link.story
        let connected = try #require(story.links.first)
        #expect(connected["address"] == "5C:70:12:34:56:78" && connected["transport"] == "BR/EDR")
        #expect(connected["by"] == "remote" && connected["deviceClass"] == 0x7A020C)
        #expect(story.all("named").map { $0["name"] } == ["Ada’s iPhone"])
        #expect(states(story) == ["began", "paired"])
        let paired = try #require(story.pairing.last)
        #expect(paired["transport"] == "BR/EDR")
        #expect(paired["secureConnections"] == true && paired["authenticated"] == true)
        #expect(story.all("secured").map { $0["key"] } == ["new"])
        let ended = try #require(story.all("capture").last)
        #expect(ended["connections"] == 1 && ended["sessions"] == 0)
        let text = link.text
        #expect(text.contains { $0.contains("BR/EDR, which has no notifications · a phone") })
        let advice = try #require(text.first { $0.contains("seems to be paired over BR/EDR only") })
        #expect(advice.contains("! Ada’s iPhone (5C:70:12:34:56:78)"))
        #expect(advice.contains("\"bluetoothctl remove 5C:70:12:34:56:78\""))
        #expect(advice.hasSuffix("before you pair 'desk' again"))
        #expect(story.status == .success)
    }

    @Test("the output has the advice that the documentation shows")
    func example() throws {
        var link = BasicRateBuilder()
        link.connect()
        link.name("Ada’s iPhone")
        link.pair()
        link.pdu([0x0A, 0x03, 0x00], on: 0x41, from: .local)
        link.disconnect()
        let page = URL(filePath: #filePath)
            .deletingLastPathComponent().appending(path: "../../../../Documentation/Captures.md")
        let lines = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let heading = try #require(lines.firstIndex(of: "## BR/EDR"))
        let start = try #require(lines[heading...].firstIndex(of: "```"))
        let shown = lines[(start + 1)...].prefix { $0 != "```" }
        // The page has the line that matters.
        #expect(shown.count == 1 && link.text.contains(shown.first ?? ""))
    }

    @Test("the output contains neither a key nor the digits")
    func secrets() {
        var link = BasicRateBuilder()
        link.connect()
        link.pair()
        link.command(0x040B, BasicRateBuilder.phone + BasicRateBuilder.key)
        link.event(0x3B, BasicRateBuilder.phone + [0x40, 0xE2, 0x01, 0x00])
        link.security([0x08] + BasicRateBuilder.key, from: .remote)
        for line in link.text + link.story.lines {
            #expect(!line.lowercased().contains("a5a5") && !line.contains("165,165"))
            #expect(!line.contains("123456"))
        }
    }

    @Test("what flows in the channels is counted and not shown, and what is fixed is neither")
    func channels() {
        var link = BasicRateBuilder()
        link.connect()
        // Signalling: a request for a channel of ATT.
        link.pdu([0x02, 1, 4, 0, 0x1F, 0x00, 0x41, 0x00], on: 1, from: .remote)
        link.pdu([0x0A, 0x03, 0x00], on: 0x41, from: .local)
        link.pdu([UInt8](repeating: 1, count: 600), on: 0x42, from: .remote)
        #expect(
            link.story.all("notShown").map { $0["contents"] }
                == [.array([["what": "other channels", "packets": 2, "octets": 603]])])
        #expect(link.text.contains { $0.contains("not shown: 2 packets of other channels") })
        #expect(link.story.all("services").isEmpty && link.story.all("unreadable").isEmpty)
    }

    @Test(
        "packets of any length give the same output, in both directions",
        arguments: [1, 2, 3, 4, 5, 7, 27, 339])
    func fragments(_ length: Int) {
        func story(_ length: Int) -> [[String?]] {
            var link = BasicRateBuilder()
            link.fragment = length
            link.connect()
            link.pair()
            link.security([0x01, 0x04, 0x00, 0x2D, 16, 0x03, 0x03], from: .remote)
            link.security([0x02, 0x04, 0x00, 0x2D, 16, 0x02, 0x03], from: .local)
            link.pdu([0x0A, 0x03, 0x00], on: 0x41, from: .remote)
            link.disconnect()
            return link.story.objects.dropLast().map { object in
                ["event", "kind", "state", "side", "what", "protocol", "advice"].map {
                    object[$0]?.string
                }
            }
        }
        #expect(story(length) == story(65_535))
    }

    @Test("every capture format gives the same output", arguments: CaptureBuilder.Format.allCases)
    func formats(_ format: CaptureBuilder.Format) {
        var link = BasicRateBuilder(format)
        link.connect()
        link.pair()
        link.security([0x05, 0x0E], from: .remote)
        #expect(states(link.story).contains("paired"))
        #expect(link.story.all("advice").count == 1)
    }

    // MARK: Advice

    @Test(
        "keys for Low Energy that are derived from those of BR/EDR are reported, without advice"
    )
    func derivation() {
        var link = BasicRateBuilder()
        link.connect()
        link.pair()
        // Pairing Request and Response with the keys of both sides: EncKey and IdKey.
        link.security([0x01, 0x04, 0x00, 0x2D, 16, 0x03, 0x03], from: .remote)
        link.security([0x02, 0x04, 0x00, 0x2D, 16, 0x03, 0x03], from: .local)
        link.security([0x08] + [UInt8](repeating: 7, count: 16), from: .remote)
        link.security([0x09, 0x00] + BasicRateBuilder.phone, from: .remote)
        link.disconnect()
        #expect(states(link.story).suffix(3) == ["deriving", "derived", "identity"])
        #expect(link.story.all("advice").isEmpty)
        #expect(link.text.contains { $0.contains("derive keys for Low Energy: ANCS needs") })
    }

    @Test("keys for Low Energy that are not derived, and why", arguments: [false, true])
    func noDerivation(isRefused: Bool) throws {
        var link = BasicRateBuilder()
        link.connect()
        link.pair()
        link.security([0x01, 0x04, 0x00, 0x2D, 16, 0x03, 0x03], from: .remote)
        link.security(
            isRefused ? [0x05, 0x0E] : [0x02, 0x04, 0x00, 0x2D, 16, 0x02, 0x03], from: .local)
        link.disconnect()
        let last = try #require(link.story.pairing.last)
        #expect(last["state"] == "notDerived" && last["code"] == (isRefused ? 0x0E : nil))
        #expect(link.story.all("advice").map { $0["about"] } == ["phonePairedOverBREDR"])
    }

    @Test(
        "a phone that is also connected over Low Energy needs no advice, in either order",
        arguments: [false, true])
    func lowEnergyToo(isFirst: Bool) {
        var other = LinkBuilder()
        let identity = DeviceAddress(0x5C70_1234_5678, kind: .public)
        if isFirst {
            other.connect(identity)
            other.disconnect()
        }
        var link = BasicRateBuilder()
        link.capture = other.capture
        link.connect()
        link.pair()
        other.capture = link.capture
        if !isFirst { other.connect(identity) }
        link.capture = other.capture
        link.disconnect()
        #expect(link.story.all("advice").isEmpty)
        #expect(
            link.story.links.compactMap { $0["sameAsConnection"] }
                == (isFirst ? [1] : []))
    }

    @Test("a phone that has ANCS over Low Energy under a private address may be the same")
    func nameless() {
        for isOver in [false, true] {
            var other = LinkBuilder()
            other.connect(DeviceAddress(0x4A11_2233_4455, kind: .random))
            other.discover()
            if isOver { other.disconnect() }
            var link = BasicRateBuilder()
            link.capture = other.capture
            link.connect()
            link.pair()
            link.disconnect()
            #expect(link.story.all("advice").isEmpty)
        }
    }

    @Test("what is said of an unknown link over BR/EDR is not attributed to another")
    func encryptionElsewhere() {
        var link = BasicRateBuilder()
        link.agree()
        var other = LinkBuilder()
        other.capture = link.capture
        other.encrypt()
        other.discover()
        other.subscribe()
        other.announce(7)
        #expect(other.story.all("notificationSource").count == 1)
        #expect(other.story.links.map { $0["transport"] } == ["LE"])
        #expect(other.story.pairing.isEmpty)
    }

    @Test("advice is given once for a phone, however often it comes")
    func once() {
        var link = BasicRateBuilder()
        for _ in 0..<5 {
            link.connect()
            link.encrypt()
            link.disconnect()
        }
        #expect(link.story.all("advice").count == 1)
        #expect(link.story.all("secured").allSatisfy { $0["key"] == "stored" })
        #expect(link.story.links.compactMap { $0["sameAsConnection"] } == [1, 2, 3, 4])
    }

    @Test(
        "a phone that is not paired gets another sentence than one that is, and an accessory a third"
    )
    func sentences() {
        var link = BasicRateBuilder()
        link.connect()
        link.disconnect()
        #expect(link.story.all("advice").map { $0["about"] } == ["phoneOverBREDR"])
        var accessory = BasicRateBuilder()
        accessory.connect(BasicRateBuilder.computerClass)
        accessory.encrypt()
        #expect(accessory.story.all("advice").map { $0["about"] } == ["accessoryPairedOverBREDR"])
        // Nothing says that this is a phone.
        var quiet = BasicRateBuilder()
        quiet.complete()
        quiet.disconnect()
        #expect(quiet.story.all("advice").isEmpty)
    }

    // MARK: Pairing

    @Test("the output says which side asked to pair")
    func initiator() {
        var link = BasicRateBuilder()
        link.connect()
        link.command(0x0411, BasicRateBuilder.little(link.handle))
        link.event(0x31, link.peer)
        link.command(0x042B, link.peer + [1, 0, 3])
        link.event(0x32, link.peer + [1, 0, 3])
        let pairing = link.story.pairing
        #expect(
            states(link.story) == [
                "wanted", "began", "unfinished",
            ])
        #expect(pairing.prefix(2).map { $0["side"] } == ["local", "local"])
    }

    @Test("a key is shown with its strength", arguments: [0x00, 0x04, 0x05, 0x07, 0x08] as [UInt8])
    func keys(_ type: UInt8) throws {
        var link = BasicRateBuilder()
        link.connect()
        link.agree()
        link.finishPairing(type: type)
        let paired = try #require(link.story.pairing.last)
        #expect(paired["secureConnections"] == .boolean(type >= 7))
        #expect(paired["authenticated"] == .boolean(type == 5 || type == 8))
        #expect(
            link.text.contains { $0.contains("so that no keys for Low Energy can be derived") }
                == (type < 7))
    }

    @Test("a PIN, as before Bluetooth 2.1")
    func pin() {
        var link = BasicRateBuilder()
        link.connect()
        link.event(0x16, link.peer)
        link.event(0x18, link.peer + BasicRateBuilder.key + [0])
        #expect(states(link.story) == ["began", "paired"])
    }

    @Test("a failed pairing is reported once")
    func failures() {
        var link = BasicRateBuilder()
        link.connect()
        link.agree()
        link.confirm(false)
        link.event(0x36, [0x05] + link.peer)
        link.event(0x06, [0x05] + BasicRateBuilder.little(link.handle))
        link.disconnect()
        #expect(states(link.story) == ["began", "securityFailed"])
        #expect(link.story.all("secured").isEmpty)
        #expect(
            link.text.contains {
                $0.contains("a user refused, or the digits were not the same (0x05)")
            })
        #expect(link.story.all("advice").map { $0["about"] } == ["phoneOverBREDR"])
    }

    @Test("a key that the other side has lost is reported")
    func lostKey() {
        var link = BasicRateBuilder()
        link.connect()
        link.command(0x0411, BasicRateBuilder.little(link.handle))
        link.event(0x06, [0x06] + BasicRateBuilder.little(link.handle))
        #expect(link.story.all("securityFailed").map { $0["code"] } == [6])
        #expect(link.text.contains { $0.contains("has lost the key: forget the pairing") })
    }

    @Test("a failed connection is reported with the peer and the reason")
    func notConnected() {
        var link = BasicRateBuilder()
        link.command(0x0405, link.peer + [0x18, 0xCC, 1, 0, 0, 0, 1])
        link.complete(0x04)
        #expect(link.story.links.map { $0["event"] } == ["connectingFailed"])
        #expect(link.story.links.map { $0["address"] } == ["5C:70:12:34:56:78"])
        #expect(link.text.contains { $0.contains("page timeout: the other side did not answer") })
    }
}
