internal import Terminal
internal import AccessoryConformance
internal import LinuxIO

extension Scenario {
    /// Reads the scenario in a file.
    init(path: String) throws(CommandSyntax.UsageError) {
        let octets: [UInt8]
        do throws(IOError) { octets = try TextFile.read(path) } catch {
            throw .init(message: error.message)
        }
        do throws(DocumentErrors) { try self.init(parsing: octets) } catch {
            throw .init(mistakes: error.lines(of: path))
        }
    }
}
