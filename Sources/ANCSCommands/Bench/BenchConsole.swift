internal import ANCSEvents
internal import AccessoryConformance
internal import CommandKit
internal import JSONText
internal import LinuxIO
internal import Terminal
internal import VirtualBluetooth

/// Prints what a bench does, and writes its report.
final class BenchConsole: Sendable {
    /// The lines of the program that are shown for a failed run.
    private static let shownLines = 20

    let audience: ScenarioConsole
    private let options: BenchOptions
    private let printer: LinePrinter
    private let reportFile: OutputFile?
    private let runs = Lock<[JUnitReport.Run]>([])

    /// Creates the file of the report before the first run.
    init(_ options: BenchOptions) throws(IOError) {
        self.options = options
        printer = LinePrinter(
            isJSON: options.isJSON, isColored: !options.isJSON && StandardStreams.isColored)
        audience = ScenarioConsole(
            name: "iPhone", isJSON: options.isJSON, isVerbose: options.isVerbose)
        reportFile = try ScenarioConsole.reportFile(options.reportPath)
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

    /// A run has ended; `output` is what the program printed.
    func end(_ result: ScenarioResult, _ output: BenchOutput) async {
        let lines = output.lines(last: options.isVerbose ? .max : Self.shownLines)
        runs.withLock { $0.append(JUnitReport.Run(result, output: lines)) }
        guard options.isVerbose || !result.isSuccess else { return }
        await show(
            Line(
                "output", ["lines": .array(lines.map { .string($0) })],
                lines.isEmpty ? "the program printed nothing" : "the program printed:", .item,
                below: lines.map { .text($0) }))
    }

    /// All runs have ended. Writes the report, and returns the exit status.
    func end(runs count: Int, isInterrupted: Bool) async -> ExitStatus {
        let runs = runs.withLock { $0 }
        let passed = runs.count { $0.result.isSuccess }
        let isSuccess = passed == count && !isInterrupted
        await show(
            Line(
                "verdict",
                [
                    "result": isSuccess ? "passed" : "failed", "passed": .integer(passed),
                    "runs": .integer(count),
                ],
                count > 1 ? "\(passed) of \(counted(count, "run")) passed" : nil, .heading))
        guard let reportFile else { return isSuccess ? .success : .failure }
        do throws(IOError) {
            try reportFile.write(Array(JUnitReport.xml(of: runs).utf8))
        } catch { return ExitStatus.report(.transport(error)) }
        return isSuccess ? .success : .failure
    }

    private func show(_ line: Line) async { await printer.printed(line).show() }
}
