package import EventLines

/// Where a phone is paired: what the sentences of a ``PairingStep`` need to know about this machine.
package struct PairingSetting: Equatable, Sendable {
    /// The name that the phone shows.
    package var name: String
    /// How users name the adapter: `bluetoothd`, `hci0 of bluetoothd`, or the moniker of a controller.
    package var place: String
    /// What the user does to pair again: "run 'ancs pair' again".
    package var again: String
    /// How the user accepts a device without digits.
    package var acceptance: String
    package var stack: PairingAdvice.Stack
    /// What can be done once it receives; `nil` for nothing.
    package var next: String?

    package init(
        name: String, place: String, again: String, acceptance: String,
        stack: PairingAdvice.Stack = .bluetoothd
    ) {
        (self.name, self.place, self.again, self.acceptance) = (name, place, again, acceptance)
        self.stack = stack
    }

    /// The place of an adapter of bluetoothd; `adapter` is `any` or empty for any of them.
    package static func bluetoothd(_ adapter: some StringProtocol) -> String {
        adapter.isEmpty || adapter == "any" ? "bluetoothd" : "\(adapter) of bluetoothd"
    }

    /// The place of a controller that this program uses alone, with its own Bluetooth host.
    package static func own(_ moniker: String) -> String { "\(moniker), without bluetoothd" }
}

extension PairingSetting {
    /// The setting of the daemon.
    init(_ configuration: ServiceConfiguration, hasDesktop: Bool) {
        let section = configuration.bluetooth
        self.init(
            name: section.name,
            place: section.isAtBluetoothd
                ? Self.bluetoothd(section.adapter.dropFirst("bluez:".count))
                : Self.own(section.adapter), again: "run 'ancs pair' again",
            acceptance: "require = \"none\" in the section [bluetooth] of the configuration",
            stack: .init(isBluetoothd: section.isAtBluetoothd))
        if hasDesktop, configuration.desktop.pauseMedia == .never {
            next =
                "music can pause during calls: pause-media in the section [desktop] of the configuration"
        }
    }
}
