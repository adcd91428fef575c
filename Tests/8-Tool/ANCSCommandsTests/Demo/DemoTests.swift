import JSONText
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit
@testable import Printing

@Suite("The demo")
struct DemoTests {
    private func events(
        _ all: [JSONValue], side: String, _ event: String
    ) -> [JSONValue] {
        all.filter { $0["side"]?.string == side && $0["event"]?.string == event }
    }

    @Test("a phone and an accessory pair, share notifications, decline a call, and meet again")
    func story() async throws {
        let (result, lines) = try await DemoBench.run(.demo, DemoJSON())
        #expect(result?.status == .success)
        let all = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(all.allSatisfy { ["phone", "accessory", "scenario"].contains($0["side"]?.string) })
        let times = all.compactMap { $0["time"].flatMap { Double($0.text) } }
        #expect(times.count == all.count)
        #expect(times == times.sorted())

        #expect(events(all, side: "phone", "paired").count == 1)
        #expect(events(all, side: "phone", "bondRestored").count == 1)
        let added = events(all, side: "accessory", "added")
        #expect(
            added.map { $0["title"]?.string } == [
                "设计评审", "Ada Lovelace", "Katherine Johnson", "さくら 🌸", "Grace Hopper",
                "Grace Hopper", "设计评审", "Grace Hopper",
            ])
        #expect(
            added[1]["message"]?.string == "Lunch at one? 🍜 I booked the table by the window.")
        #expect(added[3]["message"]?.string == "明日の会議は10時からです。資料を忘れないでくださいね 🙏")
        let modified = events(all, side: "accessory", "modified")
        #expect(
            modified.map { $0["message"]?.string } == [
                "The numbers for the re-entry are checked by hand. They are good."
            ])
        // The second session begins from nothing: UID 0 is another notification's name again.
        #expect(added.map { $0["uid"]?.integer } == [0, 1, 2, 3, 4, 5, 0, 1])
    }

    @Test("the call is declined on the accessory: it is removed, and a missed call has a new UID")
    func call() async throws {
        let all = try await DemoBench.events()
        let pressed = try #require(events(all, side: "accessory", "pressed").first)
        #expect(pressed["label"]?.string == "Decline")
        let call = try #require(pressed["uid"]?.integer)
        let performed = events(all, side: "phone", "action")
        #expect(performed.map { $0["uid"]?.integer } == [call])
        #expect(performed.map { $0["performed"]?.boolean } == [true])
        #expect(events(all, side: "accessory", "removed").contains { $0["uid"]?.integer == call })
        let missed = events(all, side: "accessory", "added").filter {
            $0["category"]?.string == "missedCall"
        }
        #expect(missed.first?["uid"]?.integer == call + 1)
    }

    @Test("every run is the same", arguments: [80, nil])
    func deterministic(width: Int?) async throws {
        let first = try await DemoBench.run(.demo, DemoBench.page(width: width)).lines
        let second = try await DemoBench.run(.demo, DemoBench.page(width: width)).lines
        #expect(first == second)
        #expect(first.contains { $0.contains("Desk kept the") })
    }

    @Test("no line is wider than the terminal", arguments: [30, 60, 72, 80, 120, 300])
    func widths(width: Int) async throws {
        let lines = try await DemoBench.run(.demo, DemoBench.page(width: width)).lines
        // The commands to try next are not broken, so that they can be copied.
        let story = lines.prefix { $0 != "Try next:" }
        #expect(story.count > 60)
        for line in story {
            #expect(TerminalText.width(of: line) <= width, "\(line)")
        }
    }

    @Test("a run that is interrupted ends at once, and both sides with it")
    func interrupted() async throws {
        let (result, lines) = try await DemoBench.run(
            .demo, DemoBench.page(width: nil), interruptedAfter: .seconds(2))
        #expect(result?.interruption == .interrupted)
        #expect(result?.duration == .seconds(2))
        #expect(lines.last == "Stopped before the end.")
    }

    @Test("any other scenario has the accessory for a peer, and its own end")
    func otherScenario() async throws {
        let text = """
            { "title": "Two", "steps": [
                { "wait": "subscribed" },
                { "ring": { "as": "call", "from": "Ada" } },
                { "expect": { "action": "positive", "of": "call" }, "within": 5 },
                { "post": { "as": "last", "title": "Bye" } },
                { "expect": { "no": "command", "of": "last", "for": 1 } } ] }
            """
        let (result, lines) = try await DemoBench.run(
            Scenario(parsing: Array(text.utf8)), DemoBench.page(width: nil, isTour: false))
        #expect(result?.status == .failure)
        #expect(lines.contains("Desk    ✓ Answer"))
        #expect(lines.contains { $0.hasPrefix("  ✗ expect no command of \"last\"") })
        #expect(lines.last?.hasPrefix("✗ failed at step 5") == true)
    }
}
