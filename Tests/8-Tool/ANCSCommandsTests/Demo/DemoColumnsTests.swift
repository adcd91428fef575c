import ANCS
import ANCSKit
import EventLines
import JSONText
import Octets
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit
@testable import Printing

@Suite("Columns of the demo")
struct DemoColumnsTests {
    private let lunch = Line.View.sight(
        "+ Messages · Ada", texts: ["Lunch?"], details: ["uid 0"])

    private func columns(_ width: Int = 80, isColored: Bool = false) -> DemoColumns {
        DemoColumns(width: width, paint: TerminalPaint(isColored: isColored))
    }

    @Test("the texts of both sides appear beside the notification's traffic on the link")
    func beside() throws {
        var page = columns()
        #expect(page.lines(of: DemoItem(lunch, .phone, about: 7)) == [])
        #expect(page.lines(of: DemoItem(.traffic(.right, "added"), .phone, about: 7)) == [])
        #expect(page.lines(of: DemoItem(.traffic(.left, "attributes?"), .phone, about: 7)) == [])
        #expect(page.isWaiting)
        #expect(
            page.lines(of: DemoItem(lunch, .accessory, about: 7)) == [
                "+ Messages · Ada                ──── added ────▶ + Messages · Ada",
                "  Lunch?                        ◀ attributes? ──   Lunch?",
                "  uid 0                                            uid 0",
            ])
        #expect(!page.isWaiting)
    }

    @Test("the columns hold with wide characters and pictures")
    func wide() throws {
        var page = columns()
        let block = Line.View.sight("+ さくら 🌸", texts: ["明日の会議は10時からです。資料を忘れないで 🙏"])
        _ = page.lines(of: DemoItem(block, .phone, about: 7))
        for _ in 0..<3 { _ = page.lines(of: DemoItem(.traffic(.right, "added"), .phone, about: 7)) }
        let lines = page.lines(of: DemoItem(block, .accessory, about: 7))
        #expect(lines.count == 3)
        for line in lines {
            let middle = try #require(line.firstIndex(of: "─"))
            #expect(TerminalText.width(of: String(line[..<middle])) == 32)
        }
    }

    @Test("an incomplete line is written before the next one, or after its time limit")
    func halves() throws {
        var page = columns()
        _ = page.lines(of: DemoItem(lunch, .phone, about: 0))
        let lines = page.lines(of: DemoItem(.link(.none, "disconnected"), .phone))
        #expect(lines.count == 4)
        #expect(lines[0] == "+ Messages · Ada")
        #expect(lines[3].contains(" disconnected "))
        _ = page.lines(of: DemoItem(lunch, .phone, about: 1))
        #expect(page.flush().count == 3)
        #expect(page.flush() == [])
        // The other half then stands alone.
        let late = page.lines(of: DemoItem(lunch, .accessory, about: 1))
        #expect(late.first == String(repeating: " ", count: 49) + "+ Messages · Ada")
    }

    @Test("notifications that come together have a row each")
    func rows() throws {
        var page = columns()
        for id in 0...1 { _ = page.lines(of: DemoItem(lunch, .phone, about: id)) }
        for id in 0...1 {
            _ = page.lines(of: DemoItem(.traffic(.right, "added"), .phone, about: id))
        }
        for id in 0...1 {
            #expect(page.lines(of: DemoItem(lunch, .accessory, about: id)).count == 3)
        }
        #expect(!page.isWaiting)
    }

    @Test("details are broken between each other, texts are cut after four lines")
    func breaking() throws {
        var page = columns()
        let block = Line.View.sight(
            "+ Phone", texts: [String(repeating: "word ", count: 90)],
            details: ["uid 5", "missedCall", "✓ Dial", "✗ Clear"])
        let lines = page.lines(of: DemoItem(block, .phone, about: nil))
        #expect(lines.count == 7)
        #expect(lines[4].hasSuffix("…"))
        #expect(lines[5] == "  uid 5 · missedCall · ✓ Dial")
        #expect(lines[6] == "  ✗ Clear")
    }

    @Test("colors are escapes around whole texts, and only where they are wanted")
    func colors() {
        let plain = columns().opening(phone: "iPhone", accessory: "Desk")
        #expect(!plain.joined().contains("\u{1B}"))
        var page = columns(isColored: true)
        let line = page.lines(of: DemoItem(lunch, .accessory, about: nil))[0]
        #expect(line.hasSuffix("\u{1B}[1m+ Messages · Ada\u{1B}[0m"))
    }

    @Test(
        "a page drawn again is what a terminal of the new width would have shown",
        arguments: [72, 40])
    func drawnAgain(width: Int) async throws {
        let wide = try await DemoBench.run(.demo, DemoBench.page(width: 100))
        let other = try await DemoBench.run(.demo, DemoBench.page(width: width))
        let narrowed = Redrawn(DemoBench.page(width: 100), width: width)
        let lines = try await DemoBench.run(.demo, narrowed).lines
        #expect(wide.lines != other.lines)
        #expect(lines == other.lines)
    }

    @Test("a page of the same width is not drawn again, nor is JSON")
    func notDrawnAgain() async throws {
        var page = DemoBench.page(width: 80)
        _ = page.began(.demo)
        #expect(page.redrawn(toWidth: 80) == [])
        #expect(page.redrawn(toWidth: 81) != [])
        var json = DemoJSON()
        _ = json.began(.demo)
        #expect(json.redrawn(toWidth: 81) == [])
    }

    @Test("an arrow has its full length with any text", arguments: [16, 80])
    func arrows(width: Int) {
        for text in ["", "added", "明日の会議は10時からです", String(repeating: "x", count: 200)] {
            for arrow in [Line.Arrow.left, .right, .none] {
                let line = DemoColumns.arrow(arrow, text, width: width)
                #expect(TerminalText.width(of: line) == width)
            }
        }
    }
}

