internal import ANCS
internal import ANCSKit
internal import JSONText
internal import LinuxIO
internal import Synchronization

/// Tells how a scenario goes on standard output, and in a file where one is wanted.
final class ScenarioConsole: ScenarioAudience {
    private let report: ScenarioReport
    private let isVerbose: Bool
    private let reportPath: String?
    private let failed = Atomic<Bool>(false)

    init(_ settings: ScenarioRunner.Settings) {
        report = ScenarioReport(
            isJSON: settings.isJSON, isColored: !settings.isJSON && StandardStreams.isColored)
        isVerbose = settings.isVerbose
        reportPath = settings.reportPath
    }

    /// Whether the file could not be written.
    var hasFailed: Bool { failed.load(ordering: .relaxed) }

    func runBegan(_ scenario: Scenario) async {
        for line in report.opening(of: scenario) { await StandardStreams.deliver(line) }
    }

    func happened(_ event: ProviderEvent, at provider: NotificationProvider) async {
        if let text = told(event) {
            StandardStreams.writeError("ancs: \(TerminalText.visible(text))")
        }
        // What the notifications say is in the scenario.
        if report.isJSON { await StandardStreams.deliver(event.json { _ in nil }.text) }
    }

    /// What goes to standard error.
    private func told(_ event: ProviderEvent) -> String? {
        switch event {
        case _ where isVerbose: event.words
        case .warning(let text): text
        case .listening(let place) where !report.isJSON: "waiting for a controller at \(place)"
        default: nil
        }
    }

    func happened(_ event: BoundApps.Event) async {
        if isVerbose, let words = event.words {
            StandardStreams.writeError("ancs: \(TerminalText.visible("\(event.app) \(words)"))")
        }
        if report.isJSON { await StandardStreams.deliver(event.json.text) }
    }

    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) async {}

    func stepEnded(_ result: StepResult) async {
        for line in report.lines(of: result) { await StandardStreams.deliver(line) }
    }

    func runEnded(_ result: ScenarioResult) async {
        for line in report.closing(of: result) { await StandardStreams.deliver(line) }
        guard let reportPath else { return }
        do throws(IOError) {
            try TextFile.write(JUnitReport.xml(of: result), to: reportPath)
        } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            failed.store(true, ordering: .relaxed)
        }
    }
}
