internal import AccessoryConformance

extension Scenario {
    /// Reads the scenario in a file.
    init(path: String) throws(CommandSyntax.UsageError) {
        self = try CommandSyntax.document(path) { octets throws(DocumentErrors) in
            try Self(parsing: octets)
        }
    }
}
