internal import CommandKit
package import Values

extension DoctorReport {
    private static let severity = SchemaFragment.words(["fine", "note", "fault", "unseen"])
    private static let finding = SchemaFragment.object([
        "id": .text, "subject": .text, "severity": severity, "seen": .text, "why": .text,
        "remedy": .text,
    ]).defined(as: "finding")

    /// The line of `ancs doctor`.
    package static let schema = LineSchema(
        "doctor",
        "One object on standard output. Documentation/Doctor.md describes each finding.",
        [
            LineKind(
                "", "what was found",
                [
                    "severity": severity, "firstFault": finding.orNull,
                    "findings": .list(of: finding),
                ])
        ])
}
