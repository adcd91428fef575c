internal import ANCSKit
internal import AccessoryConformance
internal import LinuxIO
internal import Terminal

extension ScenarioRunner {
    /// Runs a scenario on a phone of its own. Throws if the phone cannot start or fails.
    static func run(
        _ scenario: Scenario, _ options: PhoneOptions, on loop: EventLoop
    ) async throws(DeviceError) -> ExitStatus {
        let console: ScenarioConsole
        do throws(IOError) { console = try ScenarioConsole(options) } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            return .usage
        }
        let provider: NotificationProvider
        let behavior: ProviderBehavior
        var scenario = scenario
        do throws(DeviceError) {
            var configuration = options.configuration
            configuration.adopt(scenario)
            // What is graded depends on whether the phone pairs by itself.
            scenario.pairing = configuration.pairing
            behavior = configuration.behavior
            provider = try NotificationProvider(
                configuration, at: try options.bluetooth(), on: loop)
        } catch {
            await console.couldNotStart(scenario, because: error.message)
            throw error
        }
        let runner = ScenarioRunner(
            scenario, provider, behavior: behavior, audience: console,
            stateDirectory: options.stateDirectory, words: \.log)
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(on: loop) {
                Task(executorPreference: loop) { await runner.interrupt() }
            }
        } catch { throw .transport(error) }
        defer { requests.cancel() }
        let ending = try await runner.run()
        return console.hasFailed ? .failure : ending.status
    }
}

extension ScenarioEnding {
    /// The exit status. Problems of the scenario are written to standard error.
    var status: ExitStatus {
        switch self {
        case .finished(let result): return result.isSuccess ? .success : .failure
        case .phoneEnded: return .failure
        case .refused(let obstacle):
            StandardStreams.writeError("ancs: \(TerminalText.visible(obstacle.reason))")
            return .usage
        }
    }
}
