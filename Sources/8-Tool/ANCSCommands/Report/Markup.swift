internal import Printing

/// A part of a page in HTML that is XML too. Texts and attributes are escaped here and nowhere else.
struct Markup: Equatable, Sendable {
    typealias Attributes = KeyValuePairs<String, String?>

    private(set) var text = ""
    /// The characters of Unicode that are shown of a text.
    let textLimit: Int

    /// The octets of it.
    var count: Int { text.utf8.count }

    init(textLimit: Int) { self.textLimit = textLimit }

    /// An element with others in it. Its classes follow its name, each after a dot: `p.verdict.good`. Attributes that
    /// are `nil` are left out.
    mutating func element(
        _ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void
    ) {
        let name = open(name, attributes, ">")
        body(&self)
        text += "</\(name)>"
    }

    /// An element with text.
    mutating func element(_ name: String, _ attributes: Attributes, _ words: String) {
        element(name, attributes) { $0.write(words) }
    }

    /// The same, without attributes.
    mutating func element(_ name: String, _ words: String) { element(name, [:], words) }

    /// An element that is empty.
    mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
        _ = open(name, attributes, "/>")
    }

    /// Begins an element, and returns its name without the classes.
    private mutating func open(
        _ selector: String, _ attributes: Attributes, _ end: String
    ) -> String {
        let parts = selector.split(separator: ".").map(String.init)
        let classes = parts.dropFirst().joined(separator: " ")
        text += "<" + parts[0] + (classes.isEmpty ? "" : " class=\"\(classes)\"")
        for case (let name, let value?) in attributes {
            text += " \(name)=\"\(MarkupText.escaped(value, limit: textLimit))\""
        }
        text += end
        return parts[0]
    }

    /// Text.
    mutating func write(_ words: String) { text += MarkupText.escaped(words, limit: textLimit) }

    /// Text of others, whose direction does not reach what is around it.
    mutating func write(isolated words: String) { element("bdi", words) }

    /// A table with these heads, whose rows the body writes.
    mutating func table(
        _ kind: String, _ caption: String, _ heads: [String], _ rows: (inout Markup) -> Void
    ) {
        element("table.\(kind)") { page in
            page.element("caption", caption)
            page.element("thead") { page in
                page.element("tr") { page in
                    for name in heads { page.element("th", ["scope": "col"], name) }
                }
            }
            page.element("tbody") { page in rows(&page) }
        }
    }

    /// Another part.
    mutating func append(_ other: Markup) { text += other.text }

    /// A new line, for those who read the source.
    mutating func newLine() { text += "\n" }

    /// A style sheet of this program.
    mutating func style(_ sheet: String) { text += "<style>\n\(sheet)</style>" }
}
