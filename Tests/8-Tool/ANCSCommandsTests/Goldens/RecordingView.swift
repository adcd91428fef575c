import ANCS
import ANCSKit
import ANCSReceiver
import EventLines
import Octets
import LinuxIO

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit
@testable import Printing

/// What the commands print about one run, by command and form.
struct RunRecording: Sendable {
    /// A command and the form of its output.
    enum Form: String, CaseIterable, Sendable {
        case phoneText = "phone.txt"
        case phoneJSON = "phone.jsonl"
        case phoneJUnit = "phone.xml"
        case phonePage = "phone.html"
        case receiveText = "receive.txt"
        case receiveTerminal = "receive.terminal"
        case receiveJSON = "receive.jsonl"
        case demoText = "demo.txt"
        case demoTerminal = "demo.terminal"
        case demoJSON = "demo.jsonl"
    }

    private(set) var lines: [Form: [String]] = [:]

    mutating func add(_ lines: [String], to form: Form) {
        self.lines[form, default: []] += lines
    }

    /// Adds lines of standard error.
    mutating func add(diagnostics: [String], to form: Form) {
        add(diagnostics.map { "2> " + $0 }, to: form)
    }

    /// The same without what differs from run to run.
    func normalized(since start: NotificationDate) -> RunRecording {
        var recording = self
        recording.lines = lines.mapValues { Normalizer.normalized($0, since: start) }
        return recording
    }
}

/// Shows a run in all forms at once: as `ancs phone` with its scenario, `ancs receive` as the accessory, and
/// `ancs demo` would. Lines of standard error, which `--verbose` adds, begin with `2> `.
struct RecordingView: DemoView {
    /// Collects what is shown, for the test.
    final class Result: Sendable {
        private let recording = Lock(RunRecording())

        func edit(_ body: (inout RunRecording) -> Void) { recording.withLock { body(&$0) } }

        var all: RunRecording { recording.withLock { $0 } }
    }

    private let result: Result
    private let phoneText = ScenarioReport(isJSON: false, isColored: false)
    private let phoneJSON = ScenarioReport(isJSON: true, isColored: false)
    private var receivers: [RunRecording.Form: ReceiveReport]
    private var demos: [RunRecording.Form: any DemoView]
    /// What the page of `--report` shows.
    private var recorded: RecordedRun?

    init(accessory: String, isTour: Bool, to result: Result) throws {
        self.result = result
        receivers = [
            .receiveText: try .sample("--verbose", "--name", accessory),
            .receiveTerminal: try .sample("--name", accessory, isColored: true),
            .receiveJSON: try .sample("--json", "--name", accessory),
        ]
        func page(_ width: Int?) -> DemoPage {
            DemoPage(
                DemoPage.Place(width: width, isColored: width != nil), phone: "iPhone",
                accessory: accessory, isTour: isTour)
        }
        demos = [
            .demoText: page(nil), .demoTerminal: page(80), .demoJSON: DemoJSON(),
        ]
    }

    /// Passes an event to each of the demo's views.
    private mutating func show(_ body: (inout any DemoView) -> [String]) {
        for form in demos.keys {
            guard var view = demos[form] else { continue }
            let lines = body(&view)
            demos[form] = view
            result.edit { $0.add(lines, to: form) }
        }
    }

    private func report(_ body: (ScenarioReport) -> [String]) {
        result.edit {
            $0.add(body(phoneText), to: .phoneText)
            $0.add(body(phoneJSON), to: .phoneJSON)
        }
    }

    mutating func began(_ scenario: Scenario) -> [String] {
        report { $0.opening(of: scenario) }
        recorded = RecordedRun(scenario, hasContent: false, at: .zero)
        show { $0.began(scenario) }
        return []
    }

    mutating func show(_ line: Line, of side: DemoSide, at time: MonotonicInstant) -> [String] {
        show { $0.show(line, of: side, at: time) }
        return []
    }

    mutating func phone(
        _ event: ProviderEvent, _ line: Line, at time: MonotonicInstant
    ) -> [String] {
        result.edit {
            $0.add(diagnostics: ["ancs: " + TerminalText.visible(event.log)], to: .phoneText)
            $0.add(
                LinePrinter(isJSON: true, isColored: false).output(
                    event.line(for: Reporter(side: .phone, name: "iPhone"))), to: .phoneJSON)
        }
        recorded?.add(
            event, event.line(for: Reporter(side: .phone, name: "iPhone")), nil, at: time)
        show { $0.phone(event, line, at: time) }
        return []
    }

    mutating func accessory(
        _ event: ConsumerEvent, _ line: Line, at time: MonotonicInstant
    ) -> [String] {
        for form in receivers.keys {
            guard let lines = receivers[form]?.report(of: event) else { continue }
            result.edit {
                $0.add(diagnostics: lines.diagnostics, to: form)
                $0.add(lines.output, to: form)
            }
        }
        show { $0.accessory(event, line, at: time) }
        return []
    }

    mutating func stepBegan(_ step: ScenarioStep) -> [String] {
        show { $0.stepBegan(step) }
        return []
    }

    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String] {
        report { $0.lines(of: result) }
        show { $0.stepEnded(result, at: time) }
        return []
    }

    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String] {
        report { $0.closing(of: result) }
        self.result.edit {
            $0.add(
                JUnitReport.xml(of: result).split(separator: "\n").map(String.init), to: .phoneJUnit
            )
        }
        if var recorded {
            recorded.end(result, output: nil)
            var page = ReportPage(expected: 1, facts: [("Phone", "iPhone")])
            page.add(recorded)
            self.result.edit {
                $0.add(page.html.split(separator: "\n").map(String.init), to: .phonePage)
            }
        }
        show { $0.ended(result, at: time) }
        return []
    }

    mutating func flush() -> [String] {
        show { $0.flush() }
        return []
    }

    var isWaiting: Bool { demos.values.contains { $0.isWaiting } }
}

extension ReceiveReport {
    /// A report at a fixed time.
    static func sample(_ words: String..., isColored: Bool = false) throws -> ReceiveReport {
        try sample(words, isColored: isColored)
    }

    static func sample(_ words: [String], isColored: Bool = false) throws -> ReceiveReport {
        let place = words.contains("--bluez") ? [] : ["--hci", "hci-socket:0"]
        let arguments = try ReceiveOptions.syntax.parse(place + words)
        return ReceiveReport(
            options: try ReceiveOptions(arguments, environment: ["HOME": "/h"]),
            isColored: isColored,
            time: { CaptureTime(microsecondsSince1970: 1_795_253_400_000_000) })
    }
}
