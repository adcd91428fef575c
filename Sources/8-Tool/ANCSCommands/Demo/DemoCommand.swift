internal import AccessoryConformance
internal import CommandKit
internal import Glibc

/// `ancs demo`: a virtual phone and a virtual accessory that exchange notifications.
enum DemoCommand {
    /// A whole run.
    static func run(
        _ options: DemoOptions, on programLoop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        if options.isDesktop { return await DesktopDemo.run(options, on: programLoop) }
        let scenario = try options.scenario()
        let settings: DemoStage.Settings
        let loop: EventLoop
        do throws(IOError) {
            settings = try options.settings(for: scenario)
            loop = try EventLoop(name: "ancs-demo", clock: settings.clock)
        } catch { return ExitStatus.report(.transport(error)) }
        defer { loop.shutdown() }
        // Lines are written synchronously, so the demo pauses while the output is blocked.
        let stage = DemoStage(settings, view: options.view(settings), on: loop) { line in
            // The page fits already, and the commands to try next can be copied.
            StandardStreams.write(line + "\n")
        }
        do throws(PhoneFailure) {
            let result = try await run(stage, scenario, on: loop)
            let isInterrupted = result.map { $0.interruption == .interrupted } ?? true
            return options.isTour && isInterrupted ? .success : result?.status ?? .failure
        } catch { return ExitStatus.report(error) }
    }

    private static func run(
        _ stage: DemoStage, _ scenario: Scenario, on loop: EventLoop
    ) async throws(PhoneFailure) -> ScenarioResult? {
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(
                on: loop, others: StandardStreams.hasEscapes ? [SIGWINCH] : [],
                take: { number in
                    guard number == SIGWINCH else { return false }
                    if let window = StandardStreams.window {
                        Task(executorPreference: loop) {
                            await stage.redraw(
                                columns: window.columns, rows: window.rows, after: LiveScreen.empty)
                        }
                    }
                    return true
                }
            ) { Task(executorPreference: loop) { await stage.interrupt() } }
        } catch { throw .device(.transport(error)) }
        defer { requests.cancel() }
        return try await withTaskExecutorPreference(loop) { () throws(PhoneFailure) in
            try await stage.run(scenario)
        }
    }
}
