/// One seed: its plan, its world, and what is said about it.
enum Simulation {
    /// Whether every rule holds with a seed. The devices keep their bonds below `directory`.
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
