internal import Terminal
internal import ANCSService
internal import ANCS
internal import Octets

/// Text for users, as octets: each text is written once, in its final place.
struct StoryLines: Sendable {
    /// How a line is emphasized on a terminal.
    enum Style: Sendable {
        case failure
        case notification
        case milestone

        fileprivate var paint: TerminalPaint.Style {
            switch self {
            case .failure: .bad
            case .notification: .bold
            case .milestone: .link
            }
        }
    }

    /// The lines so far.
    private(set) var octets: [UInt8] = []
    private let isColored: Bool
    /// Where the columns before the text begin, and where the text does.
    private var head = 0
    private var text = 0
    /// Where the first of several lines ends, in front of its newline.
    private var firstEnd: Int?

    /// No lines; those that follow may be colored.
    init(isColored: Bool) { self.isColored = isColored }

    /// Writes a whole line.
    mutating func writeLine(_ line: String) {
        write(text: line)
        octets.append(UInt8(ascii: "\n"))
    }

    // MARK: An entry of several lines

    /// Begins an entry, with the columns before its text.
    mutating func begin() { head = octets.count }

    /// Marks the end of the columns before the text, and the beginning of the text.
    mutating func beginText() {
        text = octets.count
        firstEnd = nil
    }

    /// Begins another line of the entry, under the text of the first.
    mutating func beginNextLine() {
        if firstEnd == nil { firstEnd = octets.count }
        octets.append(UInt8(ascii: "\n"))
        // The columns before the text are ASCII: as many columns as octets.
        write(spaces: text - head + 4)
    }

    /// Ends an entry. An entry without text is removed; a failure (`!`) has the style of failures.
    mutating func end(_ style: Style?) {
        guard octets.count > text else {
            octets.removeLast(octets.count - head)
            return
        }
        let shown = octets[text] == UInt8(ascii: "!") ? .failure : style
        if isColored, let shown {
            octets.insert(contentsOf: TerminalPaint.end.utf8, at: firstEnd ?? octets.count)
            octets.insert(contentsOf: shown.paint.sequence.utf8, at: text)
        }
        octets.append(UInt8(ascii: "\n"))
    }

    // MARK: Text

    /// Writes words of the program.
    mutating func write(_ words: StaticString) {
        words.withUTF8Buffer { octets.append(contentsOf: $0) }
    }

    /// Writes a text that is safe for a terminal.
    mutating func write(text: String) { octets.append(contentsOf: text.utf8) }

    /// Writes untrusted text, made safe for a terminal.
    mutating func write(visible text: String) { write(text: TerminalText.visible(text)) }

    /// Writes untrusted octets as text, made safe for a terminal.
    mutating func write(visible text: [UInt8]) {
        // Most texts are plain.
        if TerminalText.isPlain(text.span) {
            octets.append(contentsOf: text)
        } else {
            write(visible: UTF8Text.repaired(text))
        }
    }

    /// Writes a number.
    mutating func write(_ number: some BinaryInteger) { octets.append(decimal: Int(number)) }

    /// Writes seconds with three decimals, after spaces up to a width.
    mutating func write(thousandths duration: Duration, width: Int) {
        octets.append(thousandths: duration, width: width)
    }

    /// Writes spaces.
    mutating func write(spaces count: Int) {
        octets.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
    }
}
