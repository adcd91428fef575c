import ANCS
import AccessoryConformance
import BluetoothTypes
import Foundation
import HCITransports
import JSONText
import LinuxIO
import Octets
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import CaptureScenario
@testable import CommandKit

/// A capture becomes a scenario that a phone can play.
@Suite("Scenarios of captures")
struct CaptureScenarioTests {
    private static func events(_ octets: [UInt8]) -> [CaptureEvent] {
        var analyzer = CaptureAnalyzer()
        analyzer.receive(octets)
        analyzer.finish()
        var events: [CaptureEvent] = []
        while let output = analyzer.pollOutput() {
            if case .event(let event) = output { events.append(event) }
        }
        return events
    }

    private static func scenario(
        of octets: [UInt8], expectsAccessory: Bool = false
    ) -> ScenarioText? {
        var story = PhoneStory(expectsAccessory: expectsAccessory)
        for event in events(octets) { story.receive(event) }
        return story.finish()
    }

    /// The capture of a side while a phone plays a scenario.
    private func capture(
        _ scenario: Scenario, ofPhone: Bool = false
    ) async throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let path = folder.path + "/capture"
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let writer = try BtsnoopWriter(path: path)
        let stage = DemoStage(
            DemoStage.Settings(
                phoneCapture: ofPhone ? writer : nil, accessoryCapture: ofPhone ? nil : writer),
            view: DemoJSON(), on: loop
        ) { _ in }
        let result = try await withTaskExecutorPreference(loop) { try await stage.run(scenario) }
        #expect(result?.status == .success)
        writer.close()
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// What an event shows of the phone and of the accessory, without times and addresses.
    private static func shown(_ event: CaptureEvent.Event) -> String? {
        switch event {
        case .source(let octets, _): "source \(octets)"
        case .command(let write, _): "command \(write.octets)"
        case .commandResult(_, let error, _, _): "confirmed \(String(describing: error))"
        case .commandUnanswered: "unanswered"
        case .answer(let answer, _):
            "answer "
                + (answer.content.attributes ?? []).map { attribute in
                    attribute.id == NotificationAttributeID.date.rawValue
                        ? "date" : "\(attribute.id) \(attribute.octets)"
                }.joined(separator: ", ")
        case .subscription(let characteristic, let isOn): "\(characteristic) \(isOn)"
        case .mtu(let mtu): "mtu \(mtu)"
        case .serviceChanged: "changed"
        case .sessionBegan: "session"
        case .disconnected(let reason, _): "disconnected \(String(describing: reason))"
        default: nil
        }
    }

    @Test(
        "the phone of a capture plays what the phone in it did",
        arguments: [
            "call-answered", "call-declined", "call-missed", "call-waiting", "consent-late",
            "decades-of-uids", "first-pairing", "long-message-small-mtu", "mail-body-later",
            "reconnect", "service-vanishes", "text", "faults/category-12", "faults/ellipsis",
            "faults/errors", "faults/header-only-app", "faults/lost-answer",
            "faults/uids-restart", "trouble/phone-restarts",
        ])
    func roundTrip(_ name: String) async throws {
        let first = try await capture(Scenario(named: name))
        let text = try #require(Self.scenario(of: first)).text
        let second = try await capture(Scenario(json: text))
        let (before, after) = (
            Self.events(first).compactMap { Self.shown($0.event) },
            Self.events(second).compactMap { Self.shown($0.event) }
        )
        #expect(before.count > 10)
        #expect(before == after)
    }

