internal import ANCSReceiver
package import Kinds

extension CommandSyntax {
    /// The document in a file; reports its mistakes with their places.
    package static func document<Document>(
        _ path: String, reading: ([UInt8]) throws(DocumentErrors) -> Document
    ) throws(UsageError) -> Document {
        let octets: [UInt8]
        do throws(IOError) { octets = try TextFile.read(path) } catch {
            throw UsageError(message: error.message)
        }
        do throws(DocumentErrors) { return try reading(octets) } catch {
            throw UsageError(error, in: path)
        }
    }
}

extension CommandSyntax.UsageError {
    /// The mistakes of a document, each with its place in the file.
    package init(_ mistakes: DocumentErrors, in path: String) {
        self.init(mistakes: mistakes.lines(of: path))
    }
}

extension CommandSyntax.Option {
    /// `--help`, as every command has it.
    package static let help = CommandSyntax.Option("--help", nil, "print this text", alias: "-h")
}

/// Options that several commands have.
extension CommandSyntax.Arguments {
    /// The directory of bonds: from `--state`, or the default.
    package func stateDirectory(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> String {
        if let directory = try value("--state", .directory) { return directory }
        guard let directory = StateDirectory.standard(environment: environment) else {
            throw .init(message: "there is no home directory to keep files in: use --state DIR")
        }
        return directory
    }
}
