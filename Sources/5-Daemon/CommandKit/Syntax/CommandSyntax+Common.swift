internal import ANCSKit
internal import ANCSService
internal import Glibc
package import HCITransports
internal import LinuxIO
internal import Terminal
package import Values

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
    /// `--hci`, for a command that needs a controller.
    package static let hci = CommandSyntax.Option(
        "--hci", .moniker,
        "the controller: \(TransportMoniker.allowedForms) (default: $ANCS_HCI, else the "
            + "controller of 'ancs serve', if it has its own)")

    /// `--help`, as every command has it.
    package static let help = CommandSyntax.Option(
        "--help", nil, "print this text", alias: "-h")
}

/// Options that several commands have.
extension CommandSyntax.Arguments {
    /// The controller from `--hci`, otherwise from `$ANCS_HCI`, otherwise from the daemon's configuration.
    package func transport(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> TransportMoniker {
        if let named = try namedTransport(environment: environment) { return named }
        if let configured = Self.configuredTransport(environment: environment) { return configured }
        throw .init(
            message:
                "no controller is given: use --hci MONIKER, such as --hci hci-socket:0, or set $ANCS_HCI "
                + "for all commands")
    }

    /// The controller that the user named with `--hci` or with `$ANCS_HCI`; `nil` if there is neither.
    package func namedTransport(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> TransportMoniker? {
        let variable = environment["ANCS_HCI"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = self["--hci"] ?? variable else { return nil }
        do throws(IOError) { return try TransportMoniker(parsing: text) } catch {
            let source = self["--hci"] == nil ? "$ANCS_HCI: " : ""
            throw .init(message: source + error.message)
        }
    }

    /// The controller of the daemon: from the user's configuration, or from the system's if the user has
    /// none. A configuration with an error counts as none; the daemon reports the error when it starts.
    private static func configuredTransport(environment: [String: String]) -> TransportMoniker? {
        let paths = [
            ServiceConfiguration.userPath(environment: environment),
            ServiceConfiguration.systemPath,
        ]
        guard let path = paths.compactMap(\.self).first(where: { access($0, F_OK) == 0 }),
            let configuration = try? ServiceConfiguration(file: path)
        else { return nil }
        return try? TransportMoniker(parsing: configuration.bluetooth.adapter)
    }

    /// The directory of bonds: from `--state`, or the default.
    package func stateDirectory(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> String {
        if let directory = try value("--state", .directory) { return directory }
        guard let directory = BondStore.defaultDirectory(environment: environment) else {
            throw .init(message: "there is no home directory to keep bonds in: use --state DIR")
        }
        return directory
    }
}
