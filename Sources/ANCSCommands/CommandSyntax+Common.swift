internal import ANCSKit
internal import ANCSService
internal import BluetoothLE
internal import Glibc
internal import LinuxIO

extension CommandSyntax.Option {
    /// `--snoop`, with what a capture has to be kept from others for.
    static func snoop(_ help: String, _ value: CommandSyntax.Value = .file()) -> Self {
        Self("--snoop", value, help + "; it holds texts and keys")
    }

    /// `--hci` of a command that needs a controller.
    static let hci = Self(
        "--hci", .moniker,
        "the controller: \(TransportMoniker.allowedForms) (default: $ANCS_HCI, else that of "
            + "'ancs serve', if it has one for itself)")

    /// `--help`, as every command has it.
    static let help = Self("--help", nil, "this text", alias: "-h")
}

/// Options that several commands have.
extension CommandSyntax.Arguments {
    /// The controller: that of `--hci`, else of `$ANCS_HCI`, else of the daemon's configuration.
    func transport(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> TransportMoniker {
        if let named = try namedTransport(environment: environment) { return named }
        if let configured = Self.configuredTransport(environment: environment) { return configured }
        throw .init(
            message: "--hci is missing: it says where the controller is, and $ANCS_HCI says it for "
                + "all commands")
    }

    /// The controller that the user has named for this command, with `--hci`, or for all, with `$ANCS_HCI`; `nil`
    /// where neither was done.
    func namedTransport(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> TransportMoniker? {
        let variable = environment["ANCS_HCI"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = self["--hci"] ?? variable else { return nil }
        do throws(IOError) { return try TransportMoniker(parsing: text) } catch {
            let source = self["--hci"] == nil ? "$ANCS_HCI: " : ""
            throw .init(message: source + error.message)
        }
    }

    /// The controller that the daemon has for itself: by the user's configuration, or by the system's where the
    /// user has none. A configuration with a fault names none; the daemon says so when it starts.
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

    /// Where bonds are kept, of `--state`, or where they are if nobody says otherwise.
    func stateDirectory(
        environment: [String: String]
    ) throws(CommandSyntax.UsageError) -> String {
        guard
            let directory = self["--state"]
                ?? BondStore.defaultDirectory(environment: environment)
        else {
            throw .init(message: "there is no home directory to keep bonds in: use --state DIR")
        }
        guard !directory.isEmpty else {
            throw .init(message: "--state is empty: it says where bonds are kept")
        }
        return directory
    }

    /// Which device of a directory, of `--device`, or `nil` where it was not said.
    func device() throws(CommandSyntax.UsageError) -> BondStore.Device? {
        switch self["--device"] {
        case nil: nil
        case "accessory": .accessory
        case "phone": .phone
        case .some(let text):
            throw .init(message: "--device takes accessory or phone, not '\(text)'")
        }
    }

    /// The UUIDs of an option that may be given more than once.
    func uuids(_ option: String) throws(CommandSyntax.UsageError) -> [BluetoothUUID] {
        var uuids: [BluetoothUUID] = []
        for text in all(option) {
            guard let uuid = BluetoothUUID(text: text) else {
                throw .init(
                    message: "\(option) takes a UUID such as 180F, 0000180F or "
                        + "7905F431-B5CE-4E99-A40F-4B1E122D00D0, not '\(text)'")
            }
            uuids.append(uuid)
        }
        return uuids
    }
}