@Suite("What is shown of both sides")
struct DemoViewTests {
    private func posted(_ title: String) throws -> PostedNotification {
        PostedNotification(
            notification: ProviderNotification(
                appIdentifier: try AppIdentifier("com.example"), categoryID: .social, title: title),
            appName: "Exam\u{1B}ple")
    }

    @Test("escapes and direction controls are visible and have no effect")
    func visible() throws {
        var page = DemoBench.page(width: nil)
        var store = NotificationStore()
        let content = try posted("A\u{202E}da\u{1B}[2J")
        let id = try store.post(content.notification).id
        func shown(_ change: EventID) -> [String] {
            let event = ProviderEvent.notification(change, id)
            let line = event.line(for: Reporter(side: .phone, name: "iPhone"), content)
            return page.show(line, of: .phone, at: .zero)
        }
        #expect(shown(.added) == [#"iPhone  + Exam\u{1B}ple · A\u{202E}da\u{1B}[2J"#])
        // What is gone is still known by its name.
        #expect(shown(.removed) == [#"iPhone  - Exam\u{1B}ple · A\u{202E}da\u{1B}[2J"#])
    }

    @Test("what one side says of this side and the other has the names of both")
    func names() {
        var page = DemoBench.page(width: nil)
        let line = Line(told: nil).viewed(.link(.none, "this side refuses the other side"))
        #expect(page.show(line, of: .phone, at: .zero) == ["───     iPhone refuses Desk"])
        #expect(page.show(line, of: .accessory, at: .zero) == [])
    }

    @Test("an answer that is about no notification of this session is not shown")
    func strangers() {
        var page = DemoBench.page(width: nil)
        func show(_ kind: String, _ members: [JSONValue.Member], _ view: Line.View) -> [String] {
            page.show(Line(kind, members).viewed(view), of: .phone, at: .zero)
        }
        let asked = Line.View.traffic(.left, "attributes?")
        #expect(show("command", [.init("uid", 7)], asked) == [])
        let value: JSONValue = ["event": "added", "uid": 7]
        let announced = show(
            "announced", [.init("notification", 3), .init("value", value)],
            .traffic(.right, "added"))
        #expect(announced == ["──▶     added"])
        #expect(show("command", [.init("uid", 7)], asked) == ["◀──     attributes?"])
        #expect(show("command", [], .traffic(.left, "app name?")) == ["◀──     app name?"])
        _ = show("session", [], .link(.left, "a session begins"))
        #expect(show("command", [.init("uid", 7)], asked) == [])
    }
}

/// A page in a window whose width changes before the end: it writes all at once then.
private struct Redrawn: DemoView {
    private var page: DemoPage
    private let width: Int

    init(_ page: DemoPage, width: Int) { (self.page, self.width) = (page, width) }

    mutating func began(_ scenario: Scenario) -> [String] {
        _ = page.began(scenario)
        return []
    }

    mutating func show(_ line: Line, of side: DemoSide, at time: MonotonicInstant) -> [String] {
        _ = page.show(line, of: side, at: time)
        return []
    }

    mutating func stepBegan(_ step: ScenarioStep) -> [String] {
        _ = page.stepBegan(step)
        return []
    }

    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String] {
        _ = page.stepEnded(result, at: time)
        return []
    }

    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String] {
        page.redrawn(toWidth: width) + page.ended(result, at: time)
    }

    mutating func flush() -> [String] {
        _ = page.flush()
        return []
    }

    var isWaiting: Bool { page.isWaiting }
}
