internal import ANCS
internal import JSONText

/// A notification as the sessions of a capture show it.
struct SeenNotification {
    /// Its name in the scenario.
    var name: String
    let category: CategoryID
    let flags: EventFlags
    /// What answers said of it: at first, and after each time that it was modified.
    var versions = [Texts()]
    /// Whether a step of the scenario made it; what the accessory did makes others, which steps cannot name.
    var hasStep = true
    /// Whether it was there when the one before it was announced.
    var isTogether = false
    /// The same one in an earlier session.
    var original: Int?
    /// When the accessory asked for an action, and the phone confirmed that.
    var actedOn = false

    /// The values of attributes by their identifiers; one that nobody asked for is not known.
    struct Texts: Equatable {
        private var values: [UInt8: String] = [:]

        subscript(attribute: NotificationAttributeID) -> String? { values[attribute.rawValue] }

        mutating func take(_ attributes: [AttributeValue]) {
            for attribute in attributes {
                values[attribute.id] = String(decoding: attribute.octets, as: UTF8.self)
            }
        }

        /// What MessageSize counts; `nil` if that is not known, or can be the unit before.
        func messageSizeUnit(after unit: String) -> String? {
            guard let text = self[.message], let size = self[.messageSize].flatMap({ Int($0) })
            else { return nil }
            let counts = [
                ("octets", text.utf8.count), ("utf16", text.utf16.count),
                ("scalars", text.unicodeScalars.count),
            ].filter { $0.1 == size }.map(\.0)
            return counts.contains(unit) ? nil : counts.first
        }

        /// Takes what is not known.
        mutating func learn(_ other: Self) { values.merge(other.values) { known, _ in known } }

        /// Whether nothing says that they are of different notifications.
        func agrees(with other: Self) -> Bool {
            // The size of a message is that of the whole one, and says nothing that the message does not.
            values.allSatisfy { id, value in other.values[id].map { $0 == value } ?? true }
        }

        /// The members of a step; those of an attribute that is as it was are left out.
        func members(since before: Self?) -> [JSONValue.Member] {
            func text(_ name: String, _ id: NotificationAttributeID) -> JSONValue.Member? {
                guard let value = self[id], value != before?[id] else { return nil }
                guard !value.isEmpty || before != nil else { return nil }
                return .init(name, .string(value))
            }
            var members = [
                text("app", .appIdentifier), text("title", .title), text("subtitle", .subtitle),
                text("message", .message),
            ].compactMap(\.self)
            if let date = self[.date], date != before?[.date] {
                members.append(.init("date", .string(Self.scenarioDate(date))))
            }
            return members
        }

        /// `20261121T093000` as `2026-11-21T09:30:00`; what is no date is none (S12).
        private static func scenarioDate(_ text: String) -> String {
            NotificationDate(Array(text.utf8)).map { "\($0)" } ?? "none"
        }
    }

    init(name: String, source: NotificationSourceValue) {
        self.name = name
        category = source.categoryID
        flags = source.eventFlags
    }

    /// One that the phone did not announce, which is known by the count of its category.
    init(_ category: CategoryID, unseen number: Int) {
        name = "before.\(category.rawValue).\(number)"
        (self.category, flags) = (category, .negativeAction)
    }

    /// Whether it may be the same as one of an earlier session, whose UIDs do not count any more (R51).
    func mayBe(_ other: Self) -> Bool {
        category == other.category && texts.agrees(with: other.texts)
    }

    /// A later session says more of it.
    mutating func learn(_ texts: Texts) { versions[versions.count - 1].learn(texts) }

    /// What is known of it now.
    var texts: Texts { versions[versions.count - 1] }

    /// What `post` and the list of notifications say of it.
    var members: [JSONValue.Member] {
        let first = versions[0]
        var members = [JSONValue.Member("as", .string(name))] + first.members(since: nil)
        let hasName = category.rawValue <= CategoryID.activeCall.rawValue
        members.append(
            .init("category", hasName ? .string("\(category)") : .integer(Int(category.rawValue))))
        if flags.contains(.silent) { members.append(.init("silent", true)) }
        if flags.contains(.important) { members.append(.init("important", true)) }
        if flags.contains(.positiveAction) {
            members.append(.init("positive", .string(first[.positiveActionLabel] ?? "Open")))
        }
        let negative = flags.contains(.negativeAction) ? first[.negativeActionLabel] ?? "Clear" : ""
        if negative != "Clear" { members.append(.init("negative", .string(negative))) }
        return members
    }

    /// What `ring` says of it.
    var callMembers: [JSONValue.Member] {
        var members = [JSONValue.Member("as", .string(name))]
        if let caller = versions[0][.title] { members.append(.init("from", .string(caller))) }
        if let line = versions[0][.subtitle], !line.isEmpty {
            members.append(.init("line", .string(line)))
        }
        return members
    }
}
