internal import CTemplates
internal import CommandKit

/// The completion for bash: a function that requires only bash 4.4.
enum BashCompletion {
    static func script(for commands: [Tool.Command]) -> String {
        let options = commands.map { command in
            let words = command.syntax.options.flatMap { [$0.alias, $0.name].compactMap(\.self) }
            return "        \(command.name)) echo '\(words.joined(separator: " "))' ;;"
        }
        return CompletionTemplate.filled(
            ctemplates_completion_bash(),
            [
                "OPTIONS": options.joined(separator: "\n"), "KINDS": kinds(commands),
                "COMMANDS": commands.map(\.name).joined(separator: " "),
            ])
    }

    /// The branches of the `case` over the kinds of value.
    private static func kinds(_ commands: [Tool.Command]) -> String {
        var kinds: [(kind: String, places: [String])] = []
        for command in commands {
            for (name, value) in command.syntax.namedValues {
                let (kind, place) = (text(value.completion), "'\(command.name) \(name)'")
                if let index = kinds.firstIndex(where: { $0.kind == kind }) {
                    kinds[index].places.append(place)
                } else {
                    kinds.append((kind, [place]))
                }
            }
        }
        return kinds.map { entry in
            let places = entry.places.joined(separator: " | \\\n        ")
            return "        \(places))\n            echo '\(entry.kind)' ;;"
        }.joined(separator: "\n")
    }

    private static func text(_ kind: CommandSyntax.Value.Completion) -> String {
        switch kind {
        case .text: "text"
        case .file: "file"
        case .directory: "directory"
        case .scenario: "scenario"
        case .word(let words): "word \(words.joined(separator: " "))"
        case .list(let words): "list \(words.joined(separator: " "))"
        case .moniker: "moniker"
        case .adapter: "adapter"
        }
    }
}
