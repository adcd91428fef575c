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
    /// The runs that the tree has in full, and their forms: together they have nearly every kind of line.
    static let full: [String: [RunRecording.Form]] = [
        // Its JSON is in that of the demo.
        "demo": [.phoneText, .receiveText, .receiveTerminal, .demoText, .demoTerminal, .demoJSON],
        "faults/no-consent": RunRecording.Form.allCases,
        // Its page differs by its lanes only.
        "trouble/two-accessories": RunRecording.Form.allCases.filter { $0 != .phonePage },
    ]

    @Test("a run prints the lines that were recorded", arguments: full.keys.sorted())
    func run(_ name: String) async throws {
        let recording = try await ScenarioGolden(name: name).play()
        for form in Self.full[name] ?? [] {
            try Golden(name: "runs/\(name).\(form.rawValue)").check(recording.lines[form] ?? [])
        }
    }

    /// A difference here says which run and form it is in. To see the lines, write both runs in full: with
    /// `ANCS_WRITE_GOLDENS=FOLDER`, before the change and after it.
    @Test("every run prints as many lines as were recorded, with the same sum")
    func sums() async throws {
        var sums: [String] = []
        for scenario in ScenarioGolden.all {
            let recording = try await scenario.play()
            try checkTime(of: scenario.name, recording.lines[.phoneJSON] ?? [])
            for form in RunRecording.Form.allCases {
                let lines = recording.lines[form] ?? []
                let sum = "\(lines.count)  \(checksum(of: lines))"
                sums.append("\(scenario.name).\(form.rawValue)  \(sum)")
                guard Golden.writesAll else { continue }
                try Golden(name: "runs/\(scenario.name).\(form.rawValue)").check(lines)
            }
        }
        try Golden(name: "runs/sums.txt").check(sums)
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
        let runs = Self.full.flatMap { name, forms in forms.map { "runs/\(name).\($0.rawValue)" } }
        let known = runs + EventGoldenTests.names + CommandGoldenTests.names + ["runs/sums.txt"]
        #expect(Golden.recorded.filter { !known.contains($0) } == [])
    }
}
