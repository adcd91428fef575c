internal import ANCSKit

extension Bluetooth {
    /// The controller that `ancs serve` has for itself. Phones pair only while 'ancs pair' runs, because otherwise
    /// there is no user to confirm it.
    static func ofDaemon(
        _ moniker: String, stateDirectory: String,
        requiring authentication: RequiredProtection.Authentication
    ) -> Bluetooth {
        .hci(
            moniker, store: BondStore(directory: stateDirectory),
            pairing: PairingOptions(
                ability: .keyboardDisplay, window: .closed,
                requiredProtection: RequiredProtection(authentication: authentication)))
    }
}
