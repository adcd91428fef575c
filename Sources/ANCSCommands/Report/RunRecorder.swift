internal import ANCSKit
internal import AccessoryConformance
internal import CommandKit
internal import EventLines
internal import LinuxIO
internal import Octets
internal import Terminal

/// Records runs, and writes the report with `--report`. The file is replaced as a whole, for the first time before the
/// first run: what cannot be written shows early, and the report of an earlier command is not taken for this one's.
final class RunRecorder: Sendable {
    private struct State: Sendable {
        var page: ReportPage
        var recording: RecordedRun?
        /// Whether the whole radio fades.
        var isFading = false
        /// When the file was written last.
        var written = MonotonicInstant.zero
    }

    /// The least time between two writings, but for the last: a page takes a while to make.
    private static let pause = Duration.seconds(5)

    private let path: String
    private let hasContent: Bool
    private let loop: EventLoop
    private let state: Lock<State>

    /// A recorder of so many runs; `facts` are what is said of all of them.
    init(
        path: String, hasContent: Bool, runs: Int, facts: [(name: String, value: String)],
        on loop: EventLoop
    ) throws(IOError) {
        self.path = path
        self.hasContent = hasContent
        self.loop = loop
        state = Lock(State(page: ReportPage(expected: runs, facts: facts)))
        try write(at: loop.now)
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
    ) throws(IOError) {
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
        if isDue { try write(at: now) }
    }

    /// No run follows. Writes the whole report.
    func finish() throws(IOError) { try write(at: loop.now) }

    private func write(at now: MonotonicInstant) throws(IOError) {
        let html = state.withLock { state in
            state.written = now
            return state.page.html
        }
        // Texts of notifications are for the user alone, as in captures.
        try OutputFile.replace(
            path: path, contents: Array(html.utf8), mode: hasContent ? 0o600 : 0o644,
            kind: "report")
    }
}
