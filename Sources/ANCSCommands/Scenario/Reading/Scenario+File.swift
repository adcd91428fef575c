internal import LinuxIO

extension Scenario {
    /// The scenario in the file at a path.
    init(path: String) throws(CommandSyntax.UsageError) {
        let octets: [UInt8]
        do throws(IOError) { octets = try TextFile.read(path) } catch {
            throw .init(message: error.message)
        }
        do throws(DocumentError) { try self.init(parsing: octets) } catch {
            throw .init(message: "\(path): \(error.message)")
        }
    }
}
