internal import Terminal
internal import ANCSCapture
internal import HCITransports
internal import LinuxIO

/// Describes happenings for users, a line each, safe for a terminal. The first column is the time in seconds
/// since the first record, the second the connection; lines that belong to a session are indented.
struct StoryText: Sendable {
    /// The time of the first record.
    var start: CaptureTime

    /// The width of the time column.
    private static let timeWidth = 10

    /// Writes the lines of a happening; none if another line already says it.
    func write(_ happening: Happening, to lines: inout StoryLines) {
        lines.begin()
        writeHead(happening, to: &lines)
        lines.beginText()
        guard let line = happening.line(since: start) else {
            return lines.end(writeValue(happening.event, to: &lines))
        }
        if line.emphasis == .problem { lines.write("! ") }
        lines.write(visible: line.sentence ?? "")
        lines.end(line.emphasis == .stage ? .milestone : nil)
    }

    /// Writes the columns before the text.
    private func writeHead(_ happening: Happening, to lines: inout StoryLines) {
        lines.write(thousandths: happening.time - start, width: Self.timeWidth)
        let place = happening.place
        if let adapter = place.adapter {
            lines.write("  hci")
            lines.write(adapter)
        }
        if let number = place.connection {
            lines.write("  #")
            lines.write(number)
        }
        lines.write(place.session == nil ? "  " : "    ")
    }
}
