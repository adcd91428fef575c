@testable import ANCSCommands
@testable import CommandKit

/// The page of a command in Documentation/Commands, made of the table that its command line is read by.
struct CommandPage {
    /// Where more is said, by the names of commands.
    private static let topics: [String: [String]] = [
        "demo": ["Scenarios", "Serve"],
        "receive": ["Receive", "Linux", "UserChannel"],
        "serve": ["Serve", "Configuration", "HomeAssistant"],
        "phone": ["Accessory", "Scenarios", "Report"],
        "advertise": ["Advertising"],
        "bench": ["Accessory", "Scenarios", "Report"],
        "controllers": ["Accessory"],
        "scan": ["Tools"], "gatt": ["Tools"], "bonds": ["Tools"],
        "decode": ["Captures"],
        "history": ["Configuration"], "rules": ["Rules"],
        "doctor": ["Doctor"],
    ]

    let command: Tool.Command

    var path: String { "Documentation/Commands/\(command.name).md" }

    private var topics: [String] { Self.topics[command.name] ?? ["Serve"] }

    var text: String {
        let syntax = command.syntax
        let operands = syntax.operands.isEmpty ? "" : " \(syntax.operands)"
        let options = syntax.options.map { "| `\($0.usage)` | \(Self.cell($0.help)) |" }
        let links = topics.map { "[\($0)](../\($0).md)" }.joined(separator: ", ")
        return """
            <!-- Generated from the command's table of options: see CONTRIBUTING.md before you edit it. -->
            # ancs \(command.name)

            \(command.purpose.prefix(1).uppercased() + command.purpose.dropFirst()).

            ```
            ancs \(command.name) [options]\(operands)
            ```

            \(Self.marked(syntax.summary))

            | option | |
            |---|---|
            \(options.joined(separator: "\n"))

            More: \(links), and [what every command has in \
            common](../README.md#what-every-command-has-in-common).

            """
    }

    /// The row of the index.
    var row: String {
        "| [ancs \(command.name)](Commands/\(command.name).md) | \(command.purpose) |"
    }

    /// Text of the tool in Markdown: what stands in quotes there is code here.
    private static func marked(_ text: String) -> String {
        text.replacing(#/(^|[^A-Za-z0-9])'([^'\n]+)'/#) { "\($0.1)`\($0.2)`" }
    }

    private static func cell(_ text: String) -> String {
        marked(text).replacing("|", with: "\\|").replacing("\n", with: " ")
    }
}
