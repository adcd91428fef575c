package import ANCSEvents

/// What users are told about pairing, and about a phone that shows or answers nothing, worded once for all commands and
/// pages.
package enum PairingAdvice {
    /// The Bluetooth stack of this machine.
    package enum Stack: Equatable, Sendable {
        case bluetoothd
        /// A controller that this program has for itself.
        case own

        package init(isBluetoothd: Bool) { self = isBluetoothd ? .bluetoothd : .own }
    }

    /// For a user whose phone does not list this machine. Reports disagree on whether iOS lists an accessory
    /// that solicits ANCS (Documentation/Decisions/0031-two-ways-to-pair.md). Any app that connects is
    /// enough: this side then asks for security, which brings the phone's pairing dialog.
    package static func otherApp(for name: String) -> String {
        "not in the list after 30 seconds? Open nRF Connect or LightBlue, connect to '\(name)', and confirm "
            + "the pairing"
    }

    /// For a user whose phone is paired, and does not show ANCS to a machine of this name, step by step. bluetoothd
    /// reads the phone's services only once (BlueZ 5.66 to 5.87): if pairing disturbed that, it reads them again when
    /// the phone says that they have changed, which the switch brings about and a new link does not. A host of one's own
    /// searches on each link.
    package static func missingService(
        _ name: String, at stack: Stack, removal: String
    ) -> [String] {
        let steps =
            switch stack {
            case .own: ["if it is on, or is not shown, \(restart)"]
            case .bluetoothd:
                [
                    "if it is on, turn it off and on; Bluetooth off and on does not do it",
                    "if that does not help, remove the bond on both sides: \(removal), and Forget This "
                        + "Device there; then pair again",
                ]
            }
        return [sharingSwitch(name)] + steps
            + ["only an iPhone or iPad offers them; other phones and computers do not"]
    }

    /// For a user whose phone does not allow a machine of this name to read its notifications (S1), step by step.
    package static func sharing(_ name: String) -> [String] {
        [sharingSwitch(name), "if it is on, \(restart)"]
    }

    private static func sharingSwitch(_ name: String) -> String {
        "on the iPhone: Settings > Bluetooth, the (i) next to '\(name)', Share System Notifications"
    }

    /// For a user whose phone was paired by another program.
    package static let acceptance =
        "run 'ancs pair' and answer whether to accept it; to have digits compared, forget it on both sides, and "
        + "pair it again"

    /// For a user whose phone is connected and not received from.
    package static func unserved(_ reason: Unserved) -> String {
        reason.message(pairing: "run 'ancs pair'", places: "phones in the section [bluetooth]")
    }

    /// What is said of devices that connect again and again and do not pair.
    package static func crowd(_ count: Int) -> String {
        "devices that are not paired have connected \(count) times"
    }

    private static let restart = "turn Bluetooth on the iPhone off and on"
    /// For a user whose phone is connected and does not answer, or has gone.
    package static let toggle = restart + ", in Settings > Bluetooth"
}
