internal import AccessoryConformance
internal import CommandKit

/// `ancs help --json`: what the tool can do, for programs.
enum HelpJSON {
    /// The whole help, as one object.
    static var value: JSONValue {
        [
            "version": .string(ToolVersion.current),
            "exitStatus": .object(
                statuses.map { .init("\($0.status.rawValue)", .string($0.meaning)) }),
            "commands": .array(Tool.commands.map(command)),
            "verbs": .array(
                PhoneVerbs.all.map { verb($0.name, $0.summary, $0.manual, $0.schema) } + [
                    verb(
                        Repetition.name, Repetition.summary, Repetition.manual,
                        Repetition.shape.schema)
                ]),
            "step": StepReader.schema.definitions["step"] ?? .null,
            "$defs": .object(
                StepReader.schema.definitions.filter { $0.key != "step" }
                    .sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }),
            "requirements": .array(Requirement.allCases.map(requirement)),
        ]
    }

    private static let statuses: [(status: ExitStatus, meaning: String)] = [
        (.success, "the command succeeded"),
        (.failure, "the run failed: an expectation was not met, or a requirement was broken"),
        (.usage, "the command line or an input file is wrong"),
        (.unavailable, "there is no controller, or the user may not use it"),
    ]

    private static func command(_ command: Tool.Command) -> JSONValue {
        let syntax = command.syntax
        return [
            "command": .string(syntax.command), "purpose": .string(command.purpose),
            "operands": .string(syntax.operands), "summary": .string(syntax.summary),
            "options": .array(syntax.options.map(option)),
        ]
    }

    private static func option(_ option: CommandSyntax.Option) -> JSONValue {
        var members: [JSONValue.Member] = [.init("option", .string(option.name))]
        if let alias = option.alias { members.append(.init("alias", .string(alias))) }
        if let value = option.value {
            members.append(.init("value", .string(value.name)))
            switch value.completion {
            case .word(let words), .list(let words):
                members.append(.init("words", .array(words.map { .string($0) })))
            case .text, .file, .directory, .scenario, .moniker, .adapter: break
            }
        }
        members.append(.init("help", .string(option.help)))
        if option.repeats { members.append(.init("repeats", .boolean(true))) }
        return .object(members)
    }

    /// A verb: what it takes in words, its members with the words that each takes, and the schema of its value, whose
    /// definitions are those of the whole.
    private static func verb(
        _ name: String, _ summary: String, _ manual: [String], _ schema: SchemaFragment
    ) -> JSONValue {
        [
            "verb": .string(name), "summary": .string(summary),
            "value": .array(
                manual.map {
                    .string($0.replacing("`", with: "").replacing("\\|", with: "|"))
                }),
            "members": .array(schema.word.members.map(member)), "schema": schema.json,
        ]
    }

    private static func member(_ member: WordForm.Member) -> JSONValue {
        let words = member.form.candidates.flatMap { candidates -> [String] in
            if case .words(let words) = candidates { words } else { [] }
        }
        return .object(
            [.init("member", .string(member.name)), .init("required", .boolean(member.isRequired))]
                + (words.isEmpty ? [] : [.init("words", .array(words.map { .string($0) }))]))
    }

    private static func requirement(_ requirement: Requirement) -> JSONValue {
        let row = requirement.row
        return [
            "requirement": .string(row.number), "statement": .string(row.statement),
            "source": .string(row.source.message), "asked": .string(row.demand),
            "wearer": .string(row.symptom), "remedy": .string(row.remedy),
            "weight": .string(row.weight.word),
        ]
    }
}
