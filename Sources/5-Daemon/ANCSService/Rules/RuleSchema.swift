internal import Kinds
internal import ANCS

/// A key of `match`: used to read, suggest and document it.
struct RuleKey: Sendable {
    let name: String
    /// The valid values.
    let expected: String
    /// The words, numbers and truths among them; any other value is a text.
    let schema: SchemaFragment
    /// How much of a record must be known to evaluate it; `nil` if that depends on its contents.
    let knowledge: NotificationFeed.Selection?
    /// When it holds, for the documentation.
    let help: String
    let read: @Sendable (TOMLValue, inout ConfigurationComplaints) -> RuleCondition?

    init<Value>(
        _ name: String, _ knowledge: NotificationFeed.Selection?, _ kind: Kind<Value>,
        _ help: String, _ condition: @escaping @Sendable (Value) -> RuleCondition
    ) {
        (self.name, self.knowledge, self.help) = (name, knowledge, help)
        expected = kind.expected
        schema = kind.schema
        read = { value, complaints in kind.read(value, &complaints).map(condition) }
    }

    /// A table of other keys of which one does not hold.
    init(negation name: String, expected: String, _ help: String) {
        self.name = name
        knowledge = nil
        self.help = help
        self.expected = expected
        schema = .text
        read = { value, complaints in
            RuleReader.conditions(in: value, &complaints).map(RuleCondition.not)
        }
    }
}

/// The keys of `[[rule]]`.
enum RuleSchema {
    /// The keys of a rule.
    static let rule: [ConfigurationKey<Rule>] = [
        .init(
            "name", .text(octets: 1...64), \.name, "its name; default: `rule` and its number"),
        .init(
            name: "match", expected: "a table", standard: "",
            help: "which records it matches; default: all"
        ) { value, rule, complaints in
            rule.conditions = RuleReader.conditions(in: value, &complaints) ?? []
        },
        .init(name: "do", expected: "a list", standard: "", help: "what happens to them") {
            value, rule, complaints in
            rule.effects = RuleActionReader.effects(in: value, &complaints)
        },
        .init(
            "continue", .boolean, \.continues,
            "whether later rules are tried too; default: `false`"),
    ]

    /// The keys of `match`.
    static let keys: [RuleKey] = header + app + text + [negation]

    private static let header = [
        RuleKey(
            "phone", .nothing, .oneOrMore(.glob), "the name of the phone, or its 16 digits",
            RuleCondition.phone),
        RuleKey(
            "category", .nothing, .oneOrMore(.category), "the category", RuleCondition.category),
        RuleKey(
            "flags", .nothing, .oneOrMore(.flag), "one of these flags is set", RuleCondition.flags),
        RuleKey(
            "event", .nothing, .oneOrMore(.event), "it is new, or has changed", RuleCondition.event),
        RuleKey(
            "time", .nothing, .oneOrMore(.timeOfDay),
            "the time of day; `22:00-07:00` goes past midnight"
        ) { .schedule(Schedule(times: $0)) },
        RuleKey(
            "days", .nothing, .oneOrMore(.days),
            "the day of the week; with a `time` that goes past midnight, the day on which that began"
        ) { .schedule(Schedule(days: Set($0.joined()))) },
        RuleKey(
            "burst", .nothing, .burst,
            "`5/10s`: more than 5 records of this phone within 10 seconds",
            RuleCondition.burst),
    ]

    private static let app = [
        RuleKey("app", .app, .oneOrMore(.appGlob), "the identifier of the app", RuleCondition.app),
        RuleKey(
            "app-name", .appName, .oneOrMore(.glob), "what the phone calls the app",
            RuleCondition.appName),
    ]

    private static let text = [
        search(.title, "the title"), search(.subtitle, "the subtitle"),
        search(.message, "the message"), search(.text, "the title, the subtitle or the message"),
        search(.caller, "the title of a ringing, active or missed call"),
        RuleKey(
            "number", .everything, .oneOrMore(.dialedNumber),
            "the title is this telephone number: the digits are equal or, of 7 or more, end the other's",
            RuleCondition.number),
        RuleKey(
            "seen", .everything, .boolean, "whether an earlier session has delivered the same",
            RuleCondition.seen),
        RuleKey(
            "code", .everything, .boolean, "whether there is a one-time code in the text",
            RuleCondition.code),
    ]

