internal import ANCSCapture
internal import LinuxIO
internal import Printing

/// Describes happenings for users, a line each, safe for a terminal. The first column is the time in seconds
/// since the first record, the second the connection; lines that belong to a session are indented.
struct StoryText: Sendable {
    /// The lines so far.
    private(set) var octets: [UInt8] = []
    private let paint: TerminalPaint

    /// No lines; those that follow may be colored.
    init(isColored: Bool) { paint = TerminalPaint(isColored: isColored) }

    /// Writes a whole line.
    mutating func writeLine(_ line: String) {
        octets.append(contentsOf: line.utf8)
        octets.append(UInt8(ascii: "\n"))
    }

    /// Writes the lines of a happening; none if another line already says it.
    mutating func write(_ happening: CaptureEvent, since start: CaptureTime) {
        let line = happening.line(since: start)
        guard let sentence = line.sentence else { return }
        let head = octets.count
        octets.append(thousandths: happening.time - start, width: 10)
        let place = happening.place
        var columns = place.adapter.map { "  hci\($0)" } ?? ""
        if let number = place.connection { columns += "  #\(number)" }
        octets.append(contentsOf: (columns + (place.session == nil ? "  " : "    ")).utf8)
        // The columns before the text are ASCII: as many columns as octets.
        let indent = octets.count - head + 4
        let text = TerminalText.visible(sentence)
        switch line.emphasis {
        case .problem: writeLine(paint("! " + text, .bad))
        case .heading: writeLine(paint(text, .bold))
        case .stage: writeLine(paint(text, .link))
        case .plain, .alarm, .hint, .item, .marked, .found, .verdict: writeLine(text)
        }
        for case .text(let text) in line.below {
            octets.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
            writeLine(TerminalText.visible(text))
        }
    }
}
