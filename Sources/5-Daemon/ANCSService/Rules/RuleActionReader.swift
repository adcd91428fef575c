internal import Kinds

/// Reads the actions of a rule.
enum RuleActionReader {
    /// The valid actions in `do` with their descriptions, for the documentation.
    static let actions: [(form: String, help: String)] = [
        ("\"show\"", "it is shown, as without a rule"),
        ("{ show = false }", "it is not shown; programs run, and the history keeps it"),
        (
            "{ show = true, urgency = \"low\", expire = \"10s\", icon = \"mail-unread\", sound = \"bell\" }",
            "how it is shown: `urgency` is `low`, `normal` or `critical`; `expire` a time, or "
                + "`never`; `icon` a name or a path; `sound` a name of the desktop's theme, or empty "
                + "for none. Each may be left out"
        ),
        (
            "\"mute\"",
            "it is not shown and no program runs; its text is not fetched if that can be avoided"
        ),
        (
            "{ run = [\"notify\", \"--mail\"], timeout = 5 }",
            "a program runs, without a shell, for at most `timeout` seconds (1 to 60, default: 5)"
        ),
        ("\"no-history\"", "the history does not keep it"),
        (
            "{ mqtt = false }",
            "it is not published; `\"full\"`, `\"app\"` or `\"none\"` instead of `false` says how much "
                + "is published"
        ),
        (
            "{ perform = \"negative\" }",
            "the negative action is performed on the phone, which clears a notification. It declines a "
                + "call only where the same rule has `category = [\"incomingCall\"]`, and never ends "
                + "an active one"
        ),
    ]

    private static let words = ["show", "mute", "no-history"]

    /// The effects of a rule, and the program of a table that is being read.
    private struct Reading: Sendable {
        var effects: RuleEffects
        var program = RuleVerdict.Program(arguments: [], timeout: .seconds(5))
    }

    /// The tables in `do`, by the action that each is, with their keys.
    private static let tables: [(action: String, keys: [ConfigurationKey<Reading>])] = [
        (
            "show",
            [
                .init("show", Kind.boolean.map { $0 }, \.effects.popup.isShown),
                .init("urgency", Kind.urgency.map { $0 }, \.effects.popup.urgency),
                .init("expire", Kind.expiry.map { $0 }, \.effects.popup.expiry),
                .init("icon", Kind.text(octets: 1...1024).map { $0 }, \.effects.popup.icon),
                .init("sound", Kind.text(octets: 0...128).map { $0 }, \.effects.popup.sound),
            ]
        ),
        (
            "run",
            [
                .init("run", .program, \.program.arguments, check: .program),
                .init(
                    "timeout", Kind.integer(in: 1...60).map { .seconds($0) }, \.program.timeout),
            ]
        ),
        ("mqtt", [.init("mqtt", Kind.publication.map { $0 }, \.effects.publication)]),
        ("perform", [.init("perform", .performance, \.effects.performsNegative)]),
    ]
    /// What may stand in `do`.
    static let schema = SchemaFragment.list(
        of: .oneOf(
            [.words(words)]
                + tables.map { .object($0.keys.map { ($0.name, $0.schema, isRequired: false) }) }))
    private static let expected =
        "\"show\", \"mute\", \"no-history\", { show = … }, { run = [\"PROGRAM\"] }, "
        + "{ mqtt = … } or { perform = \"negative\" }"

    static func effects(
        in value: TOMLValue, _ complaints: inout ConfigurationComplaints
    ) -> RuleEffects {
        var effects = RuleEffects()
        switch value.content {
        case .array(let elements) where elements.isEmpty || elements.count > 32:
            complaints.complain(value, expected: "a list of 1 to 32 actions: \(expected)")
        case .array(let elements): for element in elements { read(element, &effects, &complaints) }
        case .string, .table: read(value, &effects, &complaints)
        case .integer, .float, .boolean, .date:
            complaints.complain(value, expected: "a list of actions: \(expected)")
        }
        let doesMore =
            effects.popup != .init() || !effects.programs.isEmpty || effects.publication != nil
        if effects.mutes, doesMore {
            complaints.complain(
                at: value.place,
                "\"mute\" shows nothing and runs nothing: expected no show, run or mqtt with it; "
                    + "{ show = false } keeps a record off the desktop and runs programs")
        }
        return effects
    }

    private static func read(
        _ value: TOMLValue, _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        switch value.content {
        case .string("show"): effects.popup.isShown = true
        case .string("mute"): effects.mutes = true
        case .string("no-history"): effects.forgets = true
        case .string(let word):
            complaints.complain(value, expected: expected, meant: NearestWord.of(word, in: words))
        case .table(let members): read(members, of: value, &effects, &complaints)
        case .integer, .float, .boolean, .date, .array:
            complaints.complain(value, expected: expected)
        }
    }

    private static func read(
        _ members: [TOMLMember], of value: TOMLValue, _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        let names = tables.map(\.action)
        let named = tables.filter { table in members.contains { $0.key == table.action } }
        guard named.count == 1, let table = named.first else {
            if named.isEmpty, let member = members.first {
                complaints.complain(at: member.place, unknown: "action", member.key, among: names)
            } else {
                complaints.complain(value, expected: "a table with one of \(names.listed)")
            }
            return
        }
        var reading = Reading(effects: effects)
        ConfigurationKey.read(
            members, as: "key of \(table.action)", table.keys, into: &reading, &complaints)
        effects = reading.effects
        if !reading.program.arguments.isEmpty { effects.programs.append(reading.program) }
        guard table.action == "show", effects.popup.isShown == false, members.count > 1,
            let member = members.first
        else { return }
        complaints.complain(
            at: member.place,
            "show = false allows no other keys: expected { show = false } alone")
    }
}

extension Kind<Bool> {
    /// The action that a rule may perform on a phone.
    fileprivate static let performance = Kind("\"negative\"", .words(["negative"])) {
        value, mistakes in
        if value == "negative" { return true }
        mistakes.append(
            value == "positive"
                ? Mismatch(
                    .message(
                        "a rule never performs the positive action, which could answer a call with no "
                            + "user there: expected \"negative\""))
                : Mismatch(expected: "\"negative\""))
        return nil
    }
}

extension Kind<RuleVerdict.Popup.Urgency> {
    static let urgency = Kind.quotedWord(of: [
        ("low", .low), ("normal", .normal), ("critical", .critical),
    ])
}

extension Kind<RuleVerdict.Publication> {
    static let publication = Kind(
        "false, \"full\", \"app\" or \"none\"", .words(RecordContent.allCases.map(\.rawValue))
    ) { value in
        if value == false { return RuleVerdict.Publication.none }
        return value.string.flatMap(RecordContent.init(rawValue:)).map { .content($0) }
    }
}

extension Kind<Duration> {
    /// When a popup disappears; zero is never.
    static let expiry = Kind.text(
        "\"never\", or a time up to \"1d\": \(DurationWord.forms)"
    ) { text in
        if text == "never" { return .zero }
        guard let duration = DurationWord.duration(text), duration <= .seconds(86_400),
            duration > .zero
        else { return nil }
        return duration
    }
}

extension Kind<[String]> {
    /// A program and its arguments.
    static let program = Kind(
        "a list of a program and its arguments, 1 to 64 strings of at most 4096 octets, such as "
            + "[\"paplay\", \"/usr/share/sounds/bell.oga\"]"
    ) { value in
        guard let elements = value.array, (1...64).contains(elements.count) else { return nil }
        let words = elements.compactMap(\.string)
        guard words.count == elements.count, words[0] != "",
            words.allSatisfy({ $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
        else { return nil }
        return words
    }
}
