import ANCS
import BluetoothTypes
import JSONText
import Testing

@testable import ANCSEvents
@testable import ANCSReceiver
@testable import Printing

/// What `ancs receive --json` prints: the shapes of its contract.
@Suite struct ReceiveJSONTests {
    private typealias Samples = ReceiveReportTests

    struct Row: Sendable, CustomTestStringConvertible {
        var event: ConsumerEvent
        var json: [String]
        var testDescription: String { json.first ?? "\(event)" }
    }

    static let rows: [Row] = [
        Row(
            event: .notification(Samples.session, Samples.call),
            json: [
                #"{"event":"added","uid":7,"flags":["important","positiveAction","negativeAction"],"#
                    + #""category":"incomingCall","categoryID":1,"categoryCount":1,"#
                    + #""app":{"identifier":"com.apple.mobilephone","displayName":"Phone"},"#
                    + #""title":"Ada","subtitle":"mobile","message":"Incoming Call","#
                    + #""messageSize":13,"date":"2026-11-21T09:30:00","#
                    + #""actions":{"positive":"Answer","negative":"Decline"}}"#
            ]),
        Row(
            event: .session(
                Samples.phone,
                .announced(
                    ReceivedNotification(
                        .init(source: Samples.call.source), session: Samples.session))),
            json: [
                #"{"event":"announced","uid":7,"#
                    + #""flags":["important","positiveAction","negativeAction"],"#
                    + #""category":"incomingCall","categoryID":1,"categoryCount":1}"#
            ]),
        Row(
            event: .notification(Samples.session, Samples.bare(.removed)),
            json: [
                #"{"event":"removed","uid":4294967295,"flags":[],"category":"social","#
                    + #""categoryID":4,"categoryCount":0}"#
            ]),
        Row(
            event: .notification(
                Samples.session,
                Samples.bare(
                    .modified, flags: EventFlags(rawValue: 0x20), category: CategoryID(rawValue: 13)
                )),
            json: [
                #"{"event":"modified","uid":4294967295,"flags":["reserved5"],"#
                    + #""category":"reserved13","categoryID":13,"categoryCount":0}"#
            ]),
        Row(
            event: .peer(
                Samples.phone,
                .connected(.init(address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: "D"))),
            json: [#"{"event":"connected","address":"F0:F1:F2:F3:F4:F5"}"#]),
        Row(
            event: .peer(
                Samples.phone, .connected(.init(address: "A", identity: "B", digest: "D"))),
            json: [#"{"event":"connected","address":"A","identity":"B"}"#]),
        Row(
            event: .peer(
                Samples.phone,
                .connected(
                    .init(
                        address: "A", digest: "D",
                        link: LinkParameters(
                            interval: .microseconds(11_250), supervisionTimeout: .milliseconds(720))
                    ))),
            json: [
                #"{"event":"connected","address":"A","#
                    + #""link":{"interval":11.25,"latency":0,"timeout":720}}"#
            ]),
        Row(
            event: .peer(
                Samples.phone,
                .linkParameters(
                    LinkParameters(
                        interval: .milliseconds(45), latency: 4, supervisionTimeout: .seconds(6)))),
            json: [#"{"event":"link","link":{"interval":45,"latency":4,"timeout":6000}}"#]),
        Row(
            event: .peer(
                Samples.phone,
                .linkParameters(
                    LinkParameters(
                        interval: .milliseconds(30), supervisionTimeout: .milliseconds(720),
                        isKept: true))),
            json: [
                #"{"event":"link","link":{"interval":30,"latency":0,"timeout":720,"kept":true}}"#
            ]),
        Row(
            event: .peer(
                Samples.phone,
                .secured(
                    .init(isEncrypted: true, isAuthenticated: false, usesSecureConnections: true))),
            json: [
                #"{"event":"secured","encrypted":true,"authenticated":false,"#
                    + #""secureConnections":true}"#
            ]),
        Row(
            event: .peer(
                Samples.phone,
                .secured(
                    .init(isEncrypted: false, isAuthenticated: false, usesSecureConnections: false))
            ),
            json: [
                #"{"event":"secured","encrypted":false,"authenticated":false,"#
                    + #""secureConnections":false}"#
            ]),
        Row(
            event: .session(Samples.session.provider, .started(Samples.session)),
            json: [#"{"event":"session","state":"started"}"#]),
        Row(
            event: .session(Samples.phone, .authorizationChanged(.authorized)),
            json: [#"{"event":"session","state":"authorized"}"#]),
        Row(
            event: .session(
                Samples.phone,
                .authorizationChanged(.unauthorized(ControlPointError(rawValue: 0x03)))),
            json: [#"{"event":"session","state":"unauthorized","attError":3}"#]),
        Row(
            event: .session(Samples.phone, .authorizationChanged(.unknown)),
            json: [#"{"event":"session","state":"unknown"}"#]),
        Row(
            event: .session(Samples.session.provider, .ended(Samples.session, .serviceGone)),
            json: [
                #"{"event":"session","state":"ended","reason":"the phone's services have changed"}"#
            ]),
        Row(
            event: .session(Samples.session.provider, .ended(Samples.session, .linkEnded)),
            json: [#"{"event":"session","state":"ended","reason":"the link has ended"}"#]),
        Row(
            event: .peer(Samples.phone, .disconnected(.link(.connectionTimeout))),
            json: [
                #"{"event":"disconnected","reason":"supervision timeout: the other side "#
                    + #"went out of range or silent (0x08)"}"#
            ]),
        Row(
            event: .peer(Samples.phone, .pairing(.display(PasskeyDisplay(42)))),
            json: [#"{"event":"pairing","display":42}"#]),
        Row(
            event: .peer(Samples.phone, .pairing(.compare(NumericComparison(123_456)))),
            json: [#"{"event":"pairing","ask":"confirm","value":123456}"#]),
        Row(
            event: .peer(Samples.phone, .pairing(.enter(PasskeyEntry()))),
            json: [#"{"event":"pairing","ask":"enterPasskey"}"#]),
        Row(
            event: .peer(Samples.phone, .pairing(.consent(PairingConsent()))),
            json: [#"{"event":"pairing","ask":"confirm"}"#]),
        Row(
            event: .peer(Samples.phone, .securityFailed(.cancelled)),
            json: [
                #"{"event":"securityFailed","reason":"pairing was cancelled","#
                    + #""text":"pairing was cancelled"}"#
            ]),
        Row(
            event: .device(.pairingWindow(isOpen: true)),
            json: [#"{"event":"pairing","window":"open"}"#]),
        Row(
            event: .device(.pairingWindow(isOpen: false)),
            json: [#"{"event":"pairing","window":"closed"}"#]),
        Row(event: .device(.missed(3)), json: [#"{"event":"missed","count":3}"#]),
        Row(
            event: .device(.warning(DeviceWarning(.transport, "careful"))),
            json: [#"{"event":"warning","text":"careful"}"#]),
        Row(event: .device(.ready), json: [#"{"event":"ready"}"#]),
        Row(
            event: .device(.advertising(true)), json: [#"{"event":"advertising","on":true}"#]),
        Row(
            event: .session(Samples.phone, .waitingForService),
            json: [#"{"event":"session","state":"waitingForService"}"#]),
        Row(
            event: .peer(
                Samples.phone,
                .paired(
                    .init(address: "A", identity: "B", digest: "D"), isBonded: true, replacing: nil)
            ),
            json: [#"{"event":"paired","bonded":true}"#]),
        Row(
            event: .peer(
                Samples.phone,
                .paired(
                    .init(address: "A", identity: "B", digest: "D"), isBonded: true,
                    replacing: BondedPeer(digest: "D", name: "Ada's iPhone"))),
            json: [#"{"event":"paired","bonded":true,"replaced":"Ada's iPhone"}"#]),
        Row(
            event: .peer(Samples.phone, .pairingWithdrawn),
            json: [#"{"event":"pairing","withdrawn":true}"#]),
        Row(event: .device(.listening(at: "x")), json: [#"{"event":"listening","at":"x"}"#]),
        Row(
            event: .device(.resetting(.unresponsive)),
            json: [
                #"{"event":"resetting","reason":"the controller stopped answering; "#
                    + #"it is being reset"}"#
            ]),
    ]

    @Test("JSON has the shapes of the contract, a line each", arguments: rows)
    func json(_ row: Row) throws {
        let lines = try Samples.report("--json").told(row.event)
        // What version 0.1 printed in place of a line follows it.
        let (today, former) = (
            lines.output.prefix(row.json.count), lines.output.dropFirst(row.json.count)
        )
        #expect(today.map(Samples.core) == row.json)
        #expect(former.count <= 1)
        for line in former {
            let event = try JSONValue(parsing: line)["event"]?.string ?? ""
            #expect(["session", "phone", "bond", "pairing"].contains(event), "\(line)")
        }
        for line in lines.output { _ = try JSONValue(parsing: line) }
    }

    @Test("attributes that the phone left empty are empty, not absent")
    func emptyAttributes() throws {
        var delivery = Samples.bare(.added)
        delivery.attributes = [
            AttributeValue(.title, ""), AttributeValue(.date, ""), AttributeValue(.messageSize, ""),
            AttributeValue(.negativeActionLabel, ""),
        ]
        let lines = try Samples.report("--json").told(.notification(Samples.session, delivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["title"] == "" && json["date"] == "" && json["messageSize"] == "")
        #expect(json["actions"] == ["negative": ""])
        #expect(json["message"] == nil && json["app"] == nil)
    }

    @Test("a missing value is reported with the reason")
    func failures() throws {
        var delivery = Samples.bare(.added)
        delivery.failure = .refused(ControlPointError(rawValue: 0xA2))
        delivery.displayNameFailure = .timedOut
        let lines = try Samples.report("--json").told(.notification(Samples.session, delivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["failure"]?["reason"] == "refused")
        #expect(json["failure"]?["attError"] == 162)
        #expect(json["displayNameFailure"]?["reason"] == "timedOut")
    }

    @Test("escaped JSON is decoded to the original text")
    func lossless() throws {
        let lines = try Samples.report("--json").told(
            .notification(Samples.session, ReceiveTextTests.hostileDelivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["title"]?.string == ReceiveTextTests.hostile)
    }

    @Test(
        "control characters are escaped in JSON, single ones too",
        arguments: [
            0x00, 0x1F, 0x7F, 0x80, 0x9B, 0x61C, 0x200E, 0x200F, 0x2028, 0x202A, 0x202E, 0x2066,
            0x2069,
        ] as [UInt32])
    func alone(value: UInt32) throws {
        let text = String(try #require(Unicode.Scalar(value)))
        let json = JSONValue.string(text).text
        #expect(json.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(try JSONValue(parsing: json).string == text)
    }
}
