package import BlueZ

extension Bluetooth {
    /// An adapter of bluetoothd, shared with everything else on a Linux desktop: `any`, `hci0` or an address
    /// such as `00:1A:7D:DA:71:13`. Needs no privileges. For a ``NotificationConsumer`` or, with `ANCSKit`, for a
    /// `BluetoothAdapter` and its `CentralManager`s; the initializer of either throws if the adapter is invalid, or
    /// an option is not for it.
    ///
    /// bluetoothd stores the bonds, and the desktop's settings show them. Links outlive the program.
    ///
    /// - Parameters:
    ///   - adapter: The adapter.
    ///   - ability: The input and output for the user while a device pairs.
    ///   - window: When phones may start pairing; `nil` for the default, `PairingWindow.untilPhoneIsBonded`. Only
    ///     for a consumer: whether other devices may pair with this machine is a setting of bluetoothd.
    ///   - authentication: Whether pairing by Just Works is refused; see
    ///     `RequiredProtection.authentication`. bluetoothd keeps the protection of bonds to itself, so
    ///     `always` is the same as `inPairing`. Only for a consumer: what a device of a Central requires,
    ///     bluetoothd decides with it.
    ///   - textsOnBus: Whether texts may come over the system bus, where every user of the machine can read
    ///     them, if bluetoothd does not hand over a socket for them. Without it, phones wait where bluetoothd
    ///     ends instead, as with SELinux policies before November 2025, and notifications come without texts
    ///     where it refuses. Only for a consumer: what a Central reads is always broadcast by bluetoothd.
    ///   - bonds: Which bonds make a device a phone; `nil` for the default, `BondPolicy.any`. With
    ///     `BondPolicy.ask`, a `PairingRequest` asks about a bond that this program did not make. Only for a consumer.
    ///   - state: The directory in which it is kept what ended bluetoothd, so that it does not happen again in
    ///     the next run, which bonds are accepted, and which identifiers peripherals have; `nil` to keep that for this run only.
    /// - Returns: The adapter to use.
    public static func bluez(
        _ adapter: String = "any", ability: PairingAbility = .noInputNoOutput,
        window: PairingWindow? = nil, authentication: RequiredProtection.Authentication? = nil,
        textsOnBus: Bool = false, bonds: BondPolicy? = nil, state: String? = nil
    ) -> Bluetooth {
        guard let name = AdapterName(adapter) else {
            let problem = "an adapter is 'any', an address or a name like hci0; not '\(adapter)'"
            return Bluetooth(invalid: IOError(.invalidMoniker, problem))
        }
        return Bluetooth(
            BlueZConfiguration(
                adapter: name, ability: ability, window: window, authentication: authentication,
                allowsTextsOnBus: textsOnBus, bonds: bonds, state: state))
    }

    /// Whether ``bluez(_:ability:window:authentication:textsOnBus:bonds:state:)`` accepts an adapter: `any`, a name such as `hci0`, or an address.
    public static func isAdapter(_ text: String) -> Bool { AdapterName(text) != nil }
}

/// An adapter of bluetoothd, and the options for pairing.
package struct BlueZConfiguration: Sendable {
    package var adapter: AdapterName
    package var ability: PairingAbility
    /// When phones may start pairing; `nil` if that was not said.
    package var window: PairingWindow?
    /// Whether pairing by Just Works is refused; `nil` if that was not said.
    package var authentication: RequiredProtection.Authentication?
    /// Whether texts may be broadcast where the socket for them ends bluetoothd.
    package var allowsTextsOnBus = false
    /// Which bonds make a device a phone; `nil` if that was not said.
    package var bonds: BondPolicy?
    /// The directory in which it is kept what ended bluetoothd, and which identifiers peers have; `nil` to keep it
    /// for this run only.
    package var state: String?

    /// Where it is kept what ended bluetoothd.
    package var memory: DaemonMemory? { state.map { DaemonMemory(directory: $0) } }
    /// Where it is kept which bonds are accepted.
    package var bondMemory: BondMemory? { state.map { BondMemory(directory: $0) } }
}
