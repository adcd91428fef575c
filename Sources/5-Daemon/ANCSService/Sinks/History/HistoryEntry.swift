package import ANCS
internal import ANCSReceiver
package import Kinds

/// A notification as the history stores it. Its texts come from the phone and are untrusted.
package struct HistoryEntry: Equatable, Sendable {
    /// The record; if there were several for the notification, the last one.
    package var id: RecordID
    package var phone: PhoneName
    /// When it first arrived, in UTC.
    package var time: CaptureTime
    package var category: CategoryID
    package var flags: EventFlags
    /// The identifier of the app; `nil` if it was not fetched.
    package var app: String?
    package var appName: String?
    /// The texts, and the date: with its offset from UTC, if that was known, otherwise as received; `nil` if
    /// they were not fetched or are not stored.
    package var title: String?
    package var subtitle: String?
    package var message: String?
    package var date: String?
    /// The content that identifies it; see ``HistoryStore``.
    var identity: [UInt8]?
    /// Whether the phone had it before the session, so that an earlier entry may be for the same
    /// notification.
    var mayBeKnown = false
    /// The record of an earlier session for the same notification.
    var sameAs: RecordID?

    /// The entry for a record, with or without its texts.
    package init(_ record: Record, withTexts: Bool) {
        let notification = record.notification
        id = record.id
        sameAs = record.sameAs
        phone = record.phone
        time = record.time
        category = notification.category
        flags = notification.flags
        app = Self.text(of: notification[.appIdentifier])
        appName = notification.app.displayName.map(Self.repaired)
        guard withTexts else { return }
        title = Self.text(of: notification[.title])
        subtitle = Self.text(of: notification[.subtitle])
        message = Self.text(of: notification[.message])
        date = Self.date(of: notification)
        // Without a date, two calls from the same person have the same content (S12).
        guard let date, !date.isEmpty else { return }
        identity = notification.delivery.identifyingOctets
        mayBeKnown = notification.isPreExisting
    }

    init(row: SQLiteRow) {
        id = RecordID(rawValue: UInt64(bitPattern: row.number(0) ?? 0))
        time = CaptureTime(microsecondsSince1970: row.number(1) ?? 0)
        category = CategoryID(rawValue: UInt8(truncatingIfNeeded: row.number(2) ?? 0))
        flags = EventFlags(rawValue: UInt8(truncatingIfNeeded: row.number(3) ?? 0))
        phone = PhoneName(digest: row.text(4) ?? "", name: row.text(5))
        app = row.text(6)
        appName = row.text(7)
        date = row.text(8)
        title = row.text(9)
        subtitle = row.text(10)
        message = row.text(11)
    }

    /// The searched texts: the name of the app and the texts.
    var words: String {
        [appName, title, subtitle, message].compactMap { $0 }.map { SearchWords.indexed($0) }
            .joined(separator: " ")
    }

    private static func date(of notification: ReceivedNotification) -> String? {
        guard let date = notification.date, let offset = notification.utcOffset else {
            return text(of: notification[.date])
        }
        return date.text(at: offset)
    }

    private static func text(of value: AttributeValue?) -> String? {
        value.map { repaired($0.text) }
    }

    /// The text with NUL replaced, because NUL ends a string in C.
    private static func repaired(_ text: String) -> String { text.replacing { $0 == "\0" } }

    /// An object with the names of ``Record/json(event:)``. What is not stored is absent.
    package static let form = ObjectForm<Self>(
        .text("id", .recordID, \.id.description),
        .text("time", .time) { $0.time.text(fractionDigits: 3) },
        .text("phone", .phone, \.phone.digest), .text("phoneName?", \.phone.name),
        .texts("flags", .flags, \.flags.names), .text("category", \.category.description),
        .number("categoryID", .octet) { Int($0.category.rawValue) },
        .init("app?", .app) { entry in
            entry.app.map { app in
                .object(present: [
                    "identifier": .string(app), "displayName": entry.appName.map { .string($0) },
                ])
            }
        }, .text("title?", \.title), .text("subtitle?", \.subtitle),
        .text("message?", \.message),
        .text("date?") { $0.date.map { NotificationDate(Array($0.utf8))?.description ?? $0 } })

    package var json: JSONValue { Self.form.json(of: self) }
}

/// A query of the history.
package struct HistoryQuery: Equatable, Sendable {
    /// Words in the app's name or the texts, each at the start of a word; empty for any text.
    package var text = ""
    /// An app's identifier.
    package var app: String?
    /// The earliest time, in UTC.
    package var since: CaptureTime?
    /// Whether to return only missed calls.
    package var isMissedCalls = false
    /// The maximum number of entries, the latest ones.
    package var limit = 50

    package init() {}
}

/// The entries to remove.
package enum HistoryRemoval: Equatable, Sendable {
    case all
    /// Those before a time.
    case before(CaptureTime)
    /// Those of a phone, by its digest.
    case phone(String)
    /// Those of an app, by its identifier.
    case app(String)
    case record(RecordID)
    /// All but the latest ones, of which this many stay.
    case allBut(Int)
}
