internal import ANCS
internal import ANCSService

/// The changes to a notification in the words of `post` and `modify`, such as `title=Ada` and `silent`.
struct NotificationChange: Hashable, Sendable {
    /// A word that has no meaning here, with the reason in one sentence.
    struct Fault: Error {
        var message: String
    }

    /// The words that can precede a `=`.
    static let keys = [
        "title", "subtitle", "message", "category", "date", "positive", "negative",
    ]
    /// The words that stand alone; the prefix `no-` negates them.
    static let flags = ["silent", "important"]

    var title: String?
    var subtitle: String?
    var message: String?
    var category: CategoryID?
    /// `nil` leaves the date alone; an empty date (`.some(nil)`) removes it.
    var date: NotificationDate??
    /// An empty label removes the action.
    var positive: String?
    var negative: String?
    var isSilent: Bool?
    var isImportant: Bool?

    init() {}

    /// Parses one word. Returns `false` if it is neither a setting nor a flag.
    mutating func take(_ word: String) throws(Fault) -> Bool {
        switch word {
        case "silent": isSilent = true
        case "no-silent": isSilent = false
        case "important": isImportant = true
        case "no-important": isImportant = false
        default:
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let key = parts.first.map(String.init) else { return false }
            guard Self.keys.contains(key) else {
                guard Self.looksLikeKey(key) else { return false }
                throw Self.unknown(key, of: word)
            }
            try set(key, to: String(parts[1]))
        }
        return true
    }

    private static func looksLikeKey(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }

    private static func unknown(_ key: String, of word: String) -> Fault {
        let meant = NearestWord.of(key, in: keys).map { "; did you mean '\($0)'?" } ?? "."
        return Fault(
            message: "'\(key)' is not a key\(meant) The keys are \(keys.joined(separator: ", ")). "
                + "Write a title that contains '=' as title=\(PromptWords.quoted(word))")
    }

    private mutating func set(_ key: String, to value: String) throws(Fault) {
        switch key {
        case "title": title = value
        case "subtitle": subtitle = value
        case "message": message = value
        case "positive": positive = value
        case "negative": negative = value
        case "category":
            guard let category = CategoryID(name: value) else {
                throw Fault(
                    message: "'\(value)' is not a category: 0 to 255, or \(CategoryID.names)")
            }
            self.category = category
        default:
            guard value.isEmpty || NotificationDate(written: value) != nil else {
                throw Fault(message: "'\(value)' is not a date such as 2026-11-21T09:30:00")
            }
            date = .some(NotificationDate(written: value))
        }
    }

    /// Applies the changes.
    func apply(to notification: inout ProviderNotification) {
        if let title { notification.title = Array(title.utf8) }
        if let subtitle { notification.subtitle = Array(subtitle.utf8) }
        if let message { notification.message = Array(message.utf8) }
        if let category { notification.categoryID = category }
        if let date { notification.date = date }
        if let positive { notification.positiveActionLabel = Self.label(positive) }
        if let negative { notification.negativeActionLabel = Self.label(negative) }
        if let isSilent { notification.isSilent = isSilent }
        if let isImportant { notification.isImportant = isImportant }
    }

    private static func label(_ text: String) -> [UInt8]? { text.isEmpty ? nil : Array(text.utf8) }
}

extension CategoryID {
    private static let named = (UInt8(0)...12).map { CategoryID(rawValue: $0) }

    /// The names of the categories, for a message.
    static var names: String { allNames.joined(separator: ", ") }

    static var allNames: [String] { named.map(\.description) }

    /// The category with a name or a number.
    init?(name: String) {
        if let number = UInt8(name) {
            self.init(rawValue: number)
        } else if let known = Self.named.first(where: { $0.description == name }) {
            self = known
        } else {
            return nil
        }
    }
}

extension NotificationDate {
    /// Parses a date such as `2026-11-21T09:30:00`.
    init?(written text: String) {
        let fields = text.split(omittingEmptySubsequences: false) { "-T:".contains($0) }
        let numbers = fields.compactMap { Int($0) }
        guard fields.count == 6, numbers.count == 6 else { return nil }
        self.init(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
            minute: numbers[4], second: numbers[5])
    }
}
