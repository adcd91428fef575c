internal import AccessoryConformance
internal import ANCSCapture
internal import CaptureScenario
internal import CommandKit
internal import Glibc

/// `ancs decode CAPTURE --scenario FILE`: what the phone of the capture did, as a scenario.
struct ScenarioCommand {
    let capture: String
    let output: String
    let expectsAccessory: Bool
    let isJSON: Bool

    func run() throws(CommandSyntax.UsageError) -> ExitStatus {
        guard !FileOctets.isSame(capture, output) else {
            throw .init("\(TerminalText.visible(output)) is the capture itself; name another file")
        }
        let (scenario, damage) = try ScenarioText.read(capture, expectsAccessory: expectsAccessory)
        do throws(IOError) {
            // It has the texts of the capture.
            let file = try OutputFile(path: output, mode: 0o600, kind: "scenario")
            defer { file.close() }
            try file.write(Array(scenario.text.utf8))
        } catch { throw .init(message: error.message) }
        report(scenario)
        guard let damage else { return .success }
        StandardStreams.writeError("ancs: \(TerminalText.visible(capture)): \(damage)")
        return .failure
    }

    private func report(_ scenario: ScenarioText) {
        let name = TerminalText.visible(output)
        let remarks = scenario.remarks.map { "\n  \($0)" }.joined()
        let line = Line(
            "scenario",
            [
                "steps": .integer(scenario.stepCount),
                "remarks": .array(scenario.remarks.map { .string($0) }),
            ],
            "\(name): \(counted(scenario.stepCount, "step")), with the texts of the capture: "
                + "'ancs demo --scenario \(name)' plays it\(remarks)")
        if let text = isJSON ? line.text : line.sentence { StandardStreams.writeLine(text) }
    }
}

extension ScenarioText {
    /// Reads a capture.
    ///
    /// - Returns: The scenario, and why the rest of the file could not be read, if so.
    /// - Throws: If there is no capture, or no phone in it.
    static func read(
        _ path: String, expectsAccessory: Bool = false
    ) throws(CommandSyntax.UsageError) -> (ScenarioText, damage: String?) {
        let name = TerminalText.visible(path)
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name) }
        defer { if path != "-" { close(file) } }
        var source = FileOctets(descriptor: file)
        var analyzer = CaptureAnalyzer()
        var story = PhoneStory(expectsAccessory: expectsAccessory)
        var isAtEnd = false
        while !isAtEnd {
            if let octets = source.next() {
                analyzer.receive(octets)
            } else {
                analyzer.finish()
                isAtEnd = true
            }
            while let output = analyzer.pollOutput() {
                if case .event(let event) = output { story.receive(event) }
            }
        }
        if source.hasFailed { throw unreadable(name) }
        guard analyzer.summary.format != nil else {
            throw .init(message: "\(name) is not a capture of HCI with packets in it")
        }
        guard let scenario = story.finish() else {
            throw .init(
                message: "\(name) shows no session of ANCS that could be played again; "
                    + "'ancs decode' says what it shows")
        }
        return (scenario, analyzer.summary.failure?.message)
    }

    private static func unreadable(_ name: String) -> CommandSyntax.UsageError {
        .init(message: "cannot read \(name): \(String(cString: strerror(errno)))")
    }
}

extension Scenario {
    /// What the phone of a capture did, as a phone that grades: `--like`.
    init(like path: String) throws(CommandSyntax.UsageError) {
        let (scenario, damage) = try ScenarioText.read(path)
        let name = TerminalText.visible(path)
        for remark in scenario.remarks + [damage].compactMap(\.self) {
            StandardStreams.writeError("ancs: \(name): \(remark)")
        }
        do throws(ScenarioError) { try self.init(json: scenario.text) } catch {
            throw .init(mistakes: error.lines)
        }
        grading = .everything
    }
}
