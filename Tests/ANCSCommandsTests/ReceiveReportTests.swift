import ANCSService
import ANCS
import BluetoothLE
import JSONText
import Octets
import Testing

@testable import ANCSCommands
@testable import ANCSKit

/// What `ancs receive` prints: the JSON of its contract, and lines for a person.
@Suite struct ReceiveReportTests {
    static let phone = ProviderID(rawValue: 1)
    static let session = SessionID(provider: phone, number: 1)

    static func report(_ words: String..., isColored: Bool = false) throws -> ReceiveReport {
        let arguments = try ReceiveOptions.syntax.parse(["--hci", "hci-socket:0"] + words)
        return ReceiveReport(
            options: try ReceiveOptions(arguments, environment: ["HOME": "/h"]),
            isColored: isColored, timestamp: { "T" })
    }

    /// The same line without the time, the phone and the session, which come last.
    static func core(_ line: String) -> String {
        guard let end = line.firstRange(of: #","time":"T""#) else { return line }
        return line[..<end.lowerBound] + "}"
    }

    /// A ringing call, with everything that is known of it.
    static let call: NotificationFeed.Delivery = {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: .added, eventFlags: [.important, .positiveAction, .negativeAction],
                categoryID: .incomingCall, categoryCount: 1,
                notificationUID: NotificationUID(rawValue: 7)))
        delivery.attributes = [
            AttributeValue(.appIdentifier, "com.apple.mobilephone"), AttributeValue(.title, "Ada"),
            AttributeValue(.subtitle, "mobile"), AttributeValue(.message, "Incoming Call"),
            AttributeValue(.messageSize, "13"), AttributeValue(.date, "20261121T093000"),
            AttributeValue(.positiveActionLabel, "Answer"),
            AttributeValue(.negativeActionLabel, "Decline"),
        ]
        delivery.displayName = AttributeValue(AppAttributeID.displayName, "Phone")
        return delivery
    }()

    /// An announcement of which nothing else is known.
    static func bare(
        _ event: EventID, flags: EventFlags = [], category: CategoryID = .social
    ) -> NotificationFeed.Delivery {
        NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: event, eventFlags: flags, categoryID: category, categoryCount: 0,
                notificationUID: NotificationUID(rawValue: .max)))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var event: ConsumerEvent
        var json: [String]
        var testDescription: String { json.first ?? "\(event)" }
    }

    static let rows: [Row] = [
        Row(
            event: .notification(session, call),
            json: [
                #"{"event":"added","uid":7,"flags":["important","positiveAction","negativeAction"],"#
                    + #""category":"incomingCall","categoryID":1,"categoryCount":1,"#
                    + #""app":{"identifier":"com.apple.mobilephone","displayName":"Phone"},"#
                    + #""title":"Ada","subtitle":"mobile","message":"Incoming Call","#
                    + #""messageSize":13,"date":"2026-11-21T09:30:00","#
                    + #""actions":{"positive":"Answer","negative":"Decline"}}"#
            ]),
        Row(
            event: .announced(ReceivedNotification(.init(source: call.source), session: session)),
            json: [
                #"{"event":"announced","uid":7,"#
                    + #""flags":["important","positiveAction","negativeAction"],"#
                    + #""category":"incomingCall","categoryID":1,"categoryCount":1}"#
            ]),
        Row(
            event: .notification(session, bare(.removed)),
            json: [
                #"{"event":"removed","uid":4294967295,"flags":[],"category":"social","#
                    + #""categoryID":4,"categoryCount":0}"#
            ]),
        Row(
            event: .notification(
                session,
                bare(
                    .modified, flags: EventFlags(rawValue: 0x20), category: CategoryID(rawValue: 13)
                )),
            json: [
                #"{"event":"modified","uid":4294967295,"flags":["reserved5"],"#
                    + #""category":"reserved13","categoryID":13,"categoryCount":0}"#
            ]),
        Row(
            event: .connected(
                phone, .init(address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: "D")),
            json: [#"{"event":"session","state":"connected","address":"F0:F1:F2:F3:F4:F5"}"#]),
        Row(
            event: .connected(phone, .init(address: "A", identity: "B", digest: "D")),
            json: [#"{"event":"session","state":"connected","address":"A","identity":"B"}"#]),
        Row(
            event: .connected(
                phone,
                .init(
                    address: "A", digest: "D",
                    link: LinkParameters(
                        interval: .microseconds(11_250), supervisionTimeout: .milliseconds(720)))),
            json: [
                #"{"event":"session","state":"connected","address":"A","#
                    + #""link":{"interval":11.25,"latency":0,"timeout":720}}"#
            ]),
        Row(
            event: .linkParameters(
                phone,
                LinkParameters(
                    interval: .milliseconds(45), latency: 4, supervisionTimeout: .seconds(6))),
            json: [#"{"event":"link","link":{"interval":45,"latency":4,"timeout":6000}}"#]),
        Row(
            event: .linkParameters(
                phone,
                LinkParameters(
                    interval: .milliseconds(30), supervisionTimeout: .milliseconds(720),
                    isKept: true)),
            json: [
                #"{"event":"link","link":{"interval":30,"latency":0,"timeout":720,"kept":true}}"#
            ]),
        Row(
            event: .secured(
                phone,
                .init(isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)),
            json: [
                #"{"event":"session","state":"encrypted","authenticated":false,"#
                    + #""secureConnections":true}"#
            ]),
        Row(
            event: .secured(
                phone,
                .init(isEncrypted: false, isAuthenticated: false, usesSecureConnections: false)),
            json: []),
        Row(event: .sessionStarted(session), json: [#"{"event":"session","state":"subscribed"}"#]),
        Row(
            event: .authorizationChanged(phone, .authorized),
            json: [#"{"event":"session","state":"authorized"}"#]),
        Row(
            event: .authorizationChanged(phone, .unauthorized(ControlPointError(rawValue: 0x03))),
            json: [#"{"event":"session","state":"unauthorized","attError":3}"#]),
        Row(event: .authorizationChanged(phone, .unknown), json: []),
        Row(
            event: .sessionEnded(session, .serviceGone),
            json: [
                #"{"event":"session","state":"ended","reason":"the phone's services have changed"}"#
            ]),
        // The end of the link follows, and is the one that is told.
        Row(event: .sessionEnded(session, .linkEnded), json: []),
        Row(
            event: .disconnected(phone, .link(.connectionTimeout)),
            json: [
                #"{"event":"session","state":"ended","reason":"supervision timeout: the other side "#
                    + #"went out of range or silent (0x08)"}"#
            ]),
        Row(
            event: .pairing(phone, .display(PasskeyDisplay(42))),
            json: [#"{"event":"pairing","display":42}"#]),
        Row(
            event: .pairing(phone, .compare(NumericComparison(123_456))),
            json: [#"{"event":"pairing","ask":"confirm","value":123456}"#]),
        Row(
            event: .pairing(phone, .enter(PasskeyEntry())),
            json: [#"{"event":"pairing","ask":"enterPasskey"}"#]),
        Row(
            event: .pairing(phone, .consent(PairingConsent())),
            json: [#"{"event":"pairing","ask":"confirm"}"#]),
        Row(
            event: .securityFailed(phone, .cancelled),
            json: [#"{"event":"pairing","failed":"pairing was cancelled"}"#]),
        Row(
            event: .pairingWindow(isOpen: true), json: [#"{"event":"pairing","window":"open"}"#]),
        Row(
            event: .pairingWindow(isOpen: false),
            json: [#"{"event":"pairing","window":"closed"}"#]),
        Row(event: .missed(3), json: [#"{"event":"missed","count":3}"#]),
        Row(event: .warning(DeviceWarning(.transport, "careful")), json: []),
        Row(event: .ready, json: []),
        Row(event: .advertising(true), json: []),
        Row(
            event: .waitingForService(phone),
            json: [#"{"event":"session","state":"waitingForService"}"#]),
        Row(
            event: .paired(phone, .init(address: "A", identity: "B", digest: "D"), replacing: nil),
            json: []),
        Row(
            event: .paired(
                phone, .init(address: "A", identity: "B", digest: "D"),
                replacing: BondedProvider(digest: "D", name: "Ada's iPhone")),
            json: [#"{"event":"bond","replaced":"Ada's iPhone"}"#]),
        Row(event: .pairingWithdrawn(phone), json: [#"{"event":"pairing","withdrawn":true}"#]),
        Row(event: .listening(at: "x"), json: []),
        Row(event: .resetting(.unresponsive), json: []),
    ]

    @Test("a phone that may not pair is reported in one sentence, with what its owner can do")
    func refusal() throws {
        let text = try Self.report("--name", "Desk")
        let json = try Self.report("--json", "--name", "Desk")
        for isBonded in [false, true] {
            let event: ConsumerEvent =
                isBonded
                ? .keyTrouble(Self.phone, KeyTrouble(.missing)) : .pairingRefused(Self.phone)
            let lines = text.told(event).output
            #expect(lines.count == 1)
            #expect(lines[0].contains("type 'pair' here") && lines[0].contains("'Desk'"))
            let object = try JSONValue(parsing: json.told(event).output.joined())
            #expect(object["event"]?.string == "pairing")
            #expect(object["bonded"]?.boolean == isBonded)
            #expect(object["keys"]?.string == (isBonded ? "missing" : nil))
            #expect(object["failed"]?.string.map { lines[0].hasSuffix($0) } == true)
        }
        let lines = text.reportOfPairingWindow(seconds: 120, isFull: false).output
        #expect(
            lines == [
                "● phones can pair for 120 seconds: choose 'Desk' on the phone",
                "  " + PairingAdvice.otherApp(for: "Desk"),
            ])
        let full = text.reportOfPairingWindow(seconds: 120, isFull: true).output.joined()
        #expect(full.contains("--phones"))
        #expect(json.reportOfPairingWindow(seconds: 120, isFull: true).output.isEmpty)
        let open = try Self.report("--pair", "--json").told(.ready).output
        #expect(open == [#"{"event":"pairing","window":"open","time":"T"}"#])
    }

    @Test("the other way to pair is mentioned once for each time that pairing is open")
    func otherWay() throws {
        var report = try Self.report("--name", "Desk")
        let mention = "  " + PairingAdvice.otherApp(for: "Desk")
        func mentions(_ event: ConsumerEvent) -> Int {
            report.report(of: event).output.count { $0 == mention }
        }
        #expect(mentions(.advertising(true)) == 0)
        for _ in 1...2 {
            #expect(mentions(.pairingWindow(isOpen: true)) == 0)
            #expect(mentions(.advertising(true)) == 1)
            #expect(mentions(.advertising(false)) == 0)
            #expect(mentions(.advertising(true)) == 0)
            #expect(mentions(.pairingWindow(isOpen: false)) == 0)
        }
        report = try Self.report("--name", "Desk", "--pair")
        #expect(mentions(.ready) == 0)
        #expect(mentions(.advertising(true)) == 1)
        report = try Self.report("--json", "--name", "Desk", "--pair")
        #expect(mentions(.ready) + mentions(.advertising(true)) == 0)
    }

    @Test("a phone whose keys do not work is one line for all its links, until they work")
    func keyTrouble() throws {
        var report = try Self.report("--name", "Desk")
        let description = ProviderDescription(address: "A", identity: "B", digest: "D")
        func lines(_ events: ConsumerEvent...) -> [String] {
            events.flatMap { report.report(of: $0).output }
        }
        let first = lines(
            .connected(Self.phone, description),
            .keyTrouble(Self.phone, KeyTrouble(.different)),
            .disconnected(Self.phone, .link(.micFailure)))
        #expect(
            first == [
                "● connected to B",
                "● the phone has another key than this device, or another device claims to be it: "
                    + "its bond is kept, and nothing is to be done yet",
            ])
        for _ in 1...70 {
            let others = lines(
                .connected(Self.phone, description),
                .disconnected(Self.phone, .link(.micFailure)))
            #expect(others.isEmpty)
        }
        let lasting = lines(
            .connected(Self.phone, description),
            .keyTrouble(Self.phone, KeyTrouble(.different, isLasting: true)))
        #expect(lasting.count == 1)
        #expect(lasting[0].contains("if it goes on, forget 'Desk' on the phone, type 'pair' here"))
        let healed = lines(
            .secured(
                Self.phone,
                LinkProtection(
                    isEncrypted: true, isAuthenticated: true, usesSecureConnections: true)),
            .disconnected(Self.phone, .linkEnded))
        #expect(healed.count == 1)
    }

    @Test(
        "only lasting trouble advises to forget anything, and says which side",
        arguments: [true, false])
    func advice(isAtBlueZ: Bool) {
        let removal = isAtBlueZ ? "'bluetoothctl remove A' here" : nil
        for kind in [KeyTrouble.Kind.missing, .different, .unknown] {
            for isLasting in [true, false] where kind != .unknown || !isLasting {
                let text = KeyTrouble(kind, isLasting: isLasting).message(
                    of: "Desk", pairing: "run 'ancs pair'", removal: removal)
                #expect(text.contains("forget 'Desk' on the phone") == isLasting)
                #expect(text.contains("if it goes on") == isLasting)
                let removes = isAtBlueZ && (isLasting || kind == .missing)
                #expect(text.contains("bluetoothctl remove") == removes)
            }
        }
    }

    @Test("JSON has the shapes of the contract, a line each", arguments: rows)
    func json(_ row: Row) throws {
        let lines = try Self.report("--json").told(row.event)
        #expect(lines.output.map(Self.core) == row.json)
        for line in lines.output { _ = try JSONValue(parsing: line) }
    }

    @Test("a phone without the service is reported with the settings to check")
    func waitingForService() throws {
        let lines = try Self.report("--name", "Desk").told(.waitingForService(Self.phone))
            .output
        #expect(lines.first == "● the phone does not offer its notifications yet; waiting for them")
        let advice = lines.dropFirst().joined(separator: "\n")
        #expect(advice.contains("next to 'Desk', Share System Notifications"))
        #expect(advice.contains("turn Bluetooth on the iPhone off and on"))
    }

    @Test("attributes that the phone left empty are empty, not absent")
    func emptyAttributes() throws {
        var delivery = Self.bare(.added)
        delivery.attributes = [
            AttributeValue(.title, ""), AttributeValue(.date, ""), AttributeValue(.messageSize, ""),
            AttributeValue(.negativeActionLabel, ""),
        ]
        let lines = try Self.report("--json").told(.notification(Self.session, delivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["title"] == "" && json["date"] == "" && json["messageSize"] == "")
        #expect(json["actions"] == ["negative": ""])
        #expect(json["message"] == nil && json["app"] == nil)
    }

    @Test("what is missing says why")
    func failures() throws {
        var delivery = Self.bare(.added)
        delivery.failure = .refused(ControlPointError(rawValue: 0xA2))
        delivery.displayNameFailure = .timedOut
        let lines = try Self.report("--json").told(.notification(Self.session, delivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["failure"]?["reason"] == "refused")
        #expect(json["failure"]?["attError"] == 162)
        #expect(json["displayNameFailure"]?["reason"] == "timedOut")
    }

    @Test("the result of an action is reported")
    func actions() throws {
        let uid = NotificationUID(rawValue: 7)
        let json = try Self.report("--json")
        #expect(
            json.report(of: .negative, on: uid, in: Self.session, nil).output == [
                #"{"event":"action","uid":7,"action":"negative","result":"performed","time":"T"}"#
            ])
        let failure = RequestError(.sessionEnded)
        #expect(
            json.report(of: .positive, on: uid, in: Self.session, failure).output == [
                #"{"event":"action","uid":7,"action":"positive","result":"failed","#
                    + #""failure":{"reason":"sessionEnded"},"time":"T"}"#
            ])
        #expect(
            try Self.report().report(of: .positive, on: uid, in: Self.session, failure).output == [
                "  positive action on uid 7: failed: the session with the phone has ended"
            ])
    }

    // MARK: For a person

    @Test("a person reads who, what and how to answer")
    func personReads() throws {
        #expect(
            try Self.report().told(.notification(Self.session, Self.call)).output == [
                "+ Phone · Ada !", "    mobile", "    Incoming Call",
                "    uid 7 · incomingCall · 2026-11-21T09:30:00 · ✓ Answer · ✗ Decline",
            ])
        #expect(
            try Self.report().told(.notification(Self.session, Self.bare(.removed))).output == [
                "- social · uid 4294967295"
            ])
    }

    @Test("digits of a passkey are six")
    func digits() throws {
        #expect(
            try Self.report().told(.pairing(Self.phone, .display(PasskeyDisplay(42)))).output
                == ["● type 000042 on the iPhone"])
        #expect(
            try Self.report().told(.pairing(Self.phone, .compare(NumericComparison(999_999))))
                .output
                == ["● does the iPhone show 999999? yes or no:"])
    }

    static let hostile = "\u{1B}]0;x\u{07}\u{9B}31m\r\n\u{202E}\u{2066}\u{0000}\u{7F}\u{2028}"

    /// A notification whose every text does what no text should.
    static let hostileDelivery: NotificationFeed.Delivery = {
        var delivery = call
        let ids: [NotificationAttributeID] = [
            .appIdentifier, .title, .subtitle, .message, .messageSize, .date,
            .positiveActionLabel, .negativeActionLabel,
        ]
        delivery.attributes = ids.map { AttributeValue($0, hostile) }
        delivery.displayName = AttributeValue(AppAttributeID.displayName, hostile)
        return delivery
    }()

    @Test(
        "text from the air never reaches a terminal raw",
        arguments: [[], ["--json"], ["--verbose"]])
    func hostileText(words: [String]) throws {
        let arguments = try ReceiveOptions.syntax.parse(["--hci", "hci-socket:0"] + words)
        let report = ReceiveReport(
            options: try ReceiveOptions(arguments, environment: ["HOME": "/h"]), isColored: false)
        let events: [ConsumerEvent] = [
            .notification(Self.session, Self.hostileDelivery),
            .warning(DeviceWarning(.transport, Self.hostile)),
            .listening(at: Self.hostile),
        ]
        for event in events {
            let lines = report.told(event)
            for line in lines.output + lines.diagnostics {
                #expect(line.unicodeScalars.allSatisfy { !Self.isDangerous($0) }, "\(line.utf8)")
            }
        }
    }

    @Test("what JSON escapes, it gives back")
    func lossless() throws {
        let lines = try Self.report("--json").told(
            .notification(Self.session, Self.hostileDelivery))
        let json = try JSONValue(parsing: try #require(lines.output.first))
        #expect(json["title"]?.string == Self.hostile)
    }

    @Test(
        "a character that a terminal obeys is escaped in JSON, alone as well",
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

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    @Test("colors come only where they are wanted")
    func colors() throws {
        let event = ConsumerEvent.notification(Self.session, Self.call)
        let plain = try Self.report().told(event).output
        #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
        let colored = try Self.report(isColored: true).told(event).output
        #expect(colored.first == "\u{1B}[1m" + plain[0] + "\u{1B}[0m")
    }

    @Test("that a phone has paired says nothing about the store, which may have failed")
    func pairing() throws {
        for option in ["--json", "--verbose", "--remember"] {
            let lines = try Self.report(option).told(
                .paired(
                    Self.phone, .init(address: "A", identity: "B", digest: "D"), replacing: nil))
            #expect((lines.output + lines.diagnostics).allSatisfy { !$0.contains("stored") })
        }
    }

    @Test("stages explain themselves with '--verbose' only; warnings and resets always, and once")
    func diagnostics() throws {
        for event in Self.rows.map(\.event) {
            let isWarning =
                switch event {
                case .warning, .resetting: true
                default: false
                }
            let quiet = try Self.report("--json").told(event).diagnostics
            #expect(quiet.count == (isWarning ? 1 : 0))
            let verbose = try Self.report("--json", "--verbose").told(event).diagnostics
            #expect(verbose.count <= 1 && verbose.allSatisfy { $0.hasPrefix("ancs: ") })
            #expect(!isWarning || verbose == quiet)
        }
        #expect(try Self.report().report(explanation: "why") == ReceiveReport.Lines())
        #expect(
            try Self.report("--verbose").report(explanation: "why").diagnostics == ["ancs: why"])
    }
}

extension ReceiveReport {
    /// What one event brings.
    func told(_ event: ConsumerEvent) -> Lines {
        var report = self
        return report.report(of: event)
    }
}

extension ConsumerEvent {
    /// A notification of a session, with what the session said of it.
    static func notification(
        _ session: SessionID, _ delivery: NotificationFeed.Delivery
    ) -> ConsumerEvent {
        .notification(ReceivedNotification(delivery, session: session))
    }
}
