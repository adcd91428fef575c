internal import ANCSService
package import CommandKit
internal import Glibc

extension CommandSyntax.Option {
    /// `--hci`, for a command that needs a controller.
    package static let hci = CommandSyntax.Option(
        "--hci", .moniker,
        "the controller: \(TransportMoniker.allowedForms) (default: $ANCS_HCI, else the "
            + "controller of 'ancs serve', if it has its own)")
}

extension CommandOption {
    /// `--hci`, for a command that needs a controller.
    package static var hci: Self { Self(.hci) }
}

extension CommandSyntax.Arguments {
    /// The controller from `--hci`, otherwise from `$ANCS_HCI`, otherwise from the daemon's configuration.
    package func transport(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> TransportMoniker {
        if let named = try namedTransport(environment: environment) { return named }
        if let configured = Self.configuredTransport(environment: environment) { return configured }
        throw .init(
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
}
