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
        notes = RuleSet(configuration.rules).holdingCalls.map { rule in
            ConfigurationFault(
                path: path, place: rule.place,
                message:
                    "note: the rule \"\(rule.name.shortened)\" may mute a call by its text, so calls ring "
                    + "only once their text is known; write rules for calls before it, or "
                    + "not = { category = \"incomingCall\" } in it")
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
