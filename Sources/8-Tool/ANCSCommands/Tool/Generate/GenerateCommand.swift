internal import CommandKit

/// `ancs generate`: writes the completions and manual pages of a package, from the tables that parse command
/// lines.
enum GenerateCommand {
    private static let kinds = ["bash", "zsh", "fish", "pages", "man"]

    static let syntax = CommandSyntax(
        command: "generate",
        summary: """
            Writes what a package needs besides the program to standard output: the completions for bash, zsh
            or fish, the names of the manual pages, or with 'man' one of them.
            """,
        operands: "bash|zsh|fish|pages|man [PAGE]", operandCount: 1...2,
        operandValues: [.word("KIND", kinds), .word("PAGE", ManualPage.names)],
        options: [
            .init(
                "--date", .text("DATE"),
                "the date of manual pages, such as 2026-11-22 (default: none)"
            ), .help,
        ])

    static func run(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> ExitStatus {
        let kind = arguments.operands[0]
        guard kinds.contains(kind) else {
            throw .init(message: "'\(kind)' is not one of \(kinds.listed)")
        }
        guard kind == "man" || arguments.operands.count == 1 else {
            throw .init(message: "unexpected '\(arguments.operands[1])'; \(syntax.usage)")
        }
        StandardStreams.write(try text(kind, arguments))
        return .success
    }

    private static func text(
        _ kind: String, _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> String {
        switch kind {
        case "bash": return BashCompletion.script(for: Tool.commands)
        case "zsh": return ZshCompletion.script(for: Tool.commands)
        case "fish": return FishCompletion.script(for: Tool.commands)
        case "pages": return ManualPage.names.map { $0 + "\n" }.joined()
        default:
            let name = arguments.operands.count == 2 ? arguments.operands[1] : "ancs.1"
            guard let page = ManualPage(named: name, date: arguments["--date"] ?? "") else {
                throw .init(message: "'\(name)' is not a page; 'ancs generate pages' lists them")
            }
            return page.text
        }
    }
}

extension Tool.Command {
    /// The name as it is typed.
    var name: String { syntax.command }
}

extension CommandSyntax {
    /// The options that take a value, with the value.
    var valuedOptions: [(name: String, value: Value)] {
        options.compactMap { option in option.value.map { (option.name, $0) } }
    }

    /// The options and operands with known values, an operand by its position, starting at 1.
    var namedValues: [(name: String, value: Value)] {
        valuedOptions + operandValues.enumerated().map { ("\($0.offset + 1)", $0.element) }
    }
}
