internal import ANCS
internal import JSONText

extension NotificationContent {
    /// What a notification may have.
    static let members = [
        "app", "category", "title", "subtitle", "message", "date", "positive", "negative", "silent",
        "important",
    ]

    /// The content that the members of an object say.
    init(reading object: DocumentObject, round: Int?) throws(DocumentError) {
        if let app = object["app"] {
            let identifier = try app.name("an app identifier").numbered(round)
            guard (try? AppIdentifier(identifier)) != nil else {
                throw app.error(expected: DocumentCursor.appIdentifier)
            }
            self.app = identifier
        }
        category = try object["category"].map(Self.category)
        title = try object["title"]?.string().numbered(round)
        subtitle = try object["subtitle"]?.string().numbered(round)
        message = try object["message"]?.string().numbered(round)
        date = try object["date"].map(Self.date)
        positive = try object["positive"]?.string("a label").numbered(round)
        negative = try object["negative"]?.string("a label").numbered(round)
        isSilent = try object["silent"]?.boolean()
        isImportant = try object["important"]?.boolean()
    }

    private static let categories: [(String, CategoryID)] = (0...12).map { (value: UInt8) in
        let id = CategoryID(rawValue: value)
        return (id.description, id)
    }

    static func category(_ cursor: DocumentCursor) throws(DocumentError) -> CategoryID {
        if let number = cursor.value.integer, let octet = UInt8(exactly: number) {
            return CategoryID(rawValue: octet)
        }
        return try cursor.word(of: categories, "a number from 0 to 255 or a category")
    }

    private static func date(_ cursor: DocumentCursor) throws(DocumentError) -> DateChoice {
        let what = "\"now\", \"none\" or a date such as \"2026-11-21T09:30:00\""
        switch try cursor.string(what) {
        case "now": return .now
        case "none": return .none
        case let text:
            guard let date = NotificationDate(scenarioText: text) else {
                throw cursor.error(expected: what)
            }
            return .at(date)
        }
    }
}

extension NotificationDate {
    /// A date as scenarios write it: `2026-11-21T09:30:00`.
    fileprivate init?(scenarioText text: String) {
        let octets = Array(text.utf8)
        let marks: [Int: UInt8] = [
            4: UInt8(ascii: "-"), 7: UInt8(ascii: "-"), 13: UInt8(ascii: ":"),
            16: UInt8(ascii: ":"),
        ]
        guard octets.count == 19, marks.allSatisfy({ octets[$0.key] == $0.value }) else {
            return nil
        }
        // What is left is the form on the wire (R34).
        let wire = octets.enumerated().filter { marks[$0.offset] == nil }.map(\.element)
        self.init(wire)
    }
}
