internal import AccessoryConformance

/// A run as a page shows it, and the names of the places of the page that are linked to one another.
///
/// A class, because sections and pictures refer to it, and its results are large.
final class ReportRun: Sendable {
    /// A piece of evidence with a place on the axis.
    struct Flag: Equatable, Sendable {
        var time: Duration
        /// The number of the verdict on the page, and of the evidence among that of the verdict.
        var verdict: Int
        var evidence: Int
    }

    /// A part of the page that others lead to.
    enum Place: String, Sendable {
        case event = "e"
        case flag = "f"
        case step = "s"
        case verdict = "v"
    }

    /// The number of the run, from 1.
    let number: Int
    let recording: RecordedRun
    let result: ScenarioResult
    let entries: [RecordedRun.Entry]
    /// The verdicts on all accessories, the worst first.
    let verdicts: [RequirementVerdict]
    /// Evidence, by time.
    let flags: [Flag]

    init?(_ recording: RecordedRun, number: Int) {
        guard let result = recording.result else { return nil }
        (self.number, self.recording, self.result) = (number, recording, result)
        entries = recording.entries
        let verdicts = result.grades.flatMap(\.verdicts).worstFirst
        self.verdicts = verdicts
        flags = verdicts.enumerated().flatMap { verdict, judged in
            judged.evidence.enumerated().compactMap { evidence, seen in
                seen.time.map { Flag(time: $0, verdict: verdict, evidence: evidence) }
            }
        }.sorted { ($0.time, $0.verdict) < ($1.time, $1.verdict) }
    }

    /// The name of a place of this run on the page.
    func anchor(_ place: Place, _ index: Int) -> String { "r\(number)\(place.rawValue)\(index)" }

    /// The accessory with this number, as people call it.
    func name(of accessory: Int) -> String {
        let name = recording.accessories[accessory]
        guard name.isEmpty else { return name }
        return recording.accessories.count > 1 ? "accessory \(accessory + 1)" : "accessory"
    }
}
