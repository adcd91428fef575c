internal import CommandKit

/// What a page says at its head besides what the runs are of: its title, the version of the tool, and the day.
struct ReportHead: Sendable {
    var title: String?
    var hasDate = true

    /// `own` with the version and the day, in UTC.
    func facts(_ own: [(name: String, value: String)]) -> [(name: String, value: String)] {
        own + [("Judged by", "ancs \(ToolVersion.current)")]
            + (hasDate ? [("Date", String(CaptureTime.now.text.prefix(10)))] : [])
    }

    /// The words of a command, with the names of files instead of their paths.
    static func names(in words: [String]) -> String {
        words.map { word in
            word.contains("/") ? word.split(separator: "/").last.map(String.init) ?? word : word
        }.joined(separator: " ")
    }
}
