import ANCS
@testable import BluetoothLE
import BluetoothTypes
import JSONText
import Octets
import OpenSSLSecurity
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import CommandKit

@Suite("Links in captures")
struct LinkStoryTests {
    static let features = PairingFeatures(
        ioCapability: .displayYesNo,
        authentication: [.bonding, .mitmProtection, .secureConnections],
        initiatorKeys: [.encryptionKey, .identityKey], responderKeys: [.identityKey])

    private func pairing(_ link: LinkBuilder) -> [String] {
        link.story.pairing.compactMap {
            ($0["event"] == "pairing" ? $0["state"] : $0["event"])?.string
        }
    }

    // MARK: Pairing and encryption

    @Test("a pairing is shown with its method and the identity of the phone")
    func pairing() throws {
        var link = LinkBuilder()
        link.connect()
        link.pair(.securityRequest([.bonding]), from: .local)
        link.agree(on: Self.features)
        link.encrypt()
        link.pair(.identityInformation(7), from: .remote)
        link.pair(
            .identityAddressInformation(DeviceAddress(0x5C70_1234_5678, kind: .public)),
            from: .remote)
        #expect(pairing(link) == ["wanted", "began", "agreed", "paired", "identity"])
        let agreed = try #require(link.story.pairing.first { $0["state"] == "agreed" })
        #expect(agreed["method"] == "numericComparison")
        #expect(agreed["secureConnections"] == true && agreed["authenticated"] == true)
        #expect(link.story.all("secured").map { $0["key"] } == ["new"])
    }

