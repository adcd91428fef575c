internal import ANCSService
internal import CommandKit

/// A manual page of the tool, of a command or of the configuration.
struct ManualPage: Sendable {
    /// The names of the installed files.
    static var names: [String] {
        ["ancs.1"] + Tool.commands.map { "ancs-\($0.name).1" } + [configuration]
    }

    private static let configuration = "ancs-config.5"

    private enum Topic {
        case tool
        case command(Tool.Command)
        case configuration
    }

    private let topic: Topic
    private let date: String

    /// The page with a file name; `nil` if there is none.
    init?(named name: String, date: String) {
        self.date = date
        if name == "ancs.1" {
            topic = .tool
        } else if name == Self.configuration {
            topic = .configuration
        } else if let command = Tool.commands.first(where: { "ancs-\($0.name).1" == name }) {
            topic = .command(command)
        } else {
            return nil
        }
    }

    var text: String {
        switch topic {
        case .tool: tool
        case .command(let command): page(of: command)
        case .configuration: settings
        }
    }

    // MARK: The tool

    private var tool: String {
        var page = ManualText("ancs", section: "1", date: date)
        page.section("NAME")
        page.paragraphs("ancs - receive the notifications of an iPhone over Bluetooth Low Energy")
        page.section("SYNOPSIS")
        page.line(bold: "ancs", "COMMAND [options]")
        page.section("DESCRIPTION")
        page.paragraphs(
            """
            An iPhone sends its notifications to accessories over Bluetooth Low Energy, through the Apple \
            Notification Center Service, ANCS. With this program the machine is such an accessory. It \
            shares the Bluetooth adapter with keyboard, mouse and headset.

            'ancs serve' is the daemon for everyday use; 'ancs pair' pairs an iPhone with it, and 'ancs doctor' \
            finds out why no notifications arrive. 'ancs receive' prints notifications in a terminal, and \
            'ancs demo' shows how it works, without Bluetooth hardware.
            """)
        page.section("COMMANDS")
        for command in Tool.commands {
            page.entry(
                bold: command.name, italic: "", command.purpose + "; see `ancs-\(command.name)`(1)")
        }
        page.entry(bold: "help", italic: "[COMMAND]", "explain a command")
        page.section("OPTIONS")
        page.entry(bold: "-h, --help", italic: "", "list the commands")
        page.entry(bold: "--version", italic: "", "print the version")
        page.section("ENVIRONMENT")
        for variable in Self.variables {
            page.entry(bold: variable.name, italic: "", variable.help)
        }
        page.section("FILES")
        for file in Self.files { page.entry(bold: file.name, italic: "", file.help) }
        exitStatus(&page)
        page.section("SEE ALSO")
        page.list(Self.names.filter { $0 != "ancs.1" })
        return page.text
    }

    private static let variables = [
        (name: "ANCS_HCI", options: ["--hci"], help: "the controller for commands without --hci"),
        (
            name: "XDG_CONFIG_HOME", options: ["--config"],
            help: "the directory of `ancs/config.toml` (default: ~/.config)"
        ),
        (
            name: "XDG_STATE_HOME", options: ["--state"],
            help:
                "the directory of `ancs`, with bonds, mutes and the history (default: ~/.local/state)"
        ),
        (name: "NO_COLOR", options: [], help: "if set, output has no color"),
    ]

    private static let files = [
        (name: "~/.config/ancs/config.toml", help: "the configuration of a user's daemon"),
        (name: ServiceConfiguration.systemPath, help: "the configuration of the gateway"),
        (name: "~/.local/state/ancs", help: "the bonds, the mutes and the history of a user"),
        (name: "/var/lib/ancs", help: "the bonds, the mutes and the history of the gateway"),
        (
            name: "/usr/share/doc/ancs",
            help: "the documentation, an example configuration, and scenarios for 'ancs phone'"
        ),
    ]

    private func exitStatus(_ page: inout ManualText) {
        page.section("EXIT STATUS")
        for (status, help) in [
            ("0", "success"),
            ("1", "the run failed: an expectation of a scenario, a timeout, an error in the input"),
            ("2", "wrong usage, or a bad input file"),
            ("3", "no controller, or no permission to use it"),
        ] { page.entry(status, help) }
    }

    // MARK: A command

    private func page(of command: Tool.Command) -> String {
        let syntax = command.syntax
        var page = ManualText("ancs-\(command.name)", section: "1", date: date)
        page.section("NAME")
        page.paragraphs("ancs-\(command.name) - \(command.purpose)")
        page.section("SYNOPSIS")
        page.line(
            bold: "ancs \(command.name)",
            "[options]" + (syntax.operands.isEmpty ? "" : " \(syntax.operands)"))
        page.section("DESCRIPTION")
        page.paragraphs(syntax.summary)
        page.section("OPTIONS")
        for option in syntax.options {
            let names = [option.alias, option.name].compactMap(\.self).joined(separator: ", ")
            page.entry(bold: names, italic: option.value?.name ?? "", option.help)
        }
        let variables = Self.variables.filter { variable in
            syntax.options.contains { variable.options.contains($0.name) }
        }
        if !variables.isEmpty { page.section("ENVIRONMENT") }
        for variable in variables { page.entry(bold: variable.name, italic: "", variable.help) }
        exitStatus(&page)
        page.section("SEE ALSO")
        let isConfigured = syntax.options.contains { $0.name == "--config" }
        page.list(["ancs.1"] + (isConfigured ? [Self.configuration] : []))
        return page.text
    }

    // MARK: The configuration

    private var settings: String {
        var page = ManualText("ancs-config", section: "5", date: date)
        page.section("NAME")
        page.paragraphs("ancs-config - the configuration of 'ancs serve'")
        page.section("SYNOPSIS")
        page.paragraphs("~/.config/ancs/config.toml, \(ServiceConfiguration.systemPath)")
        page.section("DESCRIPTION")
        page.paragraphs(
            """
            'ancs serve' reads `$XDG_CONFIG_HOME/ancs/config.toml`, and with --system \
            `\(ServiceConfiguration.systemPath)`; --config names another file. It is written in TOML \
            (https://toml.io). Everything has a default, so the file may be empty or missing. A file \
            with a fault is rejected as a whole: 'ancs serve --check' reports all faults, each with its \
            line. On SIGHUP the daemon reads it again.
            """)
        for section in ConfigurationManual.sections {
            page.section(section.title)
            page.paragraphs(section.help)
            for entry in section.entries {
                let expected = entry.expected.map { "; takes \($0)" } ?? ""
                let standard = entry.standard.map { "; default: `\($0)`" } ?? ""
                page.entry(bold: entry.name, italic: "", entry.help + expected + standard)
            }
        }
        page.section("SEE ALSO")
        page.list(["ancs-serve.1", "ancs-rules.1", "ancs.1"])
        return page.text
    }
}
