import ANCS
import Foundation
import Testing

@testable import ANCSService

/// Documentation/Configuration.md and Rules.md have the tables that follow from the code, and examples that are read.
@Suite("The page about the configuration")
struct ConfigurationPageTests {
    private static let page = text(of: "Configuration") + text(of: "Rules")

    private static func text(of page: String) -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Documentation/\(page).md")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }

    struct Table: CustomTestStringConvertible, Sendable {
        var name: String
        var text: String
        var testDescription: String { name }

        /// A table of rows whose cells may hold what separates cells.
        init(_ name: String, _ heads: [String], _ rows: [[String]]) {
            self.name = name
            let line = { (cells: [String]) in
                "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
            }
            let rule = "|" + heads.map { _ in "---|" }.joined()
            text = ([line(heads), rule] + rows.map(line)).joined(separator: "\n") + "\n"
        }
    }

    static let tables: [Table] = {
        let heads = ["key", "", "takes", "default"]
        let sections = ConfigurationSchema.sections.map { section in
            Table(
                "[\(section.name)]", heads,
                section.keys.map { ["`\($0.name)`", $0.help, $0.expected, "`\($0.standard)`"] })
        }
        let rule = Table(
            "[[rule]]", ["key", "", "takes"],
            RuleSchema.rule.map { ["`\($0.name)`", $0.help, $0.expected] })
        let match = Table(
            "match", ["key", "holds for", "takes", "known"],
            RuleSchema.keys.map {
                ["`\($0.name)`", $0.help, $0.expected, $0.knowledge?.text ?? "with what is in it"]
            })
        let actions = Table(
            "do", ["action", ""], RuleActionReader.actions.map { ["`\($0.form)`", $0.help] })
        return sections + [rule, match, actions]
    }()

    @Test("the page has the table", arguments: tables)
    func table(_ table: Table) {
        let isThere = Self.page.contains(table.text)
        #expect(isThere, "the table should be\n\(table.text)")
    }

    /// The blocks of TOML.
    private static var examples: [String] {
        page.components(separatedBy: "```toml\n").dropFirst().map { block in
            block.components(separatedBy: "```").first ?? ""
        }
    }

    @Test("each example is a configuration")
    func examples() throws {
        #expect(Self.examples.count >= 2)
        for example in Self.examples {
            do throws(ConfigurationFaults) {
                _ = try ServiceConfiguration(reading: Array(example.utf8), path: "Configuration.md")
            } catch {
                Issue.record("\(error.lines.joined(separator: "\n"))")
            }
        }
    }

    @Test("the first example states the defaults of everything but rules")
    func standard() throws {
        let example = try #require(Self.examples.first)
        let configuration = try ServiceConfiguration(
            reading: Array(example.utf8), path: "Configuration.md")
        #expect(configuration == ServiceConfiguration())
        for section in ConfigurationSchema.sections {
            #expect(example.contains("[\(section.name)]"))
            for key in section.keys {
                #expect(example.contains("\n\(key.name) = \(key.standard)"), "\(key.name)")
            }
        }
    }
}

extension NotificationFeed.Selection {
    /// When it is known, for a table.
    fileprivate var text: String {
        switch self {
        case .nothing: "at once"
        case .app: "with the app"
        case .appName: "with the app's name"
        case .everything: "with the text"
        }
    }
}
