internal import AccessoryConformance
internal import CommandKit

extension ScenarioRunner {
    /// Runs a scenario on a phone of its own. Throws if the phone cannot start or fails.
    static func run(
        _ scenario: Scenario, _ options: PhoneOptions, on loop: EventLoop
    ) async throws(DeviceError) -> ExitStatus {
        let console: ScenarioConsole
        do throws(IOError) {
            console = ScenarioConsole(
                name: options.name, isJSON: options.isJSON, isVerbose: options.isVerbose,
                reportFile: try options.reports.junitFile(),
                recorder: try options.reports.recorder(
                    of: 1, facts: [("Phone", options.name)], on: loop))
            // The other file has names of steps and requirements only.
            if options.reports.page != nil {
                options.reports.texts.announce("texts of notifications")
            }
        } catch { return CommandFailure(status: .usage, message: error.message).report() }
        let runner: ScenarioRunner
        do throws(DeviceError) {
            runner = try ScenarioRunner(
                scenario, phone: options.configuration, at: try options.bluetooth(), on: loop,
                audience: console, stateDirectory: options.stateDirectory)
        } catch {
            await console.couldNotStart(scenario, because: error.message)
            throw error
        }
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(on: loop) {
                Task(executorPreference: loop) { await runner.interrupt() }
            }
        } catch { throw .transport(error) }
        defer { requests.cancel() }
        do throws(PhoneFailure) {
            let result = try await runner.run()
            return console.hasFailed ? .failure : result.status
        } catch { return .report(error) }
    }
}

extension ScenarioResult {
    /// The exit status.
    var status: ExitStatus { isSuccess ? .success : .failure }
}

extension ExitStatus {
    /// Reports why a phone could not play a scenario, and returns the exit status.
    static func report(_ failure: PhoneFailure) -> ExitStatus {
        switch failure {
        case .device(let error): return report(error)
        case .refused(let reason): return CommandFailure(status: .usage, message: reason).report()
        }
    }
}
