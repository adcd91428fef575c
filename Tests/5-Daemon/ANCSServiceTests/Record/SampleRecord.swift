import ANCS
@testable import ANCSService
import HCITransports
import LinuxIO

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Records for tests.
enum SampleRecord {
    /// 2026-11-22T12:00:00Z, in microseconds since 1970.
    static let noon: Int64 = 1_795_348_800_000_000

    /// What an iPhone says of a message.
    static func attributes(
        app: String = "com.apple.MobileSMS", title: String = "Mum", message: String = "Come home",
        date: String = "20261122T120000"
    ) -> [AttributeValue] {
        [
            AttributeValue(.appIdentifier, app), AttributeValue(.title, title),
            AttributeValue(.subtitle, ""), AttributeValue(.message, message),
            AttributeValue(.messageSize, String(message.utf8.count)),
            AttributeValue(.date, date),
        ]
    }

    /// A record of a phone's first session.
    static func make(
        id: UInt64 = 59_719_680_123, uid: UInt32 = 7, event: EventID = .added,
        category: CategoryID = .social, flags: EventFlags = [],
        attributes: [AttributeValue] = SampleRecord.attributes(), name: String? = "Messages",
        phone: String = "0123456789abcdef", time: Int64 = noon,
        verdict: RuleVerdict = RuleVerdict(),
        utcOffset: UTCOffset? = nil
    ) -> Record {
        let source = NotificationSourceValue(
            eventID: event, eventFlags: flags, categoryID: category, categoryCount: 1,
            notificationUID: NotificationUID(rawValue: uid))
        var delivery = NotificationFeed.Delivery(source: source)
        delivery.attributes = attributes
        delivery.utcOffset = utcOffset
        delivery.displayName = name.map { AttributeValue(AppAttributeID.displayName, $0) }
        let session = SessionID(provider: PhoneID(rawValue: 1), number: 3)
        return Record(
            id: RecordID(rawValue: id), phone: PhoneName(digest: phone, name: "iPhone of Ada"),
            notification: ReceivedNotification(delivery, session: session),
            time: CaptureTime(microsecondsSince1970: time), verdict: verdict)
    }
}
