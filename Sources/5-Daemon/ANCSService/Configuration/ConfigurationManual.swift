/// The contents of a configuration file, for its manual page.
package enum ConfigurationManual {
    /// A section of the file, or a table in one.
    package struct Section: Equatable, Sendable {
        /// Its heading in the file, such as `[bluetooth]`.
        package var title: String
        /// What it is for; empty if the title is enough.
        package var help: String
        package var entries: [Entry]
    }

    /// A key or form within a section.
    package struct Entry: Equatable, Sendable {
        /// A key, or a form to write.
        package var name: String
        package var help: String
        /// The valid values; `nil` for a form.
        package var expected: String?
        /// The default, as it would be written.
        package var standard: String?
    }

    /// All sections, in the order of the documentation.
    package static var sections: [Section] {
        ConfigurationSchema.sections.map { section in
            Section(
                title: "[\(section.name)]", help: section.help,
                entries: section.keys.map {
                    Entry(
                        name: $0.name, help: $0.help, expected: $0.expected, standard: $0.standard)
                })
        } + [rule, match, actions]
    }

    private static let rule = Section(
        title: "[[\(ConfigurationSchema.rule)]]",
        help: "A rule. Rules are tried in order; the first that matches decides.",
        entries: RuleSchema.rule.map { Entry(name: $0.name, help: $0.help, expected: $0.expected) })

    private static let match = Section(
        title: "match of a rule", help: "Which records the rule matches; every key must hold.",
        entries: RuleSchema.keys.map { Entry(name: $0.name, help: $0.help, expected: $0.expected) })

    private static let actions = Section(
        title: "do of a rule", help: "What happens to a record that the rule matches.",
        entries: RuleActionReader.actions.map { Entry(name: $0.form, help: $0.help) })
}
