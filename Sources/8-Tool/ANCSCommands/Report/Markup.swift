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

    /// An element with others in it. Attributes that are `nil` are left out.
    mutating func element(
        _ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void
    ) {
        open(name, attributes, ">")
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
        open(name, attributes, "/>")
    }

    private mutating func open(_ name: String, _ attributes: Attributes, _ end: String) {
        text += "<" + name
        for case (let name, let value?) in attributes {
            text += " \(name)=\"\(MarkupText.escaped(value, limit: textLimit))\""
        }
        text += end
    }

    /// Text.
    mutating func write(_ words: String) {
        text += MarkupText.escaped(words, limit: textLimit)
    }

    /// Text of others, whose direction does not reach what is around it.
    mutating func write(isolated words: String) { element("bdi", words) }

    /// The first row of a table.
    mutating func heads(_ names: [String]) {
        element("thead") { page in
            page.element("tr") { page in
                for name in names { page.element("th", ["scope": "col"], name) }
            }
        }
    }

    /// Another part.
    mutating func append(_ other: Markup) { text += other.text }

    /// A new line, for those who read the source.
    mutating func newLine() { text += "\n" }

    /// A style sheet of this program.
    mutating func style(_ sheet: StaticString) { text += "<style>\n\(sheet)</style>" }
}
