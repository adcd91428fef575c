import ANCS
import ANCSEvents
import JSONText
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance

/// A scenario of `Scenarios`, played with the accessory of the demo on the virtual clock.
struct ScenarioGolden: Sendable, CustomTestStringConvertible {
    /// The path below `Scenarios`, without its ending.
    let name: String

    var testDescription: String { name }

    static let all: [ScenarioGolden] = Golden.files(under: "Scenarios")
        .filter { $0.hasSuffix(".json") && $0 != "scenario.schema.json" }
        .map { ScenarioGolden(name: String($0.dropLast(5))) }

    func play() async throws -> RunRecording {
        let path = Golden.path("Scenarios/\(name).json")
        let scenario = try Scenario(contentsOf: path)
        var accessory = "Desk"
        if case .advertisedName(let name)? = scenario.accessories.first?.identification {
            accessory = name
        }
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let result = RecordingView.Result()
        let start = NotificationDate.now
        let view = try RecordingView(accessory: accessory, isTour: name == "demo", to: result)
        var settings = DemoStage.Settings()
        settings.accessoryName = accessory
        let stage = DemoStage(settings, view: view, on: loop) { _ in }
        _ = try await withTaskExecutorPreference(loop) { try await stage.run(scenario) }
        let forms: KeyValuePairs<RunRecording.Form, String> = [
            .phoneJSON: "phone", .receiveJSON: "receive", .demoJSON: "demo",
        ]
        for (form, command) in forms {
            let lines = (result.all.lines[form] ?? []).filter { !$0.hasPrefix("2> ") }
            #expect(SchemaCheck.mistakes(in: lines, of: command) == [])
        }
        return result.all.normalized(since: start)
    }
}

@Suite("Recordings of whole runs")
struct ScenarioGoldenTests {
    /// The runs of which the tree has more than one form, which together have nearly every kind of line, and the long ones,
    /// which are shortened.
    static let forms: [String: [RunRecording.Form]] = [
        "call-waiting": allButPage,
        "conformance": [.demoText],
        // Its JSON is in that of the demo.
        "demo": [.phoneText, .receiveText, .receiveTerminal, .demoText, .demoTerminal, .demoJSON],
        "faults/errors": allButPage,
        "faults/no-consent": RunRecording.Form.allCases,
        "flood": [.demoText],
        "media-conformance": allButPage,
        "reconnect": allButPage,
        "trouble/flood-of-500": [.demoText],
        "trouble/link-fades": allButPage,
        "trouble/two-accessories": allButPage,
    ]
    /// One page is enough: most of it is the same in all of them.
    private static let allButPage = RunRecording.Form.allCases.filter { $0 != .phonePage }

    /// The recordings of a run. Of most it is what phone and accessory print as JSON, which has all that the other forms
    /// are made of.
    static func recordings(of scenario: ScenarioGolden) -> [(form: RunRecording.Form, name: String)]
    {
        let forms =
            Golden.writesAll ? RunRecording.Form.allCases : forms[scenario.name] ?? [.demoJSON]
        return forms.map { ($0, "runs/\(scenario.name).\($0.rawValue)") }
    }

    @Test("a run prints the lines that were recorded", arguments: ScenarioGolden.all)
    func run(_ scenario: ScenarioGolden) async throws {
        let recording = try await scenario.play()
        try checkTime(of: scenario.name, recording.lines[.phoneJSON] ?? [])
        for (form, name) in Self.recordings(of: scenario) {
            let lines = recording.lines[form] ?? []
            try Golden(name: name).check(Golden.writesAll ? lines : Self.shortened(lines))
        }
    }

    /// Of a flood, the beginning and the end, and the sum of what is between.
    private static func shortened(_ lines: [String]) -> [String] {
        let (beginning, end) = (300, 100)
        guard lines.count > beginning + end else { return lines }
        let between = Array(lines[beginning..<(lines.count - end)])
        let note = "… \(between.count) more lines, with the sum \(checksum(of: between)) …"
        return lines.prefix(beginning) + [note] + lines.suffix(end)
    }

    /// The list of a bench says how long a run takes.
    private func checkTime(of name: String, _ lines: [String]) throws {
        // The accessory of the demo uses no media: what these wait for does not come.
        guard !name.hasPrefix("media") else { return }
        let end = try lines.compactMap { line in
            line.hasPrefix("{") ? try JSONValue(parsing: line) : nil
        }.first { $0["event"]?.string == "result" }
        let seconds = try #require(end?["seconds"])
        let taken = seconds.integer.map(Double.init) ?? Double(seconds.text) ?? 0
        let usual = Double(try #require(Scenario.usualSeconds(of: name)))
        #expect(abs(taken - usual) <= max(2, taken / 10), "\(name) takes \(taken) s")
    }

    @Test("every recording belongs to a check")
    func noOthers() {
        let runs = ScenarioGolden.all.flatMap { Self.recordings(of: $0).map(\.name) }
        let known = runs + EventGoldenTests.names + CommandGoldenTests.names
        #expect(Golden.recorded.filter { !known.contains($0) } == [])
    }
}
