/// Runs one seed: generates its plan, carries it out and reports the result.
enum Simulation {
    /// Whether a seed keeps every rule. The devices store their bonds below `directory`.
    static func passes(
        _ seed: UInt64, directory: String, snoopDirectory: String?
    ) async throws -> Bool {
        let result = try await World.run(
            Plan(seed: seed), directory: "\(directory)/\(seed)", snoopDirectory: snoopDirectory)
        for line in result.trace { print(line) }
        for violation in result.violations.prefix(5) {
            print("seed \(seed): \(violation.rule): \(violation.evidence)")
        }
        if !result.violations.isEmpty {
            print("seed \(seed): replay with 'make simulate SEEDS=\(seed) SNOOP=DIRECTORY'")
        }
        return result.violations.isEmpty
    }
}
