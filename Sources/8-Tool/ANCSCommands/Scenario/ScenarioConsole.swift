internal import DeviceCommandKit
internal import AccessoryConformance
internal import EventLines
internal import Synchronization

/// Reports a scenario on standard output, and optionally in files.
final class ScenarioConsole: ScenarioAudience {
    private let report: ScenarioReport
    private let printer: LinePrinter
    private let name: String
    private let reportFile: OutputFile?
    /// Records what happens for a page; `nil` if none is wanted.
    private let recorder: RunRecorder?
    /// Whether another ends the runs of that page, which knows more of them.
    private let isOneOfMany: Bool
    private let failed = Atomic<Bool>(false)

    init(
        name: String, isJSON: Bool, isVerbose: Bool, reportFile: OutputFile? = nil,
        recorder: RunRecorder? = nil, isOneOfMany: Bool = false
    ) {
        report = ScenarioReport(isJSON: isJSON, isColored: !isJSON && StandardStreams.isColored)
        printer = LinePrinter(isJSON: isJSON, isVerbose: isVerbose, isColored: false)
        (self.name, self.reportFile, self.recorder) = (name, reportFile, recorder)
        self.isOneOfMany = isOneOfMany
    }

    /// Whether the file could not be written.
    var hasFailed: Bool { failed.load(ordering: .relaxed) }

    func runBegan(_ scenario: Scenario, at start: MonotonicInstant) async {
        recorder?.began(scenario, at: start)
        for line in report.opening(of: scenario) { await StandardStreams.deliver(line) }
    }

    func happened(_ event: ProviderEvent, at provider: NotificationProvider) async {
        // The texts of the notifications are in the scenario.
        let reporter = Reporter(side: .phone, name: name)
        await recorder?.happened(event, reporter, at: provider)
        var line = event.line(for: reporter)
        switch event {
        // Until a controller has come, a person sees nothing else.
        case .device(.listening) where !report.isJSON: line.emphasis = .problem
        // A scenario goes on after a reset, or says why not.
        case .device(.resetting): line.emphasis = .stage
        case .device, .peer, .link, .session, .notification: break
        }
        await show(line)
    }

    /// Shows an event: in the log, and as JSON. Text for people is about the steps.
    private func show(_ line: Line, after speaker: String = "") async {
        for text in printer.diagnostics(line, after: { speaker }) {
            StandardStreams.writeError(text)
        }
        if report.isJSON {
            for text in printer.output(line) { await StandardStreams.deliver(text) }
        }
    }

    func happened(_ event: BoundApps.Event) async {
        recorder?.happened(event)
        await show(event.line, after: event.app + " ")
    }

    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) async {}

    func stepWaits(_ step: ScenarioStep) async {
        for line in report.lines(waitingFor: step) { await StandardStreams.deliver(line) }
    }

    func stepEnded(_ result: StepResult) async {
        for line in report.lines(of: result) { await StandardStreams.deliver(line) }
    }

    /// The caller reports the reason on standard error; standard output stays empty.
    func couldNotStart(_ scenario: Scenario, because cause: String) async {
        await writeReports(of: ScenarioResult(notStarted: scenario, because: cause), scenario)
    }

    func runEnded(_ result: ScenarioResult) async {
        for line in report.closing(of: result) { await StandardStreams.deliver(line) }
        await writeReports(of: result)
    }

    private func writeReports(of result: ScenarioResult, _ scenario: Scenario? = nil) async {
        do throws(IOError) {
            try reportFile?.write(Array(result.junit.utf8))
            if !isOneOfMany {
                try await recorder?.ended(scenario, result, output: nil)
                try await recorder?.finish()
            }
        } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            failed.store(true, ordering: .relaxed)
        }
    }
}
