internal import ANCSService
internal import Terminal

/// Shows a diagnosis to the user: what to do first, then a table of everything that was checked. Names may
/// come from other devices, so all text is made safe for a terminal.
package struct DoctorReport: Sendable {
    var diagnosis: Diagnosis
    var isColored: Bool

    var lines: [String] { summary + [""] + table }

    // MARK: The first fault

    private var summary: [String] {
        let paint = TerminalPaint(isColored: isColored)
        if let fault = diagnosis.firstFault {
            return heading(fault, paint("\(Self.mark(.fault)) \(description(of: fault))", .bad))
        }
        if let unseen = diagnosis.firstUnseen {
            return heading(unseen, paint("\(Self.mark(.unseen)) \(description(of: unseen))", .bold))
        }
        let count = diagnosis.findings.count { $0.severity == .note }
        let notes = count == 0 ? "" : "; \(counted(count, "note")) below"
        return [paint("\(Self.mark(.fine)) no fault\(notes)", .good)]
    }

    private func heading(_ finding: Finding, _ text: String) -> [String] {
        finding.remedy.isEmpty
            ? [text] : [text, "  " + TerminalText.visible(finding.remedy)]
    }

    private func description(of finding: Finding) -> String {
        let subject = finding.subject.isEmpty ? "" : " of \(finding.subject)"
        return TerminalText.visible("\(Self.title(finding.id))\(subject): \(finding.seen)")
    }

    // MARK: The table

    private var table: [String] {
        let width = Finding.ID.allCases.map { Self.title($0).count }.max() ?? 0
        return diagnosis.findings.flatMap { rows($0, width) }
    }

    private func rows(_ finding: Finding, _ width: Int) -> [String] {
        let paint = TerminalPaint(isColored: isColored)
        let title = Self.title(finding.id)
        let gap = String(repeating: " ", count: width - title.count + 2)
        let subject = finding.subject.isEmpty ? "" : "\(finding.subject): "
        let seen = TerminalText.visible(subject + finding.seen)
        let mark = paint(Self.mark(finding.severity), Self.style(finding.severity))
        let indent = String(repeating: " ", count: width + 4)
        let rest = [finding.why, finding.remedy.isEmpty ? "" : "→ \(finding.remedy)"]
            .filter { !$0.isEmpty }
            .map { indent + paint(TerminalText.visible($0), .dim) }
        return ["\(mark) \(title)\(gap)\(seen)"] + rest
    }

    private static func mark(_ severity: Finding.Severity) -> String {
        switch severity {
        case .fine: "✔"
        case .note: "•"
        case .unseen: "?"
        case .fault: "✘"
        }
    }

    private static func style(_ severity: Finding.Severity) -> TerminalPaint.Style {
        switch severity {
        case .fine: .good
        case .note, .unseen: .bold
        case .fault: .bad
        }
    }

    /// The title of a line of the table: the words of its identifier, unless there are better ones.
    static func title(_ id: Finding.ID) -> String {
        titles[id] ?? String(id.rawValue.map { $0 == "-" ? " " : $0 })
    }

    private static let titles: [Finding.ID: String] = [
        .knownAdapter: "reports", .lowEnergy: "Low Energy", .bluetoothdSettings: "main.conf",
        .selinux: "SELinux", .socket: "private texts", .service: "ANCS",
        .authorization: "consent", .iPhoneSettings: "iPhone settings",
    ]
}
