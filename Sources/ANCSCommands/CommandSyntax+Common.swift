internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

extension CommandSyntax.Option {
    /// `--snoop`, with what a capture has to be kept from others for.
    static func snoop(_ help: String, _ value: String = "FILE") -> Self {
        Self("--snoop", value, help + "; it holds texts and keys")
    }
}

/// Options that several commands have.
extension CommandSyntax.Arguments {
    /// The controller, of `--hci`.
    func transport() throws(CommandSyntax.UsageError) -> TransportMoniker {
        guard let moniker = self["--hci"] else {
            throw .init(message: "--hci is missing: it says where the controller is")
        }
        do throws(IOError) { return try TransportMoniker(parsing: moniker) } catch {
            throw .init(message: error.message)
        }
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