    @Test("a failed pairing is shown with its reason and the side that gave it")
    func pairingFailed() {
        var link = LinkBuilder()
        link.connect()
        link.agree(on: Self.features)
        link.pair(.pairingFailed(.numericComparisonFailed), from: .remote)
        link.disconnect()
        #expect(pairing(link) == ["began", "agreed", "securityFailed"])
        #expect(
            link.text.contains {
                $0.hasSuffix(
                    "! pairing failed: the other side reports: the numbers did not match (0xc)")
            })
    }

    @Test("a capture that begins during a pairing does not tell of a stored key")
    func pairingBeforeCapture() {
        var link = LinkBuilder()
        link.connect()
        link.pair(.pairingRandom(1), from: .remote)
        link.encrypt()
        link.disconnect()
        #expect(pairing(link) == [])
        #expect(link.story.all("secured").map { $0["key"] } == ["new"])
    }

    @Test("a pairing whose link ends is not finished")
    func pairingUnfinished() {
        var link = LinkBuilder()
        link.connect()
        link.pair(.pairingRequest(Self.features), from: .remote)
        link.disconnect(.connectionTimeout)
        #expect(pairing(link) == ["began", "unfinished"])
    }

    @Test("encryption with a stored key, with a lost one, and a key that we have forgotten")
    func storedKeys() {
        var link = LinkBuilder()
        link.connect()
        link.encrypt()
        link.disconnect()
        link.connect()
        link.command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
        link.encrypt(.pinOrKeyMissing)
        #expect(link.story.all("secured").map { $0["key"] } == ["stored"])
        #expect(link.story.all("keyMissing").count == 1)
        #expect(link.story.all("securityFailed").map { $0["key"] } == ["stored"])
        #expect(link.story.all("securityFailed").map { $0["code"] } == [6])
        #expect(link.text.contains { $0.contains("has lost the key: forget the pairing") })
    }

    // MARK: Handles

    @Test("handles are inferred if the traffic proves them, and the traffic before that is shown")
    func inference() throws {
        var link = LinkBuilder()
        link.subscribe()
        link.announce(7)
        link.fetch(7)
        link.announce(8)
        let handles = try #require(link.story.all("handles").first)
        #expect(handles["origin"] == "inferred")
        #expect(handles["notificationSource"]?.integer == Int(LinkBuilder.source.rawValue))
        #expect(handles["controlPoint"]?.integer == Int(LinkBuilder.control.rawValue))
        #expect(handles["dataSource"]?.integer == Int(LinkBuilder.data.rawValue))
        #expect(link.story.all("subscription").count == 2)
        #expect(link.story.all("notificationSource").map { $0["uid"] } == [7, 8])
        #expect(link.story.all("dataSource").map { $0["complete"] } == [true])
        #expect(link.story.links.first?["beforeCapture"] == true)
        #expect(link.text.contains { $0.contains("inferred from the traffic") })
    }

    @Test(
        "answers identify the Control Point and the Data Source before the Notification Source is certain"
    )
    func inferenceInSteps() {
        var link = LinkBuilder()
        link.fetch(3)
        link.announce(4)
        #expect(link.story.all("notificationSource").isEmpty)
        link.fetch(4)
        #expect(link.story.all("handles").count == 2)
        #expect(link.story.all("notificationSource").map { $0["uid"] } == [4])
        #expect(link.story.all("dataSource").map { $0["uid"] } == [3, 4])
    }

    @Test("traffic that only resembles ANCS is not reported as ANCS")
    func noInference() {
        var link = LinkBuilder()
        link.connect()
        for uid in 0..<20 as Range<UInt32> { link.announce(uid) }
        link.exchange(.writeRequest(LinkBuilder.control, value: [1, 0]), .writeResponse)
        link.notify(LinkBuilder.data, [0, 1, 2, 3])
        link.write(LinkBuilder.command(5))
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, LinkBuilder.response(6))
        #expect(link.story.all("handles").isEmpty)
        #expect(link.story.all("notificationSource").isEmpty)
    }

    /// 20-octet blocks with many zeros, as a treadmill exchanges them: each looks like a command and its answer.
    private static func blocks(_ link: inout LinkBuilder) {
        for uid in 0..<3 as Range<UInt32> {
            link.announce(uid)
            link.fetch(uid)
        }
    }

    @Test("nothing is inferred at handles whose UUID is known, or after a search without ANCS")
    func noInferenceAgainstDiscovery() throws {
        var found = LinkBuilder()
        Self.blocks(&found)
        try #require(found.story.all("handles").isEmpty == false)
        // The characteristics have other UUIDs.
        var known = LinkBuilder()
        known.exchange(
            .readByTypeRequest(.all, type: .characteristic),
            .readByTypeResponse(
                [LinkBuilder.control, LinkBuilder.data].enumerated().map { index, handle in
                    let value = handle.rawValue
                    return .init(
                        handle: AttributeHandle(value - 1),
                        value: [
                            0x18, UInt8(value & 0xFF), UInt8(value >> 8), 0xF3 + UInt8(index), 0xFF,
                        ])
                }))
        Self.blocks(&known)
        #expect(known.story.all("handles").isEmpty)
        #expect(known.story.all("dataSource").isEmpty)
        // The services are all known, and none is ANCS.
        func searched(from first: AttributeHandle) -> LinkBuilder {
            var link = LinkBuilder()
            link.exchange(
                .readByGroupTypeRequest(
                    AttributeHandleRange(first, .last), type: .primaryService),
                .readByGroupTypeResponse([
                    .init(
                        range: AttributeHandleRange(first, .last), value: [0xF0, 0xFF])
                ]))
            Self.blocks(&link)
            return link
        }
        #expect(searched(from: .first).story.all("handles").isEmpty)
        // The beginning of the search is not in the capture.
        #expect(!searched(from: AttributeHandle(0x60)).story.all("handles").isEmpty)
    }

    @Test("the same device that comes back has the handles of its discovery")
    func sameAddress() throws {
        var link = LinkBuilder()
        link.wholeSession()
        link.disconnect()
        link.connect()
        link.subscribe()
        link.announce(0)
        let handles = link.story.all("handles")
        #expect(handles.map { $0["origin"] } == ["discovered", "remembered"])
        #expect(handles.last?["fromConnection"] == 1)
        #expect(link.story.all("notificationSource").map { $0["connection"] } == [1, 2])
        #expect(link.story.all("notificationSource").map { $0["session"] } == [1, 2])
    }

    @Test(
        "a device that returns with ANCS at other handles is followed there, or reported without ANCS"
    )
    func movedService() throws {
        var link = LinkBuilder()
        link.wholeSession()
        link.disconnect()
        link.connect()
        let uuid = BluetoothUUID(ANCSUUID.service)
        link.exchange(
            .findByTypeValueRequest(.all, type: 0x2800, value: uuid.octets),
            .errorResponse(
                request: .findByTypeValueRequest, handle: .first, .attributeNotFound))
        let range = AttributeHandleRange(AttributeHandle(0x30), AttributeHandle(0x40))
        let moved = [
            (UInt8(0x35), ANCSUUID.notificationSource), (0x38, ANCSUUID.controlPoint),
            (0x3B, ANCSUUID.dataSource),
        ].map { handle, uuid in
            HandleValue(
                handle: AttributeHandle(UInt16(handle) - 1),
                value: [0x10, handle, 0] + BluetoothUUID(uuid).octets)
        }
        link.exchange(
            .readByTypeRequest(range, type: .characteristic), .readByTypeResponse(moved))
        link.exchange(.writeRequest(AttributeHandle(0x36), value: [1, 0]), .writeResponse)
        #expect(link.story.all("services").map { $0["missing"]?.string } == [nil, uuid.text])
        #expect(link.story.all("handles").map { $0["notificationSource"] } == [0x25, 0x35])
        #expect(link.story.all("subscription").last?["connection"] == 2)
        #expect(link.story.all("session").filter { $0["state"] == "started" }.count == 2)
    }

    @Test("a private address is recognized by the key that pairing distributed")
    func privateAddress() throws {
        var toolbox = OpenSSLToolbox()
        let key: UInt128 = 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF
        let identity = DeviceAddress(0x5C70_1234_5678, kind: .public)
        var link = LinkBuilder()
        link.connect(PrivateAddress.makeResolvable(irk: key, using: &toolbox))
        link.discover()
        link.pair(.identityInformation(key), from: .remote)
        link.pair(.identityAddressInformation(identity), from: .remote)
        link.disconnect()
        link.connect(PrivateAddress.makeResolvable(irk: key, using: &toolbox))
        link.subscribe()
        link.announce(0)
        // Somebody else with a private address is somebody else.
        link.disconnect()
        link.connect(PrivateAddress.makeResolvable(irk: key + 1, using: &toolbox))
        link.subscribe()
        link.announce(0)
        let connected = link.story.all("connected")
        #expect(connected.map { $0["identity"]?.string } == [nil, identity.text, nil])
        #expect(connected.map { $0["sameAsConnection"]?.integer } == [nil, 1, nil])
        #expect(link.story.all("notificationSource").count == 1)
    }

    @Test("an address that the controller resolved is recognized")
    func resolvedByController() {
        var link = LinkBuilder()
        let identity = DeviceAddress(0x5C70_1234_5678, kind: .public)
        for privatePart in [0x4000_0000_0001, 0x4000_0000_0002] as [UInt64] {
            link.event(
                HCI.LEEnhancedConnectionComplete(
                    status: .success, handle: link.handle, role: .peripheral, peerAddressType: 2,
                    peerAddressValue: identity.rawValue, localResolvablePrivateAddress: 0,
                    peerResolvablePrivateAddress: privatePart,
                    interval: ConnectionInterval(rawValue: 24), latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0))
            if privatePart == 0x4000_0000_0001 { link.discover() }
            link.subscribe()
            link.disconnect()
        }
        #expect(link.story.all("session").count == 4)
        #expect(link.story.all("handles").map { $0["origin"] } == ["discovered", "remembered"])
    }

    @Test(
        "data recorded after the end of a link does not begin another link",
        arguments: [true, false])
    func afterTheEnd(_ isReset: Bool) {
        var link = LinkBuilder()
        for _ in 1...2 {
            link.connect()
            link.subscribe()
            link.announce(7)
            if isReset { link.command(HCI.Reset()) } else { link.disconnect() }
            // What the host had queued before it heard of the end.
            link.ask(.writeRequest(LinkBuilder.control, value: [0, 7, 0, 0, 0, 0]))
            link.announce(8)
        }
        #expect(link.story.links.compactMap { $0["beforeCapture"] }.isEmpty)
        #expect(link.text.last?.contains("2 connections") == true)
    }

    @Test("a link that ended before the capture, or while records were lost, may be used again")
    func handleAgain() {
        var link = LinkBuilder()
        link.connect()
        link.disconnect()
        link.capture.add(.event([0x13, 1, 0]), isSent: false, drops: 3)
        link.announce(7)
        #expect(link.text.last?.contains("2 connections") == true)
    }

    // MARK: Many links

    @Test("adapters of one capture have their own links")
    func adapters() {
        var link = LinkBuilder(.monitor)
        link.capture.btsnoop([0, 1, 1, 2, 3, 4, 5, 6] + Array("hci3\0\0\0\0".utf8), 3 << 16)
        link.adapter = 3
        link.connect()
        link.adapter = 1
        link.connect(DeviceAddress(0xC0FF_EE00_0002, kind: .random))
        link.discover()
        link.adapter = 3
        link.capture.btsnoop([], 3 << 16 | 1)
        let connections = link.story.links
        #expect(connections.map { $0["adapter"] } == [3, 1, 3])
        #expect(connections.map { $0["event"] } == ["connected", "connected", "disconnected"])
        #expect(link.story.all("handles").map { $0["connection"] } == [2])
        #expect(
            link.story.all("adapter").map { $0["address"]?.string } == ["06:05:04:03:02:01", nil])
    }

    @Test("a connection handle that is used again is another connection")
    func handleReuse() {
        var link = LinkBuilder()
        link.wholeSession()
        link.connect(DeviceAddress(0xC0FF_EE00_0002, kind: .random))
        link.announce(9)
        let connections = link.story.links
        #expect(connections.map { $0["event"] } == ["connected", "disconnected", "connected"])
        #expect(link.story.all("notificationSource").map { $0["uid"] } == [7])
    }

    @Test("the fixed channels of LE are none on a link of BR/EDR")
    func basicRate() {
        var link = LinkBuilder()
        link.capture.add(
            .event([0x03, 11, 0, 0x40, 0, 1, 2, 3, 4, 5, 6, 1, 0]), isSent: false)
        link.discover()
        link.fetch(1)
        #expect(link.story.links.map { $0["transport"] } == ["BR/EDR"])
        #expect(link.story.all("handles").isEmpty)
        // Fixed channels that neither has do not reveal a link.
        var other = LinkBuilder()
        other.pdu([1, 2, 3, 4], on: L2CAPChannelID(rawValue: 0x0002), from: .remote)
        #expect(other.story.links.isEmpty)
        #expect(other.story.status == .success)
    }

    @Test("packets in flight when the capture begins are not complained about")
    func inFlight() {
        var link = LinkBuilder()
        link.capture.add(
            .acl(
                ACLPacket(handle: link.handle, boundary: .continuing, data: [1, 2, 3]).octets),
            isSent: false)
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, [0x20, 0x68, 0x69])
        #expect(link.story.all("stray").isEmpty)
        #expect(link.story.all("unreadable").isEmpty)
        #expect(link.story.status == .success)
    }

    @Test("a connection that could not be made, and a reset")
    func failures() {
        var link = LinkBuilder()
        link.connect(status: .connectionFailedToBeEstablished)
        link.connect()
        link.command(HCI.Reset())
        #expect(
            link.story.links.map { $0["event"] } == [
                "connectingFailed", "connected", "disconnected",
            ])
    }

    @Test("a hostile capture of endless links, adapters and commands keeps its memory bounded")
    func bounded() {
        var follower = CaptureStory(json: false)
        var link = LinkBuilder(.monitor)
        for number in 0..<600 as Range<UInt16> {
            link.handle = ConnectionHandle(rawValue: number)
            link.adapter = number % 40
            link.connect(DeviceAddress(UInt64(number), kind: .public))
            link.write(LinkBuilder.command(UInt32(number)))
            link.answer(.writeResponse)
        }
        let lines = ToldStory.lines(
            follower.receive(link.capture.octets).text + follower.finish().text)
        // Eight adapters are followed, and of each 32 links: the oldest of more ones end.
        #expect(lines.count { $0.contains(" connected: ") } == 8 * 15)
    }

    @Test("commands without end are counted as unanswered in their order")
    func crowded() {
        var link = LinkBuilder()
        link.wholeSession()
        for uid in 100..<200 as Range<UInt32> {
            link.write(LinkBuilder.command(uid))
            link.answer(.writeResponse)
        }
        let left = link.story.all("unanswered")
        #expect(left.count == 100)
        #expect(left.count { $0["why"] == "too many requests were outstanding" } == 36)
        #expect(left.map { $0["uid"]?.integer } == Array(100..<200))
    }
}
