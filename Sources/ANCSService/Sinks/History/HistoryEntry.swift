package import ANCS
internal import ANCSKit
package import JSONText
package import LinuxIO

/// A notification as the history keeps it. Its texts came over the air and are untrusted.
package struct HistoryEntry: Hashable, Sendable {
    /// The record that it is of; of several of the same notification the last one.
    package var id: RecordID
    package var phone: PhoneName
    /// When it came first, by UTC.
    package var time: CaptureTime
    package var category: CategoryID
    package var flags: EventFlags
    /// What names the app; `nil` where it was not fetched.
    package var app: String?
    package var appName: String?
    /// The texts, and the phone's date as it sent it; `nil` where they were not fetched or are not kept.
    package var title: String?
    package var subtitle: String?
    package var message: String?
    package var date: String?
    /// What tells it from other notifications, where its content does; see ``HistoryStore``.
    var identity: [UInt8]?
    /// Whether the phone had it before the session, so that an entry of an earlier one may be of the same.
    var mayBeKnown = false
    /// The record of an earlier session that is the same.
    var sameAs: RecordID?

    /// What is kept of a record: all of it, or without its texts.
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
        date = Self.text(of: notification[.date])
        // Without a date two calls of the same person are alike (S12).
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

    /// What of it is searched: the name of the app and the texts.
    var words: String {
        [appName, title, subtitle, message].compactMap { $0 }.map { SearchWords.words(of: $0) }
            .joined(separator: " ")
    }

    private static func text(of value: AttributeValue?) -> String? {
        value.map { repaired($0.text) }
    }

    /// Without zeros, at which C's functions end a text.
    private static func repaired(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }

    /// One object, with the names of ``Record/json(event:)`` for what is the same there. What is not kept is absent.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .string(id.description)),
            .init("time", .string(time.text(fractionDigits: 3))),
            .init("phone", .string(phone.digest)),
        ]
        if let name = phone.name { members.append(.init("phoneName", .string(name))) }
        members += [
            .init("flags", .array(flags.names.map { .string($0) })),
            .init("category", .string(category.description)),
            .init("categoryID", .integer(Int(category.rawValue))),
        ]
        if let app {
            let name = appName.map { [JSONValue.Member("displayName", .string($0))] } ?? []
            members.append(.init("app", .object([.init("identifier", .string(app))] + name)))
        }
        for (name, text) in [("title", title), ("subtitle", subtitle), ("message", message)] {
            if let text { members.append(.init(name, .string(text))) }
        }
        if let date {
            let text = NotificationDate(Array(date.utf8))?.description ?? date
            members.append(.init("date", .string(text)))
        }
        return .object(members)
    }
}

/// What is looked for in a history.
package struct HistoryQuery: Hashable, Sendable {
    /// Words that the app's name or the texts have, each at the beginning of one of theirs; empty for any text.
    package var text = ""
    /// An app's identifier.
    package var app: String?
    /// What came then or later, by UTC.
    package var since: CaptureTime?
    /// Whether missed calls alone.
    package var isMissedCalls = false
    /// How many at most, of the latest.
    package var limit = 50

    package init() {}
}

/// Which entries of a history are to go.
package enum HistoryRemoval: Hashable, Sendable {
    case all
    /// Those before a time.
    case before(CaptureTime)
    /// Those of a phone, by its digest.
    case phone(String)
    /// Those of an app, by its identifier.
    case app(String)
    case record(RecordID)
    /// All but so many of the latest.
    case allBut(Int)
}
