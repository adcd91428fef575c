package import ANCS
internal import ANCSKit
package import JSONText

extension RuleSubject {
    /// A record of which this much was asked for. What could not be had is not waited for: it is empty.
    ///
    /// - Parameters:
    ///   - record: The record, with its code if there is one.
    ///   - known: What was asked for by now.
    ///   - time: What the clock on the wall shows.
    ///   - recent: How many came lately.
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

    /// Why a JSON object cannot be looked at by rules.
    package struct ReadingFault: Error, Hashable, Sendable {
        package var message: String
    }

    /// Reads an object as `ancs receive --json` prints it, and the daemon passes it on. Of one that is
    /// `announced` only the header is known, of others everything.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - phoneName: What the phone is called; the object does not say it.
    ///   - time: What the clock on the wall shows.
    /// - Throws: Why it is not a record that rules are asked about.
    package init(json: JSONValue, phoneName: String?, time: LocalTime) throws(ReadingFault) {
        guard let word = json["event"]?.string else {
            throw ReadingFault(
                message:
                    "not a record: expected an object with \"event\", as 'ancs receive --json' "
                    + "prints it")
        }
        let events: [String: EventID] = [
            "announced": .added, "added": .added, "modified": .modified,
        ]
        guard let event = events[word] else {
            throw ReadingFault(
                message: "rules are not asked about the event \"\(word.shortened)\": expected "
                    + "announced, added or modified")
        }
        self.init(
            phone: PhoneName(digest: json["phone"]?.string ?? "", name: phoneName),
            category: try Self.category(json), flags: Self.flags(json), event: event,
            isPreExisting: json["preExisting"]?.boolean ?? false, time: time)
        app = json["app"]?["identifier"]?.string
        appName = json["app"]?["displayName"]?.string
        wasSeen = json["seen"]?.boolean
        guard word != "announced" else { return }
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
    /// The code in the texts of a notification; `nil` where there is none.
    package static func find(
        in texts: RuleSubject.Texts, category: CategoryID
    ) -> String? {
        find(
            title: texts.title, subtitle: texts.subtitle, message: texts.message,
            category: category)
    }
}
