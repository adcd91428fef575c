internal import AccessoryConformance
internal import CommandKit

/// `ancs bench`: runs scenarios with an accessory that is a program.
actor BenchCommand: LoopActor {
    /// A run of a scenario: its number from 0, and that of the repetition.
    private struct Run {
        var number: Int
        var repetition: Int
        var scenario: Scenario
        var path: String
    }

    nonisolated let loop: EventLoop
    private let options: BenchOptions
    private let console: BenchConsole
    private var stage: BenchStage?
    private var isInterrupted = false

    private init(_ options: BenchOptions, _ console: BenchConsole, on loop: EventLoop) {
        (self.options, self.console, self.loop) = (options, console, loop)
    }

    /// Runs every scenario.
    static func run(
        _ options: BenchOptions, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        if options.isList {
            ScenarioEntry.list(isJSON: options.isJSON)
            return .success
        }
        let scenarios = try options.scenarios()
        let console: BenchConsole
        do throws(IOError) { console = try BenchConsole(options, on: loop) } catch {
            throw .init(message: error.message)
        }
        do throws(IOError) {
            let command = BenchCommand(options, console, on: loop)
            let requests = try EndRequests(on: loop) {
                Task(executorPreference: loop) { await command.interrupt() }
            }
            defer { requests.cancel() }
            return await command.run(scenarios)
        } catch { return ExitStatus.report(.transport(error)) }
    }

    private func interrupt() async {
        isInterrupted = true
        await stage?.interrupt()
    }

    private func run(_ scenarios: [Scenario]) async -> ExitStatus {
        var runs: [Run] = []
        for repetition in 0..<options.repetitions {
            for (scenario, path) in zip(scenarios, options.paths) {
                runs.append(
                    Run(
                        number: runs.count, repetition: repetition, scenario: scenario, path: path))
            }
        }
        await console.begin(runs: runs.count)
        for run in runs where !isInterrupted {
            await console.begin(run: run.number, of: runs.count, path: run.path)
            do throws(IOError) {
                let stage = try await stage(for: run)
                let result = await stage.play(run.scenario, run: run.number, console.audience)
                try await console.end(run.scenario, titled(result, run), await stage.takeOutput())
            } catch {
                await closeStage()
                StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
                // The first error is the one to report.
                try? console.writeResults()
                return .usage
            }
            if !options.isKept { await closeStage() }
        }
        await closeStage()
        return await console.end(runs: runs.count, isInterrupted: isInterrupted)
    }

    /// The stage of a run, with its accessory; throws if the program cannot be run at all.
    private func stage(for run: Run) async throws(IOError) -> BenchStage {
        if let stage { return stage }
        let stage = try BenchStage(
            options, run: run.number, repetition: run.repetition, on: loop,
            fadeChanged: { [console] in console.recorder?.fade($0) })
        self.stage = stage
        if isInterrupted { await stage.interrupt() } else { try await stage.open() }
        return stage
    }

    private func closeStage() async {
        let stage = stage
        self.stage = nil
        for left in await stage?.close() ?? [] {
            StandardStreams.writeError("ancs: \(TerminalText.visible(left))")
        }
    }

    private func titled(_ result: ScenarioResult, _ run: Run) -> ScenarioResult {
        guard options.repetitions > 1 else { return result }
        var result = result
        result.title += ", repetition \(run.repetition + 1)"
        return result
    }
}
