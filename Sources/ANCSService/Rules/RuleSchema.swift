internal import ANCS

/// A key of `match`: used to read, suggest and document it.
struct RuleKey: Sendable {
    let name: String
    /// The valid values.
    let expected: String
    /// How much of a record must be known to evaluate it; `nil` if that depends on its contents.
    let knowledge: RuleKnowledge?
    /// When it holds, for the documentation.
    let help: String
    let read: @Sendable (TOMLValue, inout ConfigurationComplaints) -> RuleCondition?

    init<Value>(
        _ name: String, _ knowledge: RuleKnowledge?, _ kind: ConfigurationKind<Value>,
        _ help: String,
        _ condition: @escaping @Sendable (Value) -> RuleCondition
    ) {
        self.name = name
        self.knowledge = knowledge
        self.help = help
        expected = kind.expected
        read = { value, complaints in kind.read(value, &complaints).map(condition) }
    }
}

/// The keys of `[[rule]]`.
enum RuleSchema {
    /// The keys of a rule, their values, and what they are for.
    static let rule: [(name: String, expected: String, help: String)] = [
        ("name", "a string of 1 to 64 octets", "its name; default: `rule` and its number"),
        ("match", "a table", "which records it matches; default: all"),
        ("do", "a list", "what happens to them"),
        ("continue", "true or false", "whether later rules are tried too; default: `false`"),
    ]

    /// The keys of `match`.
    static let keys: [RuleKey] = header + app + text + [negation]

    private static let header = [
        RuleKey(
            "phone", .header, .oneOrMore(.glob), "the name of the phone, or its 16 digits",
            RuleCondition.phone),
        RuleKey(
            "category", .header, .oneOrMore(.category), "the category", RuleCondition.category),
        RuleKey(
            "flags", .header, .oneOrMore(.flag), "one of these flags is set", RuleCondition.flags),
        RuleKey(
            "event", .header, .oneOrMore(.event), "it is new, or has changed", RuleCondition.event),
        RuleKey(
            "time", .header, .oneOrMore(.timeOfDay),
            "the time of day; `22:00-07:00` goes past midnight"
        ) { .schedule(Schedule(times: $0)) },
        RuleKey(
            "days", .header, .oneOrMore(.days),
            "the day of the week; with a `time` that goes past midnight, the day on which that began"
        ) { .schedule(Schedule(days: Set($0.joined()))) },
        RuleKey(
            "burst", .header, .burst,
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
        RuleKey("title", .everything, .oneOrMore(.pattern), "the title", RuleCondition.title),
        RuleKey(
            "subtitle", .everything, .oneOrMore(.pattern), "the subtitle", RuleCondition.subtitle),
        RuleKey("message", .everything, .oneOrMore(.pattern), "the message", RuleCondition.message),
        RuleKey(
            "text", .everything, .oneOrMore(.pattern), "the title, the subtitle or the message",
            RuleCondition.text),
        RuleKey(
            "caller", .everything, .oneOrMore(.pattern),
            "the title of a ringing, active or missed call", RuleCondition.caller),
        RuleKey(
            "seen", .everything, .boolean, "whether an earlier session has delivered the same",
            RuleCondition.seen),
        RuleKey(
            "code", .everything, .boolean, "whether there is a one-time code in the text",
            RuleCondition.code),
    ]

    private static let negation = RuleKey(
        "not", nil,
        ConfigurationKind<[RuleCondition]>("a table of the same keys") { value, complaints in
            RuleReader.conditions(in: value, &complaints)
        }, "at least one key in it does not hold", RuleCondition.not)
}

extension ConfigurationKind<Glob> {
    /// A name with stars and question marks.
    static let glob = ConfigurationKind(
        "a name of 1 to \(Glob.maximumCount) octets, in which * stands for any characters and ? "
            + "for one"
    ) { content in
        guard case .string(let text) = content else { return nil }
        return Glob(text)
    }

    /// A pattern for app identifiers: letters, digits, periods, hyphens, and stars; also underscores, which
    /// other systems allow.
    static let appGlob = ConfigurationKind(
        "the identifier of an app such as \"com.example.chat\" or \"com.example.*\" (app-name "
            + "matches its name)"
    ) { content in
        guard case .string(let text) = content,
            text.utf8.allSatisfy({ octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".-_*?".utf8.contains(octet)
                }
            })
        else { return nil }
        return Glob(text)
    }
}

extension ConfigurationKind<CategoryID> {
    static let category = ConfigurationKind.word(
        of: (0...12).map(CategoryID.init(rawValue:)).map { ($0.description, $0) })
}

extension ConfigurationKind<EventFlags> {
    static let flag = ConfigurationKind.word(
        of: (0..<5).map { EventFlags(rawValue: 1 << $0) }.map { ($0.names[0], $0) })
}

extension ConfigurationKind<EventID> {
    // Rules are not evaluated when a notification is removed.
    static let event = ConfigurationKind.word(of: [("added", .added), ("modified", .modified)])
}

extension ConfigurationKind<TimeOfDay> {
    static let timeOfDay = ConfigurationKind("a part of the day such as \"22:00-07:00\"") {
        content in
        guard case .string(let text) = content else { return nil }
        return TimeOfDay(text)
    }
}

extension ConfigurationKind<[Weekday]> {
    /// A day or a range of days.
    static let days = ConfigurationKind("a day such as \"mon\", or days such as \"mon-fri\"") {
        content in
        guard case .string(let text) = content else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let days = parts.compactMap { part in
            Weekday.allCases.first { $0.description == part }
        }
        guard days.count == parts.count, let first = days.first, let last = days.last,
            days.count <= 2
        else { return nil }
        // "sat-mon" passes Sunday.
        let length = (last.rawValue - first.rawValue + 7) % 7
        return (0...length).compactMap { Weekday(rawValue: (first.rawValue + $0) % 7) }
    }
}

extension ConfigurationKind<Burst> {
    static let burst = ConfigurationKind(
        "a number and a time such as \"5/10s\", at most \(Burst.maximumCount) and \"1h\""
    ) { content in
        guard case .string(let text) = content else { return nil }
        return Burst(text)
    }
}

extension ConfigurationKind<Pattern> {
    static let pattern = ConfigurationKind(
        "a regular expression, best in single quotes, such as '(?i)invoice'"
    ) { value, complaints in
        guard case .string(let text) = value.content else {
            complaints.complain(value, expected: "a regular expression in quotes")
            return nil
        }
        do throws(Pattern.Fault) { return try Pattern(text) } catch {
            complaints.complain(
                at: complaints.place(of: error.offset, in: text, value.place),
                "the regular expression does not compile: \(error.message) at character "
                    + "\(error.offset + 1) of \"\(text.shortened)\"")
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
