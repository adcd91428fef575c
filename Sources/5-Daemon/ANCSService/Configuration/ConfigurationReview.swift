/// What a valid configuration means on this machine: what in it will not work, and what its author may not
/// expect. Nothing of it keeps the daemon from running.
package struct ConfigurationReview: Equatable, Sendable {
    /// What will not work as it is written, such as a program that does not exist.
    package let faults: [ConfigurationFault]
    /// What works, and has a consequence that is easily overlooked.
    package let notes: [ConfigurationFault]

    /// Reviews a configuration; `path` is the name of its file in messages.
    package init(
        _ configuration: ServiceConfiguration, path: String,
        programs search: ProgramSearch = .ofThisProcess
    ) {
        faults = configuration.programs.flatMap { Self.faults(of: $0, path: path, search) }
        let rules = RuleSet(configuration.rules)
        let notes =
            rules.holdingCalls.map { rule in
                (
                    rule,
                    "may mute a call by its text, so calls ring only once their text is known; write rules "
                        + "for calls before it, or not = { category = \"incomingCall\" } in it"
                )
            }
            + rules.mutingCalls.map { rule, late in
                (
                    rule,
                    "mutes calls, too, before \"\(late.name.shortened)\" can let them ring; write that rule "
                        + "first, or not = { category = \"incomingCall\" } in this one"
                )
            }
            + rules.rules.flatMap { rule in
                rule.conditions.flatMap(\.namesAsIdentifiers).map { name in
                    (
                        rule,
                        "compares \"\(name.shortened)\" with identifiers such as com.apple.MobileSMS, "
                            + "which it cannot be; app-name compares with the names of apps"
                    )
                }
            }
        self.notes = notes.map { rule, message in
            ConfigurationFault(
                path: path, place: rule.place,
                message: "note: the rule \"\(rule.name.shortened)\" \(message)")
        }
    }

    /// One line for each fault and each note.
    package var lines: [String] { (faults + notes).map(\.line) }

    private static func faults(
        of program: ConfiguredProgram, path: String, _ search: ProgramSearch
    ) -> [ConfigurationFault] {
        let user = program.rule.map { "the rule \"\($0.shortened)\"" } ?? "\"copy\""
        var faults: [ConfigurationFault] = []
        for (index, (word, place)) in zip(program.words, program.places).enumerated() {
            let message: String
            if index == 0 {
                guard let fault = search.fault(of: word) else { continue }
                message = "\(user) cannot run \"\(word.shortened)\": \(fault)"
            } else {
                // The command of a shell begins as it likes.
                guard word == "~" || word.hasPrefix("~/"), program.words[index - 1] != "-c" else {
                    continue
                }
                message =
                    "\(user) passes \"\(word.shortened)\" to its program as it is: no shell reads it, so "
                    + "\"~\" is not your home; write the whole path"
            }
            faults.append(ConfigurationFault(path: path, place: place, message: message))
        }
        return faults
    }
}

extension RuleCondition {
    /// What it compares with the identifiers of apps, and looks like a name: iPhones have no identifier without a dot.
    fileprivate var namesAsIdentifiers: [String] {
        switch self {
        case .app(let globs):
            globs.filter { $0.isLiteral && !$0.source.contains(".") }.map(\.source)
        case .not(let conditions): conditions.flatMap(\.namesAsIdentifiers)
        case .phone, .category, .flags, .event, .schedule, .burst, .appName, .search, .number,
            .seen, .code:
            []
        }
    }
}
