import ANCS
import Testing

@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSReceiver
@testable import CommandKit
@testable import Printing

/// What `ancs receive` prints about actions and stages, and the samples of its other tests.
@Suite struct ReceiveReportTests {
    static let phone = PhoneID(rawValue: 1)
    static let session = SessionID(provider: phone, number: 1)

    static func report(_ words: String..., isColored: Bool = false) throws -> ReceiveReport {
        let arguments = try ReceiveOptions.syntax.parse(["--hci", "hci-socket:0"] + words)
        return ReceiveReport(
            options: try ReceiveOptions(arguments, environment: ["HOME": "/h"]),
            isColored: isColored, time: { CaptureTime(microsecondsSince1970: 0) })
    }

    /// The same line without the time, the phone and the session, which come last.
    static func core(_ line: String) -> String {
        guard let end = line.firstRange(of: #","time":"1970-01-01T00:00:00.000Z""#) else {
            return line
        }
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

    @Test("the result of an action is reported")
    func actions() throws {
        let uid = NotificationUID(rawValue: 7)
        let json = try Self.report("--json")
        #expect(
            json.report(of: .negative, on: uid, in: Self.session, nil).output == [
                #"{"event":"action","uid":7,"action":"negative","result":"performed","#
                    + #""time":"1970-01-01T00:00:00.000Z"}"#
            ])
        let failure = RequestError(.sessionEnded)
        #expect(
            json.report(of: .positive, on: uid, in: Self.session, failure).output == [
                #"{"event":"action","uid":7,"action":"positive","result":"failed","#
                    + #""failure":{"reason":"sessionEnded"},"time":"1970-01-01T00:00:00.000Z"}"#
            ])
        #expect(
            try Self.report().report(of: .positive, on: uid, in: Self.session, failure).output == [
                "  positive action on uid 7: failed: the session with the phone has ended"
            ])
    }

    @Test("stages explain themselves with '--verbose' only; warnings and resets always, and once")
    func diagnostics() throws {
        for event in ReceiveJSONTests.rows.map(\.event) {
            let isWarning =
                switch event {
                case .device(.warning), .device(.resetting): true
                default: false
                }
            let quiet = try Self.report("--json").told(event).diagnostics
            #expect(quiet.count == (isWarning ? 1 : 0))
            let verbose = try Self.report("--json", "--verbose").told(event).diagnostics
            #expect(verbose.count <= 1 && verbose.allSatisfy { $0.hasPrefix("ancs: ") })
            #expect(!isWarning || verbose == quiet)
        }
    }
}

extension ReceiveReport {
    /// What one event brings.
    func told(_ event: ConsumerEvent) -> Printed {
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
