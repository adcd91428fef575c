import Foundation
import Testing

@testable import ANCSCommands
@testable import CommandKit
@testable import Printing

@Suite("What a terminal can show")
struct TerminalAbilityTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var variables: [String: String]
        var hasUTF8: Bool
        var testDescription: String { "\(variables)" }
        init(_ variables: [String: String], _ hasUTF8: Bool) {
            (self.variables, self.hasUTF8) = (variables, hasUTF8)
        }
    }

    static let locales = [
        Case([:], true), Case(["LANG": ""], true), Case(["LANG": "C"], false),
        Case(["LANG": "POSIX"], false), Case(["LANG": "C.UTF-8"], true),
        Case(["LANG": "de_DE.UTF-8"], true), Case(["LANG": "de_DE.utf8@euro"], true),
        Case(["LANG": "de_DE.ISO-8859-1"], false), Case(["LANG": "de_DE@euro"], true),
        Case(["LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"], false),
        Case(["LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"], false),
        Case(["LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
    ]

    @Test("the locale says whether a terminal shows UTF-8", arguments: locales)
    func utf8(of one: Case) {
        #expect(TerminalAbility { one.variables[$0] }.hasUTF8 == one.hasUTF8)
    }

    @Test("a terminal that is dumb, or of which nothing is known, gets no escape sequences")
    func escapes() {
        let kinds: [(String?, Bool)] = [
            (nil, false), ("", false), ("dumb", false), ("xterm", true), ("linux", true),
        ]
        for (kind, hasEscapes) in kinds {
            #expect(TerminalAbility { $0 == "TERM" ? kind : nil }.hasEscapes == hasEscapes)
        }
    }

    @Test("text without UTF-8 is as wide as with it")
    func ascii() {
        #expect(ASCIIText.shown("✓ plain · “Ada…” –") == "+ plain - \"Ada~\" -")
        #expect(
            ASCIIText.shown("M\u{FC}ller ё 会議 🍜 e\u{301}\u{1B}[1m") == "M?ller ? ???? ?? ?\u{1B}[1m"
        )
        #expect(ASCIIText.shown("plain\tand\nsimple") == "plain\tand\nsimple")
        for sign in "✓✗●•·–…→▶◀─“”’≤×" {
            let text = String(sign)
            #expect(TerminalText.width(of: ASCIIText.shown(text)) == TerminalText.width(of: text))
        }
    }

    @Test("a line that is wider than its terminal goes on below, between words")
    func folds() {
        func lines(_ text: String) -> [String] { FoldedLine.lines(of: text, width: 20) }
        #expect(lines("short") == ["short"])
        #expect(lines("exactly twenty wide.") == ["exactly twenty wide."])
        #expect(lines("exactly twenty wide ones") == ["exactly twenty wide", "  ones"])
        #expect(
            lines("    desktop: dunst 1.9.0 is there")
                == ["    desktop: dunst", "      1.9.0 is there"])
        // Words that fit nowhere, and rows of spaces.
        #expect(
            lines("  /a/path/that/is/too/long/for/it at all")
                == ["  /a/path/that/is/too/long/for/it", "    at all"])
        #expect(lines("   ") == ["   "])
        #expect(lines("name            value of it") == ["name", "  value of it"])
        #expect(
            lines(String(repeating: " ", count: 30) + "x") == [
                String(repeating: " ", count: 30) + "x"
            ])
        // Wide characters count twice, colors not at all, and JSON is for programs.
        #expect(lines("会議 会議 会議 会議 会議") == ["会議 会議 会議 会議", "  会議"])
        // Chinese and Japanese have no spaces: a line ends between ideographs, but not before what closes.
        let text = "  明日の会議は、１０時から「銀座」で。ＡＢＣとＸＹＺ社は、いつもの店です。"
        for width in 8...40 {
            let folded = FoldedLine.lines(of: text, width: width)
            #expect(folded.allSatisfy { TerminalText.width(of: $0) <= width }, "\(width)")
            let rest = folded.dropFirst().map { $0.drop { $0 == " " } }
            #expect(text == folded[0] + rest.joined())
            #expect(rest.allSatisfy { !"、。」".contains($0.first ?? "。") })
            #expect(folded.allSatisfy { $0.last != "「" })
            #expect(folded.dropFirst().allSatisfy { $0.hasPrefix("    ") })
        }
        #expect(lines("안녕하세요 여러분 오늘은") == ["안녕하세요 여러분", "  오늘은"])
        let colored = "\u{1B}[31mexactly twenty wide.\u{1B}[0m"
        #expect(lines(colored) == [colored])
        #expect(lines(#"{"event": "added", "uid": 7}"#).count == 1)
    }

    @Test(
        "no line of help is wider than a terminal, but for longer words", arguments: [40, 60, 80])
    func help(width: Int) {
        for command in Tool.commands {
            for line in command.syntax.help(width: width).split(separator: "\n") {
                // A word that is too long stands alone in its column.
                let rest = line.dropLast(line.split(separator: " ").last?.count ?? 0)
                let isAlone = rest.hasSuffix("  ") || rest.allSatisfy { $0 == " " }
                #expect(line.count <= width || isAlone, "\(command.name): \(line)")
            }
        }
    }

    @Test("every sign in the texts of this program has one of ASCII in its place")
    func signs() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        // The words of codes in messages, the popups of desktops, and reports are not written to terminals.
        let others = [
            "Sources/5-Daemon/ANCSService/Codes/", "Sources/5-Daemon/ANCSService/Sinks/Desktop/",
            "Sources/8-Tool/ANCSCommands/Report/",
        ]
        var count = 0
        let modules = [
            "8-Tool/ANCSCommands", "5-Daemon/CommandKit", "5-Daemon/DaemonCommands",
            "8-Tool/LaboratoryCommands", "5-Daemon/ANCSService",
            "7-Laboratory/AccessoryConformance", "6-Kit/ANCSKit", "4-Receiver/ANCSReceiver",
            "4-Receiver/BlueZ", "1-Core/BluetoothLE",
            "2-Platform/HCITransports", "2-Platform/LinuxIO",
        ]
        for module in modules {
            let folder = root.appending(path: "Sources/\(module)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift", !others.contains(where: file.path.contains)
                else { continue }
                count += 1
                let text = try String(contentsOf: file, encoding: .utf8)
                for line in text.split(separator: "\n") {
                    let code = line.prefix(
                        upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
                    for sign in code where !sign.isASCII && !sign.isLetter {
                        #expect(ASCIIText.shown(String(sign)) != "?", "\(sign) in \(file.path)")
                    }
                }
            }
        }
        #expect(count > 300)
    }
}
