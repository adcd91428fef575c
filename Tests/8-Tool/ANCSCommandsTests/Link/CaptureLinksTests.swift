import ANCS
import BluetoothLE
import BluetoothTypes
import LinuxIO
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import AccessoryConformance

/// What `ancs decode` says of the links of a capture.
@Suite("The grade of a capture") struct CaptureLinksTests {
    private static let address = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)

    private static func happening(_ event: CaptureEvent.Event, at seconds: Int64) -> CaptureEvent {
        CaptureEvent(
            time: CaptureTime(microsecondsSince1970: seconds * 1_000_000),
            place: CaptureEvent.Place(adapter: nil, connection: 1, session: nil), event: event)
    }

    private static func connected(_ role: LinkRole) -> CaptureEvent.Event {
        .connected(
            CaptureEvent.ConnectionFacts(
                address: address, role: role,
                parameters: CaptureEvent.LinkParameters(
                    interval: ConnectionInterval(rawValue: 24), latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 72))))
    }

    private static let start = CaptureTime(microsecondsSince1970: 0)

    /// Who is judged, and what is broken and what is a note.
    private static func judge(_ events: [(CaptureEvent.Event, Int64)]) -> [String] {
        var links = CaptureLinks()
        for (event, seconds) in events {
            links.observe(happening(event, at: seconds), since: start)
        }
        return links.verdicts().map { verdicts in
            let found = verdicts.filter(\.isFinding)
            return
                ([verdicts[0].accessory]
                + found.map { "\($0.requirement.number) \($0.standing.rawValue)" })
                .joined(
                    separator: ", ")
        }
    }

    @Test("links on which no device acts as Apple's are judged only if that is wanted")
    func others() {
        let address = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)
        let connected = CaptureEvent.Event.connected(
            CaptureEvent.ConnectionFacts(
                address: address, role: .peripheral,
                parameters: CaptureEvent.LinkParameters(
                    interval: ConnectionInterval(rawValue: 36), latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 500))))
        let bad = CaptureEvent.Event.parametersWanted(
            by: .local, LinkStory.request(7.5, 45, 6000))
        func judge(_ more: [CaptureEvent.Event] = [], all: Bool = false) -> Int {
            var links = CaptureLinks(judgesAll: all)
            for (index, event) in ([connected] + more + [bad]).enumerated() {
                links.observe(Self.happening(event, at: Int64(index)), since: Self.start)
            }
            return links.verdicts().count
        }
        #expect(judge() == 0)
        #expect(judge(all: true) == 1)
        let ancs = BluetoothUUID(ANCSUUID.service)
        #expect(judge([.services(on: .remote, [ancs])]) == 1)
        #expect(judge([.services(on: .local, [ancs])]) == 0)
        #expect(judge([.services(on: .remote, ["1800"])]) == 0)
    }

    @Test("the side that is the Peripheral is judged, whichever made the capture")
    func sides() {
        let bad = LinkStory.request(7.5, 45, 6000)
        func requests(_ side: CaptureEvent.Side, _ role: LinkRole) -> [String] {
            Self.judge([
                (Self.connected(role), 0), (.parametersWanted(by: side, bad), 1),
                (.parametersAnswered(isAccepted: false), 1), (.disconnected(nil, duration: nil), 9),
            ])
        }
        #expect(requests(.remote, .central) == ["F0:F1:F2:F3:F4:F5, L1 broken"])
        #expect(requests(.local, .peripheral) == ["this side, L1 broken"])
        // A Central that changes the parameters of its own link asks for nothing.
        #expect(requests(.local, .central) == ["F0:F1:F2:F3:F4:F5, L8 note"])
    }

    private static func advertising(
        _ shortest: UInt32, _ longest: UInt32, _ data: [AdvertisingData.Structure],
        reach: CaptureEvent.Advertising.Reach = .everyone, isDataKnown: Bool = true
    ) -> CaptureEvent.Event {
        .advertising(
            CaptureEvent.Advertising(
                data: AdvertisingData(data), response: AdvertisingData(),
                shortest: AdvertisingInterval(rawValue: shortest),
                longest: AdvertisingInterval(rawValue: longest), reach: reach,
                isDataKnown: isDataKnown))
    }

    @Test("what this side advertised is judged, if it is the Peripheral of a link")
    func advertisements() {
        let whole: [AdvertisingData.Structure] = [.flags([]), .transmitPower(0)]
        let good: CaptureEvent.Event = .parametersWanted(by: .local, LinkStory.good)
        func judge(_ event: CaptureEvent.Event, _ role: LinkRole = .peripheral) -> [String] {
            Self.judge([(event, 0), (Self.connected(role), 1), (good, 1)])
        }
        #expect(judge(Self.advertising(32, 32, whole)) == [])
        // The controller may choose 152.5 ms.
        #expect(judge(Self.advertising(160, 320, whole)) == [])
        #expect(judge(Self.advertising(160, 160, whole)) == ["this side, A1 broken"])
        #expect(judge(Self.advertising(160, 200, whole)) == ["this side, A1 broken"])
        #expect(judge(Self.advertising(32, 32, [])) == ["this side, A3 broken"])
        // They were set before the capture began.
        #expect(judge(Self.advertising(32, 32, [], isDataKnown: false)) == [])
        // It is not what the phone connected to.
        #expect(judge(Self.advertising(160, 160, [], reach: .nobody)) == [])
        #expect(
            judge(Self.advertising(160, 160, []), .central).contains { $0.contains("A") } == false)
    }

    @Test(
        "an interval of one's own is a note where ANCS is used, as on a bench, unless the link is graded"
    )
    func intervalWithANCS() {
        func judge(judgesAll: Bool) -> [RequirementVerdict.Standing?] {
            var links = CaptureLinks(judgesAll: judgesAll)
            let events = [
                Self.advertising(160, 160, [.flags([]), .transmitPower(0)]),
                Self.connected(.peripheral), .parametersWanted(by: .local, LinkStory.good),
                .services(on: .remote, [BluetoothUUID(ANCSUUID.service)]),
            ]
            for (index, event) in events.enumerated() {
                links.observe(Self.happening(event, at: Int64(index)), since: Self.start)
            }
            return links.verdicts().map { verdicts in
                verdicts.first { $0.requirement == .advertisingInterval }?.standing
            }
        }
        #expect(judge(judgesAll: false) == [.note])
        #expect(judge(judgesAll: true) == [.broken])
    }

    @Test("security that is asked for before a refusal is a note, and a good link has no line")
    func security() {
        let good: CaptureEvent.Event = .parametersWanted(by: .remote, LinkStory.good)
        #expect(Self.judge([(Self.connected(.central), 0), (good, 1)]) == [])
        #expect(
            Self.judge([
                (Self.connected(.central), 0), (good, 1), (.pairing(.wanted(by: .remote)), 1),
                (.pairing(.began(by: .local)), 1),
            ]) == ["F0:F1:F2:F3:F4:F5, P3 note"])
    }
}
