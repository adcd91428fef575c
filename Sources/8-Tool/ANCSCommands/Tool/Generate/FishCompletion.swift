internal import AccessoryConformance
internal import CTemplates
internal import CommandKit

/// The completion for fish.
enum FishCompletion {
    static func script(for commands: [Tool.Command]) -> String {
        CompletionTemplate.filled(
            ctemplates_completion_fish(),
            [
                "COMMANDS": commands.map(\.name).joined(separator: " "),
                "LINES": commands.flatMap(lines).joined(separator: "\n"),
            ])
    }

    private static func lines(_ command: Tool.Command) -> [String] {
        let syntax = command.syntax
        let valued = syntax.valuedOptions.map(\.name).joined(separator: " ")
        return [
            "complete -c ancs -n __ancs_is_bare -a \(command.name) -d \(quoted(command.purpose))"
        ]
            + syntax.options.map { option in
                let short = option.alias.map { " -s \($0.dropFirst())" } ?? ""
                return "complete -c ancs -n '__ancs_is \(command.name)'\(short) -l "
                    + "\(option.name.dropFirst(2))\(option.value.map { " -r" + action($0) } ?? "") -d "
                    + quoted(option.help)
            }
            + syntax.operandValues.enumerated().map { index, value in
                "complete -c ancs -n '__ancs_operand \(command.name) \(index + 1) \(valued)'"
                    + action(value)
            }
    }

    private static func action(_ value: CommandSyntax.Value) -> String {
        switch value.completion {
        case .text: " -f"
        case .file: " -F"
        case .directory: " -f -a '(__fish_complete_directories)'"
        case .scenario: " -F -a '\(Scenario.names.joined(separator: " "))'"
        case .word(let words): " -f -a '\(words.joined(separator: " "))'"
        case .list(let words): " -f -a '(__ancs_list \(words.joined(separator: " ")))'"
        case .moniker: " -f -a '(__ancs_monikers)'"
        case .adapter: " -f -a 'any (__ancs_adapters)'"
        }
    }

    /// Quotes a text. In single quotes, fish recognizes only `\\` and `\'`.
    private static func quoted(_ text: String) -> String {
        var quoted = "'"
        for character in text {
            if character == "'" || character == "\\" { quoted += "\\" }
            quoted.append(character)
        }
        return quoted + "'"
    }
}
