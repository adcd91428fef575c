internal import AccessoryConformance
internal import CommandKit

extension Scenario {
    /// Reads the scenario in a file.
    init(path: String) throws(CommandSyntax.UsageError) {
        do throws(ScenarioError) { try self.init(contentsOf: path) } catch {
            switch error {
            case .invalid: throw .init(mistakes: error.lines)
            case .unknownName, .unreadable: throw .init(message: error.message)
            }
        }
    }
}
