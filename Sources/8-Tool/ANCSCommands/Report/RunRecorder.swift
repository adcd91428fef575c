internal import DeviceCommandKit
internal import AccessoryConformance
internal import EventLines

/// Records runs, and writes the report with `--report`. The file is replaced as a whole, for the first time before the
/// first run: what cannot be written shows early, and the report of an earlier command is not taken for this one's.
final class RunRecorder: Sendable {
    private struct State: Sendable {
        var page: ReportPage
        var recording: RecordedRun?
        /// Whether the whole radio fades.
        var isFading = false
        /// When the file was written last.
        var written: MonotonicInstant
    }

    /// The least time between two writings, but for the last: a page takes a while to make.
    private static let pause = Duration.seconds(5)

    private let path: String
    private let texts: ReportFiles.Texts
    private var hasContent: Bool { texts != .left }
    private let loop: EventLoop
    private let state: Lock<State>

    /// A recorder of so many runs; `facts` are what is said of all of them.
    init(
        path: String, texts: ReportFiles.Texts, runs: Int, head: ReportHead,
        facts: [(name: String, value: String)], on loop: EventLoop
    ) throws(IOError) {
        (self.path, self.texts, self.loop) = (path, texts, loop)
        let page = ReportPage(expected: runs, head.title, facts: head.facts(facts))
        state = Lock(State(page: page, written: loop.now))
        try Self.replace(path, with: page, mode: texts.mode)
    }

    /// A run begins.
    func began(_ scenario: Scenario, at start: MonotonicInstant) {
        state.withLock { state in
            var recording = RecordedRun(scenario, hasContent: hasContent, at: start)
            if state.isFading { recording.fade(true, at: start) }
            state.recording = recording
        }
    }

    /// Something happened at the phone.
    func happened(
        _ event: ProviderEvent, _ reporter: Reporter, at provider: NotificationProvider
    ) async {
        let now = loop.now
        var posted: PostedNotification?
        switch event {
        case .notification(_, let id): posted = await provider.posted(id)
        case .device, .peer, .link, .session: break
        }
        let line = event.line(for: reporter, hasContent ? posted : nil)
        state.withLock { [posted] state in state.recording?.add(event, line, posted, at: now) }
    }

    /// Something happened at an app of the phone.
    func happened(_ event: BoundApps.Event) {
        let now = loop.now
        state.withLock { state in state.recording?.add(event, at: now) }
    }

    /// A fade of the radio began, or the last one ended.
    func fade(_ isOn: Bool) {
        let now = loop.now
        state.withLock { state in
            state.isFading = isOn
            state.recording?.fade(isOn, at: now)
        }
    }

    /// A run has ended, or could not begin. Writes what there is so far, if that was not done just before; `output` is
    /// what the accessory's program printed, if that is known.
    func ended(
        _ scenario: Scenario? = nil, _ result: ScenarioResult, output: [String]?
    ) async throws(IOError) {
        let now = loop.now
        let isDue = state.withLock { state in
            var recording = exchange(&state.recording, with: nil)
            if recording == nil, let scenario {
                recording = RecordedRun(scenario, hasContent: hasContent, at: now)
            }
            recording?.end(result, output: output)
            if let recording { state.page.add(recording) }
            return now - state.written >= Self.pause
        }
        if isDue { try await write() }
    }

    /// No run follows. Writes the whole report.
    func finish() async throws(IOError) { try await write() }

    /// Writes what there is. The page is made on another thread than the loop's, which has accessories to answer.
    private func write() async throws(IOError) {
        let now = loop.now
        let page = state.withLock { state in
            state.written = now
            return state.page
        }
        let (path, mode) = (path, texts.mode)
        let failure: IOError? = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.write(page, to: path, mode: mode)
        }
        if let failure { throw failure }
    }

    @concurrent private static func write(
        _ page: ReportPage, to path: String, mode: UInt32
    ) async -> IOError? {
        do throws(IOError) { try replace(path, with: page, mode: mode) } catch {
            return error
        }
        return nil
    }

    private static func replace(
        _ path: String, with page: ReportPage, mode: UInt32
    ) throws(IOError) {
        try OutputFile.replace(
            path: path, contents: Array(page.html.utf8), mode: mode, kind: "report")
    }
}
