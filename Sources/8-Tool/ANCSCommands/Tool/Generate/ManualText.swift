internal import CommandKit

/// The text of a manual page, written with the macros of man(7).
struct ManualText: Sendable {
    private(set) var text: String

    /// Begins a page with a title and a section; `date` may be empty.
    init(_ name: String, section: String, date: String) {
        text = """
            .\\" Made by 'ancs generate man'.
            .TH \(Self.quoted(name.uppercased())) \(section) "\(date)" \
            \(Self.quoted("ancs \(ToolVersion.current)")) "ancs"
            .\\" No hyphenation, no justification: options stay whole.
            .nh
            .ad l

            """
    }

    mutating func section(_ title: String) { text += ".SH \(title)\n" }

    /// Paragraphs, separated by empty lines.
    mutating func paragraphs(_ words: String) {
        for (index, paragraph) in words.split(separator: "\n\n").enumerated() {
            if index > 0 { text += ".PP\n" }
            text += Self.marked(paragraph.split(separator: "\n").joined(separator: " "))
        }
    }

    /// A term and its description.
    mutating func entry(_ term: String, _ help: String) {
        text += ".TP\n\(Self.escaped(term))\n\(Self.marked(help))"
    }

    /// A term in bold, followed by words in italics, and its description.
    mutating func entry(bold: String, italic: String, _ help: String) {
        let following = italic.isEmpty ? "" : " \\fI\(Self.escaped(italic))\\fR"
        text += ".TP\n\\fB\(Self.escaped(bold))\\fR\(following)\n\(Self.marked(help))"
    }

    /// A line, not filled.
    mutating func line(bold: String, _ rest: String) {
        text += "\\fB\(Self.escaped(bold))\\fR \(Self.escaped(rest))\n"
    }

    mutating func list(_ pages: [String]) {
        text +=
            pages.map { page in
                let parts = page.split(separator: ".")
                return "\\fB\(Self.escaped(String(parts[0])))\\fR(\(parts[1]))"
            }.joined(separator: ",\n") + "\n"
    }

    // MARK: Escapes

    /// Lines of running text. Words between grave accents become bold.
    private static func marked(_ words: String) -> String {
        let parts = words.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        let isPaired = parts.count % 2 == 1
        let marked = parts.enumerated().map { index, part in
            index % 2 == 1 && isPaired ? "\\fB\(characters(part))\\fR" : characters(part)
        }
        return WrappedText.lines(of: marked.joined(separator: isPaired ? "" : "`"), width: 78)
            .map { guarded($0) + "\n" }.joined()
    }

    private static func escaped(_ words: String) -> String { guarded(characters(words)) }

    /// The argument of a macro.
    private static func quoted(_ words: String) -> String { "\"\(characters(words))\"" }

    /// Escapes a line that begins with a full stop or an apostrophe, which troff would take for a request.
    private static func guarded(_ line: String) -> String {
        line.first == "." || line.first == "'" ? "\\&" + line : line
    }

    /// Escapes characters that are special to troff or not allowed in its input: groff_char(7).
    private static func characters(_ words: String) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "\"": text += "\\(dq"
            case "'": text += "\\(aq"
            case "`": text += "\\(ga"
            case "~": text += "\\(ti"
            case "^": text += "\\(ha"
            case _ where scalar.value >= 0x80:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text +=
                    "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
