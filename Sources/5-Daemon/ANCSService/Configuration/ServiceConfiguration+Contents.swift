package import Kinds

// What a configuration file can have in it, and what one has, for `ancs doctor --bundle`.
extension ServiceConfiguration {
    /// The keys of the file, with the words, numbers and truths that they take.
    package static let schema: SchemaFragment = {
        func table(_ keys: [(name: String, schema: SchemaFragment)]) -> SchemaFragment {
            .object(keys.map { ($0.name, $0.schema, isRequired: false) })
        }
        let parts = [
            "match": table(RuleSchema.keys.map { ($0.name, $0.schema) }),
            "do": RuleActionReader.schema,
        ]
        let rule = table(RuleSchema.rule.map { ($0.name, parts[$0.name] ?? $0.schema) })
        return table(
            ConfigurationSchema.sections.map { section in
                (section.name, table(section.keys.map { ($0.name, $0.schema) }))
            } + [(ConfigurationSchema.rule, .list(of: rule))])
    }()

    /// The values of a file, right or wrong; `nil` if it is no TOML.
    package static func contents(of text: [UInt8]) -> JSONValue? {
        (try? TOMLDocument(parsing: text)).map { document in
            .object(document.members.map { .init($0.key, $0.value.written) })
        }
    }
}
