internal import AccessoryConformance
internal import Printing

/// Shows a demo for users: in columns if the terminal is wide enough, else line by line.
struct DemoPage: DemoView {
    /// Where the page is shown.
    struct Place: Equatable, Sendable {
        /// The width of the terminal in columns; `nil` for other outputs.
        var width: Int?
        var isColored = false
        /// The name under which the program was run.
        var program = "ancs"
    }

    private enum Layout {
        case columns(DemoColumns)
        case lines(DemoLines)

        init(_ phone: String, _ accessory: String, width: Int?, _ paint: TerminalPaint) {
            if let width, width >= DemoColumns.minimumWidth {
                self = .columns(DemoColumns(width: width, paint: paint))
            } else {
                self = .lines(
                    DemoLines(phone: phone, accessory: accessory, width: width, paint: paint))
            }
        }
    }

    /// A part of what has been shown.
    private enum Past {
        case item(DemoItem)
        /// What had been held back was shown.
        case flush
    }

    private var layout: Layout
    private let paint: TerminalPaint
    private let names: (phone: String, accessory: String)
    private let program: String
    private var width: Int?
    private let printer: LinePrinter
    /// The notifications by the numbers that the accessory knows, in this session.
    private var notifications: [Int: Int] = [:]
    /// How the link is encrypted.
    private var protection: String?
    /// The notification that the accessory last requested; a request for app attributes that follows is about
    /// its app.
    private var lastAskedFor: Int?
    /// The scenario, once it has begun.
    private var scenario: (title: String, summary: String)?
    /// What has been shown, to be shown again in a window of another width. Windows do not show more.
    private var past: [Past] = []
    private static let pastLimit = 1000
    /// Whether the demo's own scenario is played.
    private let isTour: Bool

    init(_ place: Place, phone: String, accessory: String, isTour: Bool) {
        let paint = TerminalPaint(isColored: place.isColored)
        layout = Layout(phone, accessory, width: place.width, paint)
        width = place.width
        self.paint = paint
        names = (TerminalText.visible(phone), TerminalText.visible(accessory))
        program = TerminalText.visible(place.program)
        printer = LinePrinter(isJSON: false, isColored: place.isColored)
        self.isTour = isTour
    }

    mutating func began(_ scenario: Scenario) -> [String] {
        self.scenario = (scenario.title, scenario.summary)
        return opening
    }

    private var opening: [String] {
        guard let scenario else { return [] }
        let opening =
            fitting(scenario.title).map { paint($0, .bold) }
            + fitting(scenario.summary, indent: "  ")
        guard case .columns(let columns) = layout else { return opening }
        return opening + [""] + columns.opening(phone: names.phone, accessory: names.accessory)
    }

    mutating func show(_ line: Line, of side: DemoSide, at time: MonotonicInstant) -> [String] {
        let subject = subject(of: line)
        guard var view = line.view?.visible else { return [] }
        if case .link(let arrow, var text) = view {
            // A reader sees both sides. How the link is encrypted is said where a pairing was the reason.
            guard side == .phone else { return [] }
            if line.kind == "secured" {
                protection = text
                return []
            }
            if line.kind == "paired", let protection { text += ", " + protection }
            text = text.replacing("this side", with: names.phone)
                .replacing("the other side", with: names.accessory)
            view = .link(arrow, text)
        }
        if case .traffic = view, subject == nil { return [] }
        return lines(of: DemoItem(view, side, about: subject))
    }

    /// The notification that a line is about.
    private mutating func subject(of line: Line) -> Int? {
        let members = JSONValue.object(line.jsonMembers)
        if line.kind == "session", case .link = line.view {
            (notifications, lastAskedFor) = ([:], nil)
        }
        let uid = (members["uid"] ?? members["value"]?["uid"])?.integer
        if let notification = members["notification"]?.integer {
            if line.kind == "announced", let uid { notifications[uid] = notification }
            return notification
        }
        guard case .traffic = line.view else {
            return line.kind == "announced" ? nil : uid.flatMap { notifications[$0] }
        }
        if let uid { lastAskedFor = notifications[uid] }
        return lastAskedFor
    }

    mutating func stepBegan(_ step: ScenarioStep) -> [String] {
        guard let note = step.note, step.round ?? 1 == 1 else { return [] }
        return lines(of: DemoItem(.caption(TerminalText.visible(note)), .scenario))
    }

    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String] {
        guard result.failure != nil else { return [] }
        let lines = printer.text(ScenarioReport.line(of: result))
        return self.lines(of: DemoItem(.note([""] + lines), .scenario))
    }

    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String] {
        flush() + [""] + (isTour ? tourEnd(result) : closing(of: result))
    }

    private func closing(of result: ScenarioResult) -> [String] {
        ScenarioReport.lines(ofEnd: result).flatMap { printer.text($0) }
    }

    mutating func flush() -> [String] {
        note(.flush)
        return flushed()
    }

    private mutating func flushed() -> [String] {
        guard case .columns(var columns) = layout else { return [] }
        defer { layout = .columns(columns) }
        return columns.flush()
    }

    mutating func redrawn(toWidth width: Int) -> [String] {
        guard width != self.width else { return [] }
        self.width = width
        layout = Layout(names.phone, names.accessory, width: width, paint)
        var lines = opening
        for part in past {
            switch part {
            case .item(let item): lines += arranged(item)
            case .flush: lines += flushed()
            }
        }
        return lines
    }

    private mutating func note(_ part: Past) {
        if past.count >= Self.pastLimit { past.removeFirst() }
        past.append(part)
    }

    var isWaiting: Bool {
        guard case .columns(let columns) = layout else { return false }
        return columns.isWaiting
    }

    /// Wraps a text to the width of the terminal.
    private func fitting(_ text: String, indent: String = "") -> [String] {
        let text = TerminalText.visible(text)
        guard let width else { return text.isEmpty ? [] : [indent + text] }
        return TerminalText.wrapped(text, to: width - indent.count, limit: 6).map { indent + $0 }
    }

    private mutating func lines(of item: DemoItem) -> [String] {
        note(.item(item))
        return arranged(item)
    }

    private mutating func arranged(_ item: DemoItem) -> [String] {
        switch layout {
        case .lines(let lines): return lines.lines(of: item)
        case .columns(var columns):
            defer { layout = .columns(columns) }
            return columns.lines(of: item)
        }
    }

    // MARK: The demo's own story

    private func tourEnd(_ result: ScenarioResult) -> [String] {
        if result.interruption == .interrupted { return ["Stopped before the end."] }
        guard result.isSuccess else { return closing(of: result) }
        let requirements = result.grades.reduce(0) { sum, grades in
            sum + grades.verdicts.count { $0.standing == .kept && !$0.requirement.isOfLink }
        }
        let verdict =
            "✓ \(names.accessory) kept the \(requirements) requirements of ANCS that apply here"
        return fitting(verdict).map { paint($0, .good) } + ["", "Try next:"]
            + suggestions.flatMap { purpose, command in
                ["  " + purpose, "    " + paint("\(program) \(command)", .bold)]
            }
    }

    private var suggestions: [(purpose: String, command: String)] {
        [
            ("popups on this desktop, and you operate the phone", "demo --desktop"),
            ("another scenario: 'bench --list' lists them", "demo --scenario call-declined"),
            ("every event, as JSON", "demo --json"),
            ("what was on air", "demo --snoop demo.btsnoop; \(program) decode demo.btsnoop"),
            ("with your iPhone", "receive"),
            ("with your accessory, as root", "phone --hci hci-socket:0"),
        ]
    }
}
