package import CommandKit
internal import ANCSReceiver

/// The Bluetooth of a command that acts as a Central.
package enum CentralPlace: Equatable, Sendable {
    /// A controller for the exclusive use of this program.
    case hci(TransportMoniker)
    /// An adapter of bluetoothd.
    case bluez(String)
}

extension CommandOption {
    /// `--bluez`, for a command that can use a controller or bluetoothd.
    package static var bluez: Self {
        Self(
            "--bluez", .init("ADAPTER", Kind.adapterOfBluetoothd.schema.word),
            "an adapter of bluetoothd, instead of a controller: hci0, an address such as "
                + "00:1A:7D:DA:71:13, or any")
    }
}

extension CommandSyntax.Arguments {
    /// The adapter of `--bluez`, otherwise the controller as for other commands. With `--bluez`, options about what
    /// bluetoothd itself decides are refused, each for a reason.
    package func centralPlace(
        environment: [String: String], onlyWithHCI reasons: [(option: String, reason: String)]
    ) throws(CommandSyntax.UsageError) -> CentralPlace {
        guard let adapter = try value("--bluez", .adapterOfBluetoothd) else {
            return .hci(try transport(environment: environment))
        }
        guard self["--hci"] == nil else {
            throw .init(
                "--bluez and --hci exclude each other: bluetoothd shares its adapters, and "
                    + "--hci takes a controller for itself")
        }
        let capture = "'btmon -w FILE' captures what bluetoothd does, and 'ancs decode' reads it"
        let captures = [("--snoop", capture), ("--snoop-redacted", capture)]
        for (option, reason) in reasons + captures where has(option) {
            throw .init(message: "\(option) works with --hci only: \(reason)")
        }
        return .bluez(adapter)
    }
}

extension Kind<String> {
    /// An adapter of bluetoothd.
    package static let adapterOfBluetoothd = Kind.text(
        "hci0, an address such as 00:1A:7D:DA:71:13, or any", typed: .known(.adapters)
    ) { Bluetooth.isAdapter($0) ? $0 : nil }
}
