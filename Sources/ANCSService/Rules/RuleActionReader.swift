internal import Terminal

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
    private static let tables = ["show", "run", "mqtt", "perform"]
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
        case .array(let elements):
            for element in elements { read(element, &effects, &complaints) }
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
            complaints.complain(
                value, expected: expected, meant: NearestWord.of(word, in: words))
        case .table(let members): read(members, of: value, &effects, &complaints)
        case .integer, .float, .boolean, .date, .array:
            complaints.complain(value, expected: expected)
        }
    }

    private static func read(
        _ members: [TOMLMember], of value: TOMLValue, _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        let named = members.map(\.key).filter(tables.contains)
        guard named.count == 1, let action = named.first else {
            if named.isEmpty, let member = members.first {
                complaints.complain(
                    at: member.place, unknown: "action", member.key, among: tables)
            } else {
                complaints.complain(value, expected: "a table with one of \(tables.listed)")
            }
            return
        }
        switch action {
        case "show": show(members, &effects.popup, &complaints)
        case "run": run(members, &effects, &complaints)
        case "mqtt": publish(members, &effects, &complaints)
        default: perform(members, &effects, &complaints)
        }
    }

    // MARK: Each action

    private static func show(
        _ members: [TOMLMember], _ popup: inout RuleEffects.PopupChange,
        _ complaints: inout ConfigurationComplaints
    ) {
        for member in members {
            let value = member.value
            switch member.key {
            case "show": popup.isShown = ConfigurationKind.boolean.read(value, &complaints)
            case "urgency": popup.urgency = ConfigurationKind.urgency.read(value, &complaints)
            case "expire": popup.expiry = ConfigurationKind.expiry.read(value, &complaints)
            case "icon":
                popup.icon = ConfigurationKind.text(octets: 1...1024).read(value, &complaints)
            case "sound":
                popup.sound = ConfigurationKind.text(octets: 0...128).read(value, &complaints)
            default:
                complaints.complain(
                    at: member.place, unknown: "key of show", member.key,
                    among: ["show", "urgency", "expire", "icon", "sound"])
            }
        }
        guard popup.isShown == false, members.count > 1, let member = members.first else { return }
        complaints.complain(
            at: member.place,
            "show = false allows no other keys: expected { show = false } alone")
    }

    private static func run(
        _ members: [TOMLMember], _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        var arguments: [String]?
        var timeout = Duration.seconds(5)
        for member in members {
            switch member.key {
            case "run":
                arguments = ConfigurationKind.program.startingWithProgram
                    .read(member.value, &complaints)
            case "timeout":
                let seconds = ConfigurationKind.integer(in: 1...60).read(member.value, &complaints)
                timeout = seconds.map { .seconds($0) } ?? timeout
            default:
                complaints.complain(
                    at: member.place, unknown: "key of run", member.key, among: ["run", "timeout"])
            }
        }
        guard let arguments else { return }
        effects.programs.append(Verdict.Program(arguments: arguments, timeout: timeout))
    }

    private static func publish(
        _ members: [TOMLMember], _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        for member in members {
            guard member.key == "mqtt" else {
                complaints.complain(
                    at: member.place, unknown: "key of mqtt", member.key, among: ["mqtt"])
                continue
            }
            effects.publication = ConfigurationKind.publication.read(member.value, &complaints)
        }
    }

    private static func perform(
        _ members: [TOMLMember], _ effects: inout RuleEffects,
        _ complaints: inout ConfigurationComplaints
    ) {
        for member in members {
            guard member.key == "perform" else {
                complaints.complain(
                    at: member.place, unknown: "key of perform", member.key, among: ["perform"])
                continue
            }
            switch member.value.content {
            case .string("negative"): effects.performsNegative = true
            case .string("positive"):
                complaints.complain(
                    at: member.value.place,
                    "a rule never performs the positive action, which could answer a call with no user "
                        + "there: expected \"negative\"")
            case .string, .integer, .float, .boolean, .date, .array, .table:
                complaints.complain(member.value, expected: "\"negative\"")
            }
        }
    }
}

extension ConfigurationKind<Verdict.Popup.Urgency> {
    static let urgency = ConfigurationKind.word(of: [
        ("low", .low), ("normal", .normal), ("critical", .critical),
    ])
}

extension ConfigurationKind<Verdict.Publication> {
    static let publication = ConfigurationKind("false, \"full\", \"app\" or \"none\"") { content in
        switch content {
        case .boolean(false): Verdict.Publication.none
        case .string(let word): ServiceConfiguration.Content(rawValue: word).map { .content($0) }
        case .boolean, .integer, .float, .date, .array, .table: nil
        }
    }
}

extension ConfigurationKind<Duration> {
    /// When a popup disappears; zero is never.
    static let expiry = ConfigurationKind(
        "\"never\", or a time up to \"1d\": \(DurationWord.forms)"
    ) { content in
        guard case .string(let text) = content else { return nil }
        if text == "never" { return .zero }
        guard let duration = DurationWord.duration(text), duration <= .seconds(86_400),
            duration > .zero
        else { return nil }
        return duration
    }
}

extension ConfigurationKind<[String]> {
    /// A program and its arguments.
    static let program = ConfigurationKind(
        "a list of a program and its arguments, 1 to 64 strings of at most 4096 octets, such as "
            + "[\"paplay\", \"/usr/share/sounds/bell.oga\"]"
    ) { content in
        guard case .array(let elements) = content, (1...64).contains(elements.count) else {
            return nil
        }
        let words = elements.compactMap { element in
            if case .string(let word) = element.content { word } else { nil as String? }
        }
        guard words.count == elements.count, words[0] != "",
            words.allSatisfy({ $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
        else { return nil }
        return words
    }
}
