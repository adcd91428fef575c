@testable import Terminal
@testable import AccessoryConformance
import ANCS
import ANCSKit
import ANCSService
import Octets
import Testing

@testable import ANCSCommands

@Suite("Columns of the demo")
struct DemoColumnsTests {
    private let lunch = DemoBlock(
        heading: "+ Messages · Ada", texts: ["Lunch?"], details: ["uid 0"])

    /// Identifiers as a phone gives them.
    private func identifiers(_ count: Int) throws -> [NotificationID] {
        var store = NotificationStore()
        return try (0..<count).map { _ in
            try store.post(
                ProviderNotification(
                    appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social)
            ).id
        }
    }

    private func columns(_ width: Int = 80, isColored: Bool = false) -> DemoColumns {
        DemoColumns(width: width, paint: TerminalPaint(isColored: isColored))
    }

    @Test("the texts of both sides appear beside the notification's traffic on the link")
    func beside() throws {
        var page = columns()
        let id = try identifiers(1)[0]
        #expect(page.lines(of: .sight(.phone, lunch, about: id)) == [])
        #expect(page.lines(of: .traffic(.toAccessory, "added", about: id)) == [])
        #expect(page.lines(of: .traffic(.toPhone, "attributes?", about: id)) == [])
        #expect(page.isWaiting)
        #expect(
            page.lines(of: .sight(.accessory, lunch, about: id)) == [
                "+ Messages · Ada                ──── added ────▶ + Messages · Ada",
                "  Lunch?                        ◀ attributes? ──   Lunch?",
                "  uid 0                                            uid 0",
            ])
        #expect(!page.isWaiting)
    }

    @Test("the columns hold with wide characters and pictures")
    func wide() throws {
        var page = columns()
        let id = try identifiers(1)[0]
        let block = DemoBlock(heading: "+ さくら 🌸", texts: ["明日の会議は10時からです。資料を忘れないで 🙏"])
        _ = page.lines(of: .sight(.phone, block, about: id))
        for _ in 0..<3 { _ = page.lines(of: .traffic(.toAccessory, "added", about: id)) }
        let lines = page.lines(of: .sight(.accessory, block, about: id))
        #expect(lines.count == 3)
        for line in lines {
            let middle = try #require(line.firstIndex(of: "─"))
            #expect(TerminalText.width(of: String(line[..<middle])) == 32)
        }
    }

    @Test("an incomplete line is written before the next one, or after its time limit")
    func halves() throws {
        var page = columns()
        let ids = try identifiers(2)
        _ = page.lines(of: .sight(.phone, lunch, about: ids[0]))
        let lines = page.lines(of: .link(.none, "disconnected"))
        #expect(lines.count == 4)
        #expect(lines[0] == "+ Messages · Ada")
        #expect(lines[3].contains(" disconnected "))
        _ = page.lines(of: .sight(.phone, lunch, about: ids[1]))
        #expect(page.flush().count == 3)
        #expect(page.flush() == [])
        // The other half then stands alone.
        let late = page.lines(of: .sight(.accessory, lunch, about: ids[1]))
        #expect(late.first == String(repeating: " ", count: 49) + "+ Messages · Ada")
    }

    @Test("notifications that come together have a row each")
    func rows() throws {
        var page = columns()
        let ids = try identifiers(2)
        for id in ids { _ = page.lines(of: .sight(.phone, lunch, about: id)) }
        for id in ids { _ = page.lines(of: .traffic(.toAccessory, "added", about: id)) }
        for id in ids {
            #expect(page.lines(of: .sight(.accessory, lunch, about: id)).count == 3)
        }
        #expect(!page.isWaiting)
    }

    @Test("details are broken between each other, texts are cut after four lines")
    func breaking() throws {
        var page = columns()
        let block = DemoBlock(
            heading: "+ Phone", texts: [String(repeating: "word ", count: 90)],
            details: ["uid 5", "missedCall", "✓ Dial", "✗ Clear"])
        let lines = page.lines(of: .sight(.phone, block, about: nil))
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
        let line = page.lines(of: .sight(.accessory, lunch, about: nil))[0]
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
        let json = DemoJSON(accessory: "Desk")
        _ = json.began(.demo)
        #expect(json.redrawn(toWidth: 81) == [])
    }

    @Test("an arrow has its full length with any text", arguments: [16, 80])
    func arrows(width: Int) {
        for text in ["", "added", "明日の会議は10時からです", String(repeating: "x", count: 200)] {
            for arrow in [DemoArrow.toPhone, .toAccessory, .none] {
                let line = DemoColumns.arrow(arrow, text, width: width)
                #expect(TerminalText.width(of: line) == width)
            }
        }
    }
}

@Suite("The output of the demo")
struct DemoNarratorTests {
    private func content(_ title: String) throws -> PostedNotification {
        PostedNotification(
            notification: ProviderNotification(
                appIdentifier: try AppIdentifier("com.example"), categoryID: .social, title: title),
            appName: "Exam\u{1B}ple")
    }

    @Test("escapes and direction controls are visible and have no effect")
    func visible() throws {
        var narrator = DemoNarrator(phoneName: "iPhone", accessoryName: "De\u{202E}sk")
        var store = NotificationStore()
        let content = try content("A\u{202E}da\u{1B}[2J")
        let id = try store.post(content.notification).id
        let items = narrator.items(of: .notification(.added, id), content)
        #expect(
            items == [
                .sight(
                    .phone,
                    DemoBlock(heading: #"+ Exam\u{1B}ple · A\u{202E}da\u{1B}[2J"#), about: id)
            ])
        // What is gone is still known by its name.
        #expect(
            narrator.items(of: .notification(.removed, id), nil) == [
                .sight(
                    .phone,
                    DemoBlock(heading: #"- Exam\u{1B}ple · A\u{202E}da\u{1B}[2J"#), about: id)
            ])
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

    mutating func phone(
        _ event: ProviderEvent, _ content: PostedNotification?, at time: MonotonicInstant
    ) -> [String] {
        _ = page.phone(event, content, at: time)
        return []
    }

    mutating func accessory(_ event: ConsumerEvent, at time: MonotonicInstant) -> [String] {
        _ = page.accessory(event, at: time)
        return []
    }

    mutating func pressed(_ press: DemoPress, at time: MonotonicInstant) -> [String] {
        _ = page.pressed(press, at: time)
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
