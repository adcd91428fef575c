import Testing

@testable import ANCSCommands
@testable import CommandKit
@testable import LaboratoryCommands

/// What is made of the table of options: completions and manual pages. `Tests/Completions` tries the completions in
/// the shells themselves.
@Suite struct GenerateTests {
    private static let scripts = [
        BashCompletion.script(for: Tool.commands), ZshCompletion.script(for: Tool.commands),
        FishCompletion.script(for: Tool.commands),
    ]

    @Test("every shell completes every command and every option", arguments: scripts)
    func completions(script: String) {
        for command in Tool.commands {
            #expect(script.contains(command.name))
            for option in command.syntax.options {
                // fish names them without their hyphens.
                #expect(
                    script.contains(option.name)
                        || script.contains("-l \(option.name.dropFirst(2)) "),
                    "\(command.name) \(option.name)")
            }
        }
    }

    @Test("every offered completion is accepted", arguments: Tool.commands.map(\.name))
    func words(name: String) async throws {
        let syntax = try Tool.command(named: name).syntax
        for (option, value) in syntax.valuedOptions {
            switch value.completion {
            case .word(let words), .list(let words):
                for word in words { #expect(takes(word, option, of: name), "\(option) \(word)") }
            case .text, .file, .directory, .scenario, .moniker, .adapter: break
            }
        }
    }

    /// Whether a command takes a word as the value of an option.
    private func takes(_ word: String, _ option: String, of command: String) -> Bool {
        let environment = ["HOME": "/home/ada", "ANCS_HCI": "hci-socket:0"]
        let io = ["--io", option == "--io" ? word : "keyboard-display"]
        do {
            switch command {
            case "receive":
                let others = option == "--bonds" ? ["--bluez", "any"] : option == "--io" ? [] : io
                _ = try ReceiveOptions(
                    ReceiveOptions.syntax.parse([option, word] + others), environment: environment)
            case "phone":
                _ = try PhoneOptions(
                    PhoneOptions.syntax.parse([option, word, "--accessory", "Watch"]),
                    environment: environment)
            case "advertise":
                _ = try AdvertiseOptions(
                    AdvertiseOptions.syntax.parse([option, word] + (option == "--io" ? [] : io)),
                    environment: environment)
            case "controllers":
                _ = try ControllersOptions(
                    ControllersOptions.syntax.parse([option, word, "--listen", "pty"]))
            case "bench":
                _ = try BenchOptions(
                    BenchOptions.syntax.parse([option, word, "a.json", "--", "program", "{tcp}"]))
            case "gatt":
                _ = try GATTCommandOptions(
                    GATTCommandOptions.syntax.parse([option, word, "--pair", "--state", "/s", "A"]),
                    environment: environment)
            case "scan":
                _ = try ScanCommandOptions(
                    ScanCommandOptions.syntax.parse([option, word]), environment: environment)
            case "bonds":
                _ = try BondsOptions(
                    BondsOptions.syntax.parse([option, word, "export", "A"]),
                    environment: environment)
            case "decode":
                _ = try DecodeCommand.judgesAllLinks(DecodeCommand.syntax.parse([option, word]))
            default: return false
            }
            return true
        } catch { return false }
    }

    @Test(
        "every page has its name, every option, and no line that troff would read as a request"
    )
    func pages() throws {
        let macros = ["TH", "SH", "PP", "TP", "nh", "ad", "\\\""]
        for name in ManualPage.names {
            let page = try #require(ManualPage(named: name, date: "2026-11-22")).text
            #expect(page.contains("\n.SH NAME\nancs"), "\(name)")
            for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'")
            {
                #expect(macros.contains { line.dropFirst().hasPrefix($0) }, "\(name): \(line)")
            }
        }
        let page = try #require(ManualPage(named: "ancs-receive.1", date: "")).text
        for option in ReceiveOptions.syntax.options {
            let escaped = option.name.split(separator: "-", omittingEmptySubsequences: false)
            #expect(page.contains(escaped.joined(separator: "\\-")))
        }
        #expect(ManualPage(named: "ancs-nonsense.1", date: "") == nil)
    }

    @Test("the page of the configuration has every section and key")
    func settings() throws {
        let page = try #require(ManualPage(named: "ancs-config.5", date: "")).text
        for text in [".SH [bluetooth]\n", ".SH [[rule]]\n", "\\fBadapter\\fR\n", "pre\\-existing"] {
            #expect(page.contains(text))
        }
    }

    @Test(
        "generated files are not listed in the help, and other arguments are refused",
        arguments: [
            ["generate"], ["generate", "tcsh"], ["generate", "bash", "x"],
            ["generate", "man", "x"],
        ])
    func usage(words: [String]) throws {
        #expect(Tool.run(words, environment: [:]) == .usage)
        #expect(try !Tool.help(about: []).contains("generate"))
    }
}
