internal import DeviceCommandKit
internal import AccessoryConformance
internal import Synchronization
internal import VirtualBluetooth

/// Prints what a bench does, and writes its report.
final class BenchConsole: Sendable {
    /// The lines of the program that are shown for a failed run.
    private static let shownLines = 20

    let audience: ScenarioConsole
    private let options: BenchOptions
    private let printer: LinePrinter
    private let results: BenchResults?
    /// Records the runs for a page; `nil` if none is wanted.
    let recorder: RunRecorder?
    private let passed = Atomic<Int>(0)

    /// Creates the files of the reports before the first run.
    init(_ options: BenchOptions, on loop: EventLoop) throws(IOError) {
        self.options = options
        printer = LinePrinter(
            isJSON: options.isJSON, isColored: !options.isJSON && StandardStreams.isColored)
        results = try options.reports.junitFile().map { file throws(IOError) in
            try BenchResults(for: file)
        }
        recorder = try options.reports.recorder(
            of: options.repetitions * options.paths.count,
            facts: [
                ("Program", ReportHead.names(in: options.program)), ("Radio", options.radio.text),
            ], on: loop)
        if results != nil || recorder != nil {
            options.reports.texts.announce("texts of notifications and what the program prints")
        }
        audience = ScenarioConsole(
            name: "iPhone", isJSON: options.isJSON, isVerbose: options.isVerbose,
            recorder: recorder, isOneOfMany: true)
    }

    func begin(runs: Int) async {
        let seed = options.radio.seed
        await show(
            Line(
                "bench", ["runs": .integer(runs), "seed": .string("\(seed)")],
                runs > 1 ? "\(counted(runs, "run")), seed \(seed)" : nil, .heading))
    }

    func begin(run: Int, of count: Int, path: String) async {
        await show(
            Line(
                "run", ["run": .integer(run + 1), "scenario": .string(path)],
                count > 1 ? "run \(run + 1) of \(count): \(path)" : nil, .heading))
    }

    /// A run has ended; `output` is what the program printed. Throws if the page cannot be written.
    func end(
        _ scenario: Scenario, _ result: ScenarioResult, _ output: BenchOutput
    ) async throws(IOError) {
        let lines = output.lines(last: options.isVerbose ? .max : Self.shownLines)
        if result.isSuccess { passed.wrappingAdd(1, ordering: .relaxed) }
        try results?.add(result, output: options.reports.texts == .left ? [] : lines)
        try await recorder?.ended(scenario, result, output: output.lines(last: .max))
        guard options.isVerbose || !result.isSuccess else { return }
        await show(
            Line(
                "output", ["lines": .array(lines.map { .string($0) })],
                lines.isEmpty ? "the program printed nothing" : "the program printed:", .item,
                below: lines.map { .text($0) }))
    }

    /// All runs have ended. Writes the report, and returns the exit status.
    func end(runs count: Int, isInterrupted: Bool) async -> ExitStatus {
        let passed = passed.load(ordering: .relaxed)
        let isSuccess = passed == count && !isInterrupted
        await show(
            Line(
                "verdict",
                [
                    "result": isSuccess ? "passed" : "failed", "passed": .integer(passed),
                    "runs": .integer(count),
                ],
                count > 1 ? "\(passed) of \(counted(count, "run")) passed" : nil, .heading))
        do throws(IOError) {
            try writeResults()
            try await recorder?.finish()
        } catch { return ExitStatus.report(.transport(error)) }
        return isSuccess ? .success : .failure
    }

    /// Writes the results of the runs that have ended.
    func writeResults() throws(IOError) { try results?.write() }

    private func show(_ line: Line) async { await printer.printed(line).show() }
}

/// The report of the runs in JUnit XML. The document begins with their sums, so that it cannot be written before the
/// last one; until then the suites are in a file without a name.
private final class BenchResults: Sendable {
    private let file: OutputFile
    private let suites: ScratchFile
    private let report = Lock(JUnitReport())

    init(for file: OutputFile) throws(IOError) {
        self.file = file
        suites = try ScratchFile()
    }

    func add(_ result: ScenarioResult, output: [String]) throws(IOError) {
        let suite = report.withLock { $0.add(result, output: output) }
        try suites.write(Array(suite.utf8))
    }

    /// Writes the document with the suites so far.
    func write() throws(IOError) {
        try file.write(Array(report.withLock { $0.opening }.utf8))
        try suites.copy(to: file)
        try file.write(Array(JUnitReport.closing.utf8))
    }
}

extension RadioConfiguration {
    /// Its conditions, for people.
    fileprivate var text: String {
        let fades = fades.map { ", fades of \($0.length.brief), one in each \($0.period.brief)" }
        return "seed \(seed)" + (path.loss > 0 ? ", loss \(path.loss)" : "") + (fades ?? "")
    }
}
