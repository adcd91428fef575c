import ANCS
import ANCSEvents
import Foundation
import HCITransports
import JSONText
import LinuxIO
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CaptureScenario

/// A scenario is played, the capture of a side becomes a scenario, and that is played for the same accessory.
@Suite("Round trips of captures") struct CaptureRoundTripTests {
    /// What the accessory showed, without times, and the capture of each side.
    struct Run {
        var shown: [String]
        /// The steps that did not pass.
        var failures: [String]
        var accessory: [UInt8]
        var phone: [UInt8]
    }

    /// The accessory has a second in which it shows what came last.
    static func run(_ scenario: Scenario, since start: NotificationDate) async throws -> Run {
        var scenario = scenario
        scenario.steps.append(
            ScenarioStep(
                path: "end", accessory: nil, deadline: .seconds(2), isOptional: false,
                verb: PhoneVerbs.Pause(duration: .seconds(1))))
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let paths = ["accessory", "phone"].map { folder.path + "/" + $0 }
        let writers = try paths.map { try BtsnoopWriter(path: $0) }
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let lines = Lock<[String]>([])
        var accessory = "Desk"
        if case .advertisedName(let name)? = scenario.accessories.first?.identification {
            accessory = name
        }
        let stage = DemoStage(
            DemoStage.Settings(
                accessoryName: accessory, phoneCapture: writers[1], accessoryCapture: writers[0]),
            view: DemoJSON(), on: loop
        ) { line in lines.withLock { $0.append(line) } }
        let result = try await withTaskExecutorPreference(loop) { try await stage.run(scenario) }
        let failures = result?.steps.filter { !$0.outcome.isGood }.map { "\($0)" } ?? ["no result"]
        for writer in writers { writer.close() }
        let octets = try paths.map { Array(try Data(contentsOf: URL(filePath: $0))) }
        let shown = Normalizer.normalized(
            lines.withLock { $0 }.filter { $0.hasPrefix(#"{"side":"accessory""#) }, since: start
        ).map {
            $0.replacing(#/"time":[0-9.]+,?/#, with: "").replacing(
                "00:00:00+00:00", with: "00:00:00"
            )
            .replacing(#/A0:00:00:00:00:[0-9]+/#, with: "A0")
        }
        return Run(
            shown: shown, failures: failures, accessory: octets[0], phone: octets[1])
    }

    static func scenario(of octets: [UInt8], expectsAccessory: Bool = false) -> ScenarioText? {
        var analyzer = CaptureAnalyzer()
        analyzer.receive(octets)
        analyzer.finish()
        var story = PhoneStory(expectsAccessory: expectsAccessory)
        while let output = analyzer.pollOutput() {
            if case .event(let event) = output { story.receive(event) }
        }
        return story.finish()
    }

    /// Why the accessory shows something else when the scenario of a capture is played.
    static let differences = [
        "conformance":
            "the phone sets behavior for single notifications, of which a capture shows a part",
        "trouble/flood-of-500": "what it did while values waited for the link is seen after them",
        "trouble/stalls-and-strays":
            "answers that were given up and came later have no command of their own",
    ]

    @Test(
        "what a phone did can be done again, by the capture of either side",
        arguments: ScenarioGolden.all)
    func roundTrip(_ golden: ScenarioGolden) async throws {
        let start = NotificationDate.now
        let scenario = try Scenario(contentsOf: Golden.path("Scenarios/\(golden.name).json"))
        let first = try await Self.run(scenario, since: start)
        var isSame = true
        for (side, octets) in [("accessory", first.accessory), ("phone", first.phone)] {
            // Without a session there is nothing to do again.
            guard let text = Self.scenario(of: octets, expectsAccessory: true)?.text else {
                #expect(Self.withoutSession.contains(golden.name))
                continue
            }
            let base = ProcessInfo.processInfo.environment["ANCS_ROUND_TRIPS"].map {
                "\($0)/\(golden.name.replacing("/", with: "-"))-\(side)"
            }
            if let base {
                try text.write(toFile: base + ".json", atomically: true, encoding: .utf8)
                try Data(octets).write(to: URL(filePath: base + ".btsnoop"))
            }
            let second = try await Self.run(Scenario(json: text), since: start)
            isSame = isSame && first.shown == second.shown
            // What the accessory did is expected of it, and it does it again.
            let isRepeated = Self.notRepeated.contains(golden.name) || second.failures == []
            #expect(isRepeated, "\(side): \(second.failures)")
            for (run, number) in [(first, 1), (second, 2)] {
                guard let base else { continue }
                try run.shown.joined(separator: "\n")
                    .write(toFile: "\(base).\(number)", atomically: true, encoding: .utf8)
            }
        }
        #expect(
            isSame == (Self.differences[golden.name] == nil),
            "ANCS_ROUND_TRIPS=FOLDER writes what the accessory showed, and the scenarios")
    }

    static let withoutSession: Set<String> = []
    /// It asks again where an answer stalls, at another time.
    static let notRepeated: Set = ["trouble/stalls-and-strays"]

    @Test(
        "a redacted capture says the same, and its scenario runs",
        arguments: [
            "text", "call-answered", "reconnect", "mail-body-later", "service-vanishes",
            "faults/late-answer", "faults/errors", "media/now-playing",
        ])
    func redacted(_ name: String) async throws {
        func events(_ octets: [UInt8]) -> [String] {
            var analyzer = CaptureAnalyzer()
            analyzer.receive(octets)
            analyzer.finish()
            var events: [String] = []
            while let output = analyzer.pollOutput() {
                guard case .event(let event) = output else { continue }
                events.append("\(event.event.kind) \(event.place)")
            }
            return events
        }
        let first = try await Self.run(Scenario(named: name), since: .now)
        let redacted = try #require(RedactionTests.redacted(first.accessory))
        #expect(events(redacted) == events(first.accessory))
        let text = try #require(Self.scenario(of: redacted)).text
        let second = try await Self.run(Scenario(json: text), since: .now)
        #expect(second.shown.count == first.shown.count)
    }
}
