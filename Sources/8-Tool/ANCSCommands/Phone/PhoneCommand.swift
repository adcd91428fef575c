internal import AccessoryConformance
internal import CommandKit

/// `ancs phone`: a virtual iPhone that plays a scenario or follows commands.
enum PhoneCommand {
    /// Runs the whole command.
    static func run(
        _ options: PhoneOptions, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let scenario = try scenario(of: options)
        do throws(DeviceError) {
            if var scenario {
                if let limit = options.limit { scenario.timeout = min(scenario.timeout, limit) }
                return try await ScenarioRunner.run(scenario, options, on: loop)
            }
            return try await PhonePrompt.run(
                options.configuration, at: try options.bluetooth(),
                stateDirectory: options.stateDirectory, isJSON: options.isJSON,
                isVerbose: options.isVerbose,
                console: PhonePrompt.console(
                    name: options.name, isJSON: options.isJSON, on: loop), on: loop)
        } catch { return ExitStatus.report(error) }
    }

    /// What is played; `nil` for a phone that is operated.
    private static func scenario(
        of options: PhoneOptions
    ) throws(CommandSyntax.UsageError) -> Scenario? {
        if let path = options.scenarioPath { return try Scenario(meantBy: path) }
        if let path = options.likePath { return try Scenario(like: path) }
        guard options.grading != .nothing, let name = options.accessories.first else { return nil }
        return .examination(of: name, pairing: options.pairing)
    }
}
