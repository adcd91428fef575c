internal import ANCSCapture
internal import JSONText
internal import LinuxIO

/// A part of a story, in order. Formatting it takes longer than following the capture, so it may be done on
/// another thread.
struct StoryPage: Sendable {
    private let isJSON: Bool
    private let isColored: Bool
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
        self.isColored = isColored
        self.start = start
        self.opening = opening
        self.happenings = happenings
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
        var text = StoryText(isColored: isColored)
        if let opening { text.writeLine(opening) }
        for happening in happenings { text.write(happening, since: start ?? happening.time) }
        for line in closing { text.writeLine(line) }
        return text.octets
    }
}
