internal import ANCSService
package import Kinds

extension DoctorCommand {
    /// The line of `ancs doctor`.
    package static let schema = LineSchema(
        "doctor", "One object on standard output. Documentation/Doctor.md describes each finding.",
        [LineKind("", "what was found", Diagnosis.form)])
}

extension Diagnosis {
    /// What to do first, then everything that was checked.
    var lines: [Line] {
        let notes = findings.count { $0.severity == .note }
        let praise = "no fault" + (notes == 0 ? "" : "; \(counted(notes, "note")) below")
        let first = firstFault ?? firstUnseen
        let mark = first?.severity.mark ?? .good
        let summary = Line(
            "", Self.form.members(of: self), "\(mark.rawValue) \(first?.message ?? praise)",
            .verdict(mark.style), below: Line.Below.all(Line.Below.words, first?.remedy))
        return [summary, Line(told: "", .plain)] + findings.map(\.line)
    }
}

extension Finding {
    fileprivate var message: String {
        "\(id.title)\(subject.isEmpty ? "" : " of \(subject)"): \(seen)"
    }

    fileprivate var line: Line {
        Line(
            told: (subject.isEmpty ? "" : "\(subject): ") + seen, .found(severity.mark),
            below: Line.Below.all(Line.Below.details, why, remedy.isEmpty ? nil : "→ \(remedy)")
        ).after(id.title)
    }
}

extension Finding.Severity {
    fileprivate var mark: Line.Mark {
        switch self {
        case .fine: .good
        case .note: .note
        case .unseen: .unseen
        case .fault: .bad
        }
    }
}

extension Finding.ID {
    /// The words of the identifier, unless there are better ones.
    var title: String { Self.titles[self] ?? rawValue.replacing("-", with: " ") }

    private static let titles: [Self: String] = [
        .knownAdapter: "reports", .lowEnergy: "Low Energy", .bluetoothdSettings: "main.conf",
        .selinux: "SELinux", .socket: "private texts", .service: "ANCS",
        .authorization: "consent", .iPhoneSettings: "iPhone settings",
    ]
}
