package import ANCSReceiver
package import Printing

/// Who reports an event: which side it is, and what its user can do.
package struct Reporter: Sendable {
    package enum Side: Sendable {
        /// `ancs receive`: its peers are phones.
        case accessory
        /// `ancs phone`: its peers are accessories.
        case phone
        /// `ancs advertise`: its peers are centrals.
        case adapter
    }

    package var side: Side
    package var name: String
    /// What the advertisement of an accessory shows while phones may pair.
    package var face: ConsumerConfiguration.Face?
    /// Whether phones may pair for the whole run.
    package var isPairingOpen = false
    /// Whether bluetoothd stores the bonds.
    package var isAtBlueZ = false

    package init(
        side: Side, name: String, face: ConsumerConfiguration.Face? = nil,
        isPairingOpen: Bool = false, isAtBlueZ: Bool = false
    ) {
        (self.side, self.name, self.face, self.isPairingOpen) = (side, name, face, isPairingOpen)
        self.isAtBlueZ = isAtBlueZ
    }

    /// What a peer is.
    package var peer: String {
        switch side {
        case .accessory: "iPhone"
        case .phone: "accessory"
        case .adapter: "central"
        }
    }

    /// An unknown phone was refused: what its owner can do.
    package var refusal: String {
        "an unknown phone was refused: to pair it, type 'pair' here, then choose '\(name)' in "
            + "Settings > Bluetooth on the phone"
    }

    /// How the user accepts a device without digits.
    package static let acceptance = "--require none"

    /// Trouble with the keys of a phone, and which side has to forget what. bluetoothd does not replace the
    /// keys of a bond.
    package func message(of trouble: KeyTrouble, address: String?) -> String {
        trouble.message(
            of: name, pairing: "type 'pair' here", removal: isAtBlueZ ? removal(address) : nil)
    }

    private func removal(_ address: String?) -> String {
        "'bluetoothctl remove \(address ?? "ADDRESS")' here"
    }

    /// What the user can do for a phone that does not offer its notifications.
    package func waitingHints(address: String?) -> [Line.Below] {
        PairingAdvice.missingService(
            name, at: .init(isBluetoothd: isAtBlueZ),
            removal: "'bluetoothctl remove \(address ?? "ADDRESS")'"
        ).map { .hint($0) }
    }
}

extension ConsumerConfiguration.Face {
    /// What is said of it beside *pairing is open*.
    package var mention: String {
        switch self {
        case .solicitation: ""
        case .heartRate: ": the advertisement shows the UUID of a heart rate monitor"
        }
    }
}
