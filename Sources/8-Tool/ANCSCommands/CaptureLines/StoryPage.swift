internal import ANCSCapture
internal import Printing

/// A part of a story, in order. Formatting it takes longer than following the capture, so it may be done on
/// another thread.
struct StoryPage: Sendable {
    private let isJSON: Bool
    private let paint: TerminalPaint
    /// The time of the first record of the capture.
    private let start: CaptureTime?
    /// A line before what happened.
    private let opening: String?
    private let happenings: [CaptureEvent]
    /// Lines after it.
    private var closing: [String] = []

    /// A page without closing lines.
    init(
        _ happenings: [CaptureEvent], since start: CaptureTime?, opening: String?, json: Bool,
        isColored: Bool
    ) {
        isJSON = json
        paint = TerminalPaint(isColored: isColored)
        (self.start, self.opening, self.happenings) = (start, opening, happenings)
    }

    /// Appends a closing line.
    mutating func append(_ line: String) { closing.append(line) }

    /// The formatted lines, each with its newline.
    var text: [UInt8] { isJSON ? objects : lines }

    private var objects: [UInt8] {
        var writer = JSONWriter()
        if let opening { writer.writeLine(opening) }
        for happening in happenings {
            writer.writeLine { object in
                happening.describe(since: start ?? happening.time, to: &object)
            }
        }
        for line in closing { writer.writeLine(line) }
        return writer.octets
    }

    private var lines: [UInt8] {
        var octets: [UInt8] = []
        func write(_ line: String) {
            octets.append(contentsOf: line.utf8)
            octets.append(UInt8(ascii: "\n"))
        }
        if let opening { write(opening) }
        for happening in happenings {
            let line = happening.line(since: start ?? happening.time)
            // Another line may say it already.
            guard let sentence = line.sentence else { continue }
            // The columns before the text are ASCII: as many columns as octets.
            let head = octets.count
            columns(of: happening, to: &octets)
            let indent = String(repeating: " ", count: octets.count - head + 4)
            write(painted(TerminalText.visible(sentence), line.emphasis))
            for case .text(let text) in line.below { write(indent + TerminalText.visible(text)) }
        }
        for line in closing { write(line) }
        return octets
    }

    /// The time in seconds since the first record, the adapter and the connection; what belongs to a session is
    /// indented.
    private func columns(of happening: CaptureEvent, to octets: inout [UInt8]) {
        octets.append(thousandths: happening.time - (start ?? happening.time), width: 10)
        let place = happening.place
        var columns = place.adapter.map { "  hci\($0)" } ?? ""
        if let number = place.connection { columns += "  #\(number)" }
        octets.append(contentsOf: (columns + (place.session == nil ? "  " : "    ")).utf8)
    }

    private func painted(_ text: String, _ emphasis: Line.Emphasis) -> String {
        switch emphasis {
        case .problem: paint("! " + text, .bad)
        case .heading: paint(text, .bold)
        case .stage: paint(text, .link)
        case .plain, .alarm, .hint, .item, .marked, .found, .verdict: text
        }
    }
}
