internal import AccessoryConformance
internal import Printing
internal import LinuxIO

/// A run as a page shows it: what of it is listed, and which places of the page are linked to one another.
///
/// A class, because sections and pictures refer to it, and its results are large.
final class ReportRun: Sendable {
    /// A piece of evidence with a place on the axis.
    struct Flag: Equatable, Sendable {
        var time: Duration
        /// The number of the requirement.
        var requirement: String
        var message: String
        var isBroken: Bool
        /// The number of the verdict on the page.
        var verdict: Int
    }

    /// The number of the run, from 1.
    let number: Int
    let recording: RecordedRun
    let result: ScenarioResult
    let limits: ReportLimits
    let entries: [RecordedRun.Entry]
    let verdicts: [RequirementVerdict]
    /// Evidence, by time.
    let flags: [Flag]
    /// The indices of the events that are listed.
    let listedEvents: [Range<Int>]
    /// The indices of the steps that are listed.
    let listedSteps: [Int]

    init?(_ recording: RecordedRun, number: Int, _ limits: ReportLimits) {
        guard let result = recording.result else { return nil }
        (self.number, self.recording, self.result, self.limits) = (
            number, recording, result, limits
        )
        let entries = recording.entries
        self.entries = entries
        let verdicts = result.verdicts(onFirst: limits.accessories)
        self.verdicts = verdicts
        flags = verdicts.enumerated().flatMap { index, verdict in
            verdict.evidence.compactMap { evidence in
                evidence.time.map { time in
                    Flag(
                        time: time, requirement: verdict.requirement.number,
                        message: evidence.message,
                        isBroken: verdict.standing == .broken, verdict: index)
                }
            }
        }.sorted { ($0.time, $0.verdict) < ($1.time, $1.verdict) }
        listedEvents = Self.listed(
            entries.count, limits.events,
            cut: recording.dropped > 0 ? RecordedRun.firstEntries : nil)
        listedSteps = Self.listed(result.steps, limits.steps)
    }

    /// The first and the last of so many, without those between if they do not fit; `cut` is the index before which
    /// others are missing.
    private static func listed(_ count: Int, _ limit: Int, cut: Int?) -> [Range<Int>] {
        if cut == nil, count <= limit { return [0..<count] }
        let head = min(cut ?? count, limit - limit / 2, count)
        let tail = max(count - limit / 2, head)
        return [0..<head, tail..<count]
    }

    /// Steps that failed first, and then the others in order.
    private static func listed(_ steps: [StepResult], _ limit: Int) -> [Int] {
        let failed = steps.indices.filter { steps[$0].outcome.hasFailure }.prefix(limit)
        let chosen = Set(failed)
        let others = steps.indices.lazy.filter { !chosen.contains($0) }
            .prefix(limit - failed.count)
        return (failed + others).sorted(byNumber: { UInt64($0) })
    }

    /// Whether an event is listed.
    func isListed(event index: Int) -> Bool { listedEvents.contains { $0.contains(index) } }

    /// The name of a place of this run on the page.
    func anchor(_ kind: Anchor, _ index: Int) -> String { "r\(number)\(kind.rawValue)\(index)" }

    enum Anchor: String {
        case event = "e"
        case flag = "f"
        case step = "s"
        case verdict = "v"
    }

    /// The accessory with this number, as people call it.
    func name(of accessory: Int) -> String {
        let name = recording.accessories[accessory]
        guard name.isEmpty else { return name }
        return recording.accessories.count > 1 ? "accessory \(accessory + 1)" : "accessory"
    }
}

extension StepResult.Outcome {
    /// Whether it did not come to what it waited for.
    var hasFailure: Bool {
        switch self {
        case .failed, .missed: true
        case .passed, .notReached: false
        }
    }
}

extension ScenarioResult {
    /// The verdicts on the first accessories, the worst first.
    func verdicts(onFirst count: Int) -> [RequirementVerdict] {
        grades.prefix(count).flatMap(\.verdicts).worstFirst
    }
}