    private static func search(_ text: SearchedText, _ help: String) -> RuleKey {
        RuleKey(text.rawValue, .everything, .oneOrMore(.pattern), help) { .search(text, $0) }
    }

    private static let negation = RuleKey(
        negation: "not", expected: "a table of the same keys",
        "at least one key in it does not hold")
}

extension Kind<Glob> {
    /// A name with stars and question marks.
    static let glob = Kind.text(
        "a name of 1 to \(Glob.maximumCount) octets, in which * stands for any characters and ? "
            + "for one"
    ) { Glob($0) }

    /// A pattern for app identifiers: letters, digits, periods, hyphens, and stars; also underscores, which
    /// other systems allow.
    static let appGlob = Kind.text(
        "the identifier of an app such as \"com.example.chat\" or \"com.example.*\" (app-name "
            + "matches its name)"
    ) { text in
        guard text.isASCIIWord(with: ".-_*?") else { return nil }
        return Glob(text)
    }
}

extension Kind<DialedNumber> {
    static let dialedNumber = Kind.text("a telephone number such as \"+1 555 010-0100\"") {
        DialedNumber($0)
    }
}

extension Kind<CategoryID> {
    static let category = Kind.quotedWord(
        of: (0...12).map(CategoryID.init(rawValue:)).map { ($0.description, $0) })
}

extension Kind<EventFlags> {
    static let flag = Kind.quotedWord(
        of: (0..<5).map { EventFlags(rawValue: 1 << $0) }.map { ($0.names[0], $0) })
}

extension Kind<EventID> {
    // Rules are not evaluated when a notification is removed.
    static let event = Kind.quotedWord(of: [("added", .added), ("modified", .modified)])
}

extension Kind<TimeOfDay> {
    static let timeOfDay = Kind.text("a part of the day such as \"22:00-07:00\"") { TimeOfDay($0) }
}

extension Kind<[Weekday]> {
    /// A day or a range of days.
    static let days = Kind.text("a day such as \"mon\", or days such as \"mon-fri\"") { text in
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let days = parts.compactMap { part in Weekday.allCases.first { $0.description == part } }
        guard days.count == parts.count, let first = days.first, let last = days.last,
            days.count <= 2
        else { return nil }
        // "sat-mon" passes Sunday.
        let length = (last.rawValue - first.rawValue + 7) % 7
        return (0...length).compactMap { Weekday(rawValue: (first.rawValue + $0) % 7) }
    }
}

extension Kind<Burst> {
    static let burst = Kind.text(
        "a number and a time such as \"5/10s\", at most \(Burst.maximumCount) and \"1h\""
    ) { Burst($0) }
}

extension Kind<Pattern> {
    static let pattern = Kind(
        "a regular expression, best in single quotes, such as '(?i)invoice'"
    ) { value, mistakes in
        guard let text = value.string else {
            mistakes.append(Mismatch(expected: "a regular expression in quotes"))
            return nil
        }
        do throws(Pattern.Fault) { return try Pattern(text) } catch {
            let fault =
                "the regular expression does not compile: \(error.message) at character "
                + "\(error.offset + 1) of \"\(text.shortened)\""
            mistakes.append(Mismatch(.message(fault), offset: error.offset))
            return nil
        }
    }
}

extension ConfigurationComplaints {
    /// The place in the file of a character of a string, if the file contains the string unchanged; otherwise
    /// the start of the string.
    func place(of offset: Int, in string: String, _ start: TextPlace) -> TextPlace {
        let lines = text.split(
            separator: UInt8(ascii: "\n"), maxSplits: start.line, omittingEmptySubsequences: false)
        guard start.line <= lines.count else { return start }
        let line = String(decoding: lines[start.line - 1], as: UTF8.self).unicodeScalars
        let written = Array(line.dropFirst(start.column - 1))
        let before = Array(string.unicodeScalars.prefix(offset))
        for quotes in [3, 1] {
            let opening = written.prefix(quotes)
            guard opening.count == quotes, opening.allSatisfy({ $0 == "'" || $0 == "\"" }),
                written.dropFirst(quotes).starts(with: before)
            else { continue }
            return TextPlace(line: start.line, column: start.column + quotes + offset)
        }
        return start
    }
}
