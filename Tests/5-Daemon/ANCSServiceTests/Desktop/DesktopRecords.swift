import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService
import HCITransports
import LinuxIO

extension Record {
    /// A record as a phone and the rules make it: a message that can be cleared, where nothing else is said.
    static func onDesktop(
        _ number: UInt64, _ category: CategoryID = .social,
        flags: EventFlags = .negativeAction, app: String = "Messages", title: String = "Ann",
        subtitle: String = "", message: String = "Hello", positive: String = "",
        negative: String = "Clear", seen: Bool? = nil, phone: String = "0123456789abcdef",
        identifier: String = "com.apple.MobileSMS"
    ) -> Record {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: .added, eventFlags: flags, categoryID: category,
                notificationUID: NotificationUID(rawValue: UInt32(truncatingIfNeeded: number))))
        delivery.attributes = [
            AttributeValue(.appIdentifier, identifier),
            AttributeValue(.title, title), AttributeValue(.subtitle, subtitle),
            AttributeValue(.message, message), AttributeValue(.positiveActionLabel, positive),
            AttributeValue(.negativeActionLabel, negative),
        ]
        delivery.displayName = AttributeValue(AppAttributeID.displayName, app)
        delivery.wasSeen = seen
        return onDesktop(number, delivery, phone)
    }

    /// A call of which only the header came.
    static func ringing(
        _ number: UInt64, flags: EventFlags = [.positiveAction, .negativeAction, .important]
    ) -> Record {
        let source = NotificationSourceValue(
            eventID: .added, eventFlags: flags, categoryID: .incomingCall,
            notificationUID: NotificationUID(rawValue: UInt32(truncatingIfNeeded: number)))
        return onDesktop(number, NotificationFeed.Delivery(source: source), "0123456789abcdef")
    }

    /// The same call with its text.
    static func call(
        _ number: UInt64, from caller: String = "Mum",
        flags: EventFlags = [.positiveAction, .negativeAction, .important]
    ) -> Record {
        .onDesktop(
            number, .incomingCall, flags: flags, app: "Phone", title: caller,
            message: "Incoming Call", positive: "Accept", negative: "Reject")
    }

    private static func onDesktop(
        _ number: UInt64, _ delivery: NotificationFeed.Delivery, _ phone: String
    ) -> Record {
        Record(
            id: RecordID(rawValue: number), phone: PhoneName(digest: phone, name: "Ann's iPhone"),
            notification: ReceivedNotification(
                delivery, session: SessionID(provider: PhoneID(rawValue: 1), number: 1)),
            time: CaptureTime(microsecondsSince1970: 0))
    }

    /// The same with something else.
    func with(_ change: (inout Record) -> Void) -> Record {
        var record = self
        change(&record)
        return record
    }
}
