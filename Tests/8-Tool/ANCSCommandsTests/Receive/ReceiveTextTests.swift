import ANCS
import Testing

@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSReceiver
@testable import CommandKit
@testable import Printing

/// What `ancs receive` prints for a person.
@Suite struct ReceiveTextTests {
    private typealias Samples = ReceiveReportTests

    @Test("a line shows the app, the text and how to answer")
    func personReads() throws {
        #expect(
            try Samples.report().told(.notification(Samples.session, Samples.call)).output == [
                "+ Phone · Ada !", "    mobile", "    Incoming Call",
                "    uid 7 · incomingCall · 2026-11-21T09:30:00 · ✓ Answer · ✗ Decline",
            ])
        #expect(
            try Samples.report().told(.notification(Samples.session, Samples.bare(.removed))).output
                == [
                    "- social · uid 4294967295"
                ])
    }

    @Test("a phone without the service is reported with the settings to check")
    func waitingForService() throws {
        let lines = try Samples.report("--name", "Desk").told(
            .session(Samples.phone, .waitingForService)
        )
        .output
        #expect(lines.first == "● the phone does not offer its notifications yet; waiting for them")
        let advice = lines.dropFirst().joined(separator: "\n")
        #expect(advice.contains("next to 'Desk', Share System Notifications"))
        #expect(advice.contains("turn Bluetooth on the iPhone off and on"))
    }

    @Test("colors come only where they are wanted")
    func colors() throws {
        let event = ConsumerEvent.notification(Samples.session, Samples.call)
        let plain = try Samples.report().told(event).output
        #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
        let colored = try Samples.report(isColored: true).told(event).output
        #expect(colored.first == "\u{1B}[1m" + plain[0] + "\u{1B}[0m")
    }

    @Test("an escape is shown once, in a diagnostic too")
    func escapedOnce() throws {
        let lines = try Samples.report("--verbose").told(
            .peer(Samples.phone, .named(#"a\b"# + "\u{1B}")))
        #expect(lines.diagnostics == [#"ancs: its name is a\\b\u{1B}"#])
    }

    static let hostile = "\u{1B}]0;x\u{07}\u{9B}31m\r\n\u{202E}\u{2066}\u{0000}\u{7F}\u{2028}"

    /// A notification whose every text does what no text should.
    static let hostileDelivery: NotificationFeed.Delivery = {
        var delivery = Samples.call
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
            .notification(Samples.session, Self.hostileDelivery),
            .device(.warning(DeviceWarning(.transport, Self.hostile))),
            .device(.listening(at: Self.hostile)),
        ]
        for event in events {
            let lines = report.told(event)
            for line in lines.output + lines.diagnostics {
                #expect(line.unicodeScalars.allSatisfy { !Self.isDangerous($0) }, "\(line.utf8)")
            }
        }
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    @Test("a date has the phone's offset from UTC only where it is not the one here")
    func offsets() throws {
        var delivery = Samples.call
        func date(_ offset: Int?, here: Int?) throws -> String {
            delivery.utcOffset = offset.flatMap { UTCOffset(minutes: $0) }
            let notification = ReceivedNotification(delivery, session: Samples.session)
            let seconds = 1_795_253_400 - (offset ?? 0) * 60
            let report = NotificationReport(notification: notification) {
                $0 == seconds ? here.flatMap { UTCOffset(minutes: $0) } : nil
            }
            return report.details()[2]
        }
        #expect(try date(nil, here: 60) == "2026-11-21T09:30:00")
        #expect(try date(60, here: 60) == "2026-11-21T09:30:00")
        #expect(try date(540, here: 60) == "2026-11-21T09:30:00+09:00")
        #expect(try date(0, here: 60) == "2026-11-21T09:30:00+00:00")
        #expect(try date(-210, here: nil) == "2026-11-21T09:30:00-03:30")
        delivery.attributes = [AttributeValue(.date, "yesterday\u{1B}[2J")]
        #expect(try date(540, here: 60) == "yesterday\u{1B}[2J")
    }
}
