/// Runs one seed: generates its plan, carries it out and reports the result.
enum Simulation: String {
    /// Phones and accessories on one radio, each with a host of its own.
    case radio
    /// An accessory that uses bluetoothd, which answers badly.
    case bluetoothd

    /// Whether a seed keeps every rule. The devices store their bonds below `directory`.
    func passes(_ seed: UInt64, directory: String, snoopDirectory: String?) async throws -> Bool {
        let result =
            switch self {
            case .radio:
                try await World.run(
                    Plan(seed: seed), directory: "\(directory)/\(seed)",
                    snoopDirectory: snoopDirectory)
            case .bluetoothd:
                try await BlueZWorld.run(BlueZPlan(seed: seed), isTraced: snoopDirectory != nil)
            }
        for line in result.trace { print(line) }
        for violation in result.violations.prefix(5) {
            print("seed \(seed): \(violation.rule): \(violation.evidence)")
        }
        if !result.violations.isEmpty {
            print("seed \(seed): replay with '\(replay(seed))'")
        }
        return result.violations.isEmpty
    }

    private func replay(_ seed: UInt64) -> String {
        switch self {
        case .radio: "make simulate SEEDS=\(seed) SNOOP=DIRECTORY"
        case .bluetoothd: "make simulate WORLD=bluetoothd SEEDS=\(seed) SNOOP=DIRECTORY"
        }
    }
}
