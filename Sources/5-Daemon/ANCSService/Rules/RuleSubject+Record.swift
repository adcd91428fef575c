package import ANCS
internal import ANCSReceiver
package import JSONText

extension RuleSubject {
    /// The subject for a record of which this much was fetched. An attribute that the phone does not have
    /// counts as empty.
    ///
    /// - Parameters:
    ///   - record: The record, with its code if there is one.
    ///   - known: What was fetched so far.
    ///   - time: The local time.
    ///   - recent: The numbers of recent records.
    init(
        _ record: Record, _ known: ConsumerConfiguration.Selection, at time: LocalTime,
        _ recent: RecentRecords
    ) {
        let notification = record.notification
        self.init(
            phone: record.phone, category: notification.category, flags: notification.flags,
            event: notification.event, isPreExisting: notification.isPreExisting, time: time,
            recent: recent)
        app = notification[.appIdentifier]?.text ?? (known >= .app ? "" : nil)
        appName = notification.app.displayName ?? (known >= .appName ? "" : nil)
        wasSeen = notification.wasSeen
        guard known == .everything else { return }
        texts = Texts(
            title: notification.title, subtitle: notification.subtitle,
            message: notification.message)
        code = record.code
    }

    /// Why a JSON object cannot be evaluated.
    package struct ReadingFault: Error, Equatable, Sendable { package var message: String }

    /// The events that rules apply to, by their names in JSON.
    package static let events: [String: EventID] = [
        "announced": .added, "added": .added, "modified": .modified,
    ]

    /// Parses an object in the format of `ancs receive --json` and of the daemon. An object without any text, such
    /// as one that is `announced` or muted, has only what was fetched. What could not be fetched counts as empty.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - phoneName: The name of the phone, which the object does not contain.
    ///   - time: The local time.
    /// - Throws: Why it is not a record that rules apply to.
    package init(json: JSONValue, phoneName: String?, time: LocalTime) throws(ReadingFault) {
        guard let word = json["event"]?.string else {
            throw ReadingFault(
                message: "not a record: expected an object with \"event\", as 'ancs receive "
                    + "--json' prints it")
        }
        guard let event = Self.events[word] else {
            throw ReadingFault(
                message: "rules do not apply to the event \"\(word.shortened)\": expected "
                    + "announced, added or modified")
        }
        self.init(
            phone: PhoneName(digest: json["phone"]?.string ?? "", name: phoneName),
            category: try Self.category(json), flags: Self.flags(json), event: event,
            isPreExisting: json["preExisting"]?.boolean ?? false, time: time)
        app = json["app"]?["identifier"]?.string
        appName = json["app"]?["displayName"]?.string
        wasSeen = json["seen"]?.boolean
        guard ["title", "subtitle", "message", "failure"].contains(where: { json[$0] != nil })
        else { return }
        let texts = Texts(
            title: json["title"]?.string ?? "", subtitle: json["subtitle"]?.string ?? "",
            message: json["message"]?.string ?? "")
        self.texts = texts
        code = json["code"]?.string ?? OneTimeCode.find(in: texts, category: category)
    }

    private static func category(_ json: JSONValue) throws(ReadingFault) -> CategoryID {
        if let number = json["categoryID"]?.integer, let octet = UInt8(exactly: number) {
            return CategoryID(rawValue: octet)
        }
        let all = (0...UInt8.max).map(CategoryID.init(rawValue:))
        guard let name = json["category"]?.string,
            let category = all.first(where: { $0.description == name })
        else {
            throw ReadingFault(
                message: "the record has no category: expected \"category\" such as \"email\"")
        }
        return category
    }

    private static func flags(_ json: JSONValue) -> EventFlags {
        let names = Set((json["flags"]?.array ?? []).compactMap(\.string))
        return EventFlags(
            (0..<8).map { EventFlags(rawValue: 1 << $0) }.filter {
                !names.isDisjoint(with: $0.names)
            })
    }
}

extension OneTimeCode {
    /// The code in the texts of a notification; `nil` if there is none.
    package static func find(in texts: RuleSubject.Texts, category: CategoryID) -> String? {
        find(
            title: texts.title, subtitle: texts.subtitle, message: texts.message,
            category: category)
    }
}
