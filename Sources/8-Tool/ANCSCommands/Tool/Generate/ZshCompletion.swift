internal import CTemplates
internal import CommandKit

/// The completion for zsh: a file `_ancs` on its `fpath`.
enum ZshCompletion {
    static func script(for commands: [Tool.Command]) -> String {
        let names = commands.map { "        \(quoted("\($0.name):\($0.purpose)"))" }
        return CompletionTemplate.filled(
            ctemplates_completion_zsh(),
            [
                "COMMANDS": names.joined(separator: "\n"),
                "ARMS": commands.map(arm).joined(separator: "\n"),
            ])
    }

    /// The branch for a command's options and operands.
    private static func arm(_ command: Tool.Command) -> String {
        let syntax = command.syntax
        var lines = syntax.options.map(specification)
        for (index, value) in syntax.operandValues.enumerated() {
            lines.append(quoted("\(index + 1):\(value.name):\(action(value))"))
        }
        if syntax.operandCount.upperBound > syntax.operandValues.count {
            lines.append(quoted("*:\(colonFree(syntax.operands)): "))
        }
        let separator = " \\\n                "
        return "        \(command.name))\n            _arguments\(separator)"
            + lines.joined(separator: separator) + "\n            ;;"
    }

    private static func specification(_ option: CommandSyntax.Option) -> String {
        var help = option.help
        for character in ["\\", "[", "]"] {
            help = help.split(separator: character, omittingEmptySubsequences: false)
                .joined(separator: "\\" + character)
        }
        guard let value = option.value else {
            guard let alias = option.alias else { return quoted("\(option.name)[\(help)]") }
            return "'(- *)'{\(alias),\(option.name)}\(quoted("[\(help)]"))"
        }
        return quoted(
            (option.repeats ? "*" : "") + option.name + "=[\(help)]:\(value.name):\(action(value))")
    }

    private static func action(_ value: CommandSyntax.Value) -> String {
        switch value.completion {
        case .text: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .scenario: "_ancs_scenarios"
        case .word(let words): "(\(words.joined(separator: " ")))"
        case .list(let words):
            "_values -s , \(value.name) \(words.map(colonFree).joined(separator: " "))"
        case .moniker: "_ancs_monikers"
        case .adapter: "_ancs_adapters"
        }
    }

    /// Escapes colons, which would end a field.
    private static func colonFree(_ text: String) -> String {
        text.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    }

    private static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