    @Test(
        "a capture of the phone serves as well",
        arguments: ["call-answered", "reconnect", "service-vanishes", "consent-late"])
    func phoneSide(_ name: String) async throws {
        let first = try await capture(Scenario(named: name), ofPhone: true)
        let text = try #require(Self.scenario(of: first)).text
        let second = try await capture(Scenario(json: text), ofPhone: true)
        #expect(
            Self.events(first).compactMap { Self.shown($0.event) }
                == Self.events(second).compactMap { Self.shown($0.event) })
    }

    @Test("what repeats without a step ends at a limit too")
    func bounded() throws {
        var link = LinkBuilder()
        link.wholeSession()
        for number in 0..<(PhoneStory.maximumSteps + 100) {
            link.write(LinkBuilder.command(7))
            link.refuse(number % 2 == 0 ? 0xA2 : 0xA3)
        }
        let refused = try #require(Self.scenario(of: link.capture.octets))
        #expect(refused.stepCount <= 2 * PhoneStory.maximumSteps)
        #expect(refused.remarks.contains { $0.contains("is left out") })
        var long = LinkBuilder()
        long.wholeSession()
        let title = String(repeating: "A", count: 60_000)
        for uid in 8..<200 as Range<UInt32> {
            long.announce(uid)
            long.fetch(uid, title: title)
        }
        let scenario = try #require(Self.scenario(of: long.capture.octets))
        #expect(scenario.text.utf8.count < PhoneStory.maximumOctets + (1 << 20))
    }

    @Test("as a test it expects what the accessory did", arguments: ["text", "call-answered"])
    func asTest(_ name: String) async throws {
        let octets = try await capture(Scenario(named: name))
        let text = try #require(Self.scenario(of: octets, expectsAccessory: true)).text
        #expect(
            text.contains(
                #"{"expect":{"command":"getNotificationAttributes","answer":"success","of":"1"}"#))
        _ = try await capture(Scenario(json: text))
        // Where something else happens, it fails.
        let other = text.replacing(#""answer":"success""#, with: #""answer":"invalidParameter""#)
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let stage = DemoStage(DemoStage.Settings(), view: DemoJSON(), on: loop) { _ in }
        let scenario = try Scenario(json: other)
        let result = try await withTaskExecutorPreference(loop) { try await stage.run(scenario) }
        #expect(result?.status != .success)
    }

    @Test(
        "texts of any kind become JSON that can be read",
        arguments: ["\"}", "\u{1B}[2J", "🌍\u{0}", "\\u0000\n"])
    func texts(_ title: String) throws {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        link.announce(7)
        link.fetch(7, title: title)
        let text = try #require(Self.scenario(of: link.capture.octets)).text
        _ = try Scenario(json: text)
        let steps = try JSONValue(parsing: text)["steps"]?.array ?? []
        #expect(steps.contains { $0["post"]?["title"]?.string == title })
        #expect(!text.contains("\u{1B}") && !text.contains("\u{0}"))
    }

    @Test("a capture without a session is no scenario, and links of other phones are left out")
    func phones() throws {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        #expect(Self.scenario(of: link.capture.octets) == nil)
        link.subscribe()
        link.announce(1)
        link.fetch(1, title: "Ada")
        link.disconnect()
        link.connect(DeviceAddress(0xC0FF_EE00_0001, kind: .random))
        link.discover()
        link.subscribe()
        link.announce(1)
        link.fetch(1, title: "Mallory")
        let scenario = try #require(Self.scenario(of: link.capture.octets))
        #expect(scenario.text.contains("Ada") && !scenario.text.contains("Mallory"))
        #expect(scenario.remarks.contains("links with other phones are left out"))
    }

    @Test("a flood ends at the limit, and says so")
    func flood() throws {
        var link = LinkBuilder()
        link.wholeSession()
        for uid in 8..<(8 + UInt32(PhoneStory.maximumSteps)) { link.announce(uid) }
        for uid in 8..<100 as Range<UInt32> { link.announce(uid, .removed) }
        let scenario = try #require(Self.scenario(of: link.capture.octets))
        // Each step, and the pause before it.
        #expect(scenario.stepCount <= 2 * PhoneStory.maximumSteps + 16)
        #expect(scenario.remarks.contains { $0.contains("is left out") })
    }

    @Test("damaged captures become a scenario or none")
    func damaged() throws {
        var random = SeededGenerator(seed: 72)
        var link = LinkBuilder()
        link.wholeSession()
        link.disconnect()
        link.wholeSession()
        for _ in 0..<300 {
            var octets = link.capture.octets
            for _ in 0..<4 {
                octets[Int.random(in: 40..<octets.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            if let text = Self.scenario(of: octets)?.text { _ = try Scenario(json: text) }
        }
    }

    @Test("the command writes a private file, and refuses what is no capture")
    func command() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let (capture, output) = (folder.path + "/capture", folder.path + "/scenario")
        var link = LinkBuilder()
        link.wholeSession()
        try Data(link.capture.octets).write(to: URL(filePath: capture))
        func run(_ input: String, _ output: String) throws -> CommandKit.ExitStatus {
            try ScenarioCommand(
                capture: input, output: output, expectsAccessory: false, isJSON: true
            ).run()
        }
        #expect(try run(capture, output) == .success)
        let written = try FileManager.default.attributesOfItem(atPath: output)
        #expect(written[.posixPermissions] as? Int == 0o600)
        #expect(throws: CommandSyntax.UsageError.self) { try run(capture, capture) }
        #expect(throws: CommandSyntax.UsageError.self) { try run(output, capture) }
        #expect(throws: CommandSyntax.UsageError.self) { try run(folder.path + "/none", output) }
        #expect(try Data(contentsOf: URL(filePath: capture)).count == link.capture.octets.count)
        #expect(try Scenario(like: capture).title == "From a capture")
    }
}
