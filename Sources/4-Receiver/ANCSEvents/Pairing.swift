/// The input and output for the user while pairing. Core Vol 3, Part H, 2.3.2.
public enum PairingAbility: Equatable, Sendable {
    /// None: pairing uses Just Works.
    case noInputNoOutput
    /// Six digits can be displayed.
    case display
    /// Six digits can be entered.
    case keyboard
    /// Six digits can be displayed, and the user can answer yes or no.
    case yesNo
    /// Six digits can be displayed and entered.
    case keyboardDisplay
}

/// The protection that keys must provide, in pairing and in a bond. Keys with less are refused.
public struct RequiredProtection: Equatable, Sendable {
    /// Which keys need protection against man-in-the-middle attacks, by a comparison or a passkey.
    public enum Authentication: Equatable, Sendable {
        /// None: Just Works, which asks nobody anything, is accepted.
        case none
        /// Those of new pairings. Existing bonds remain valid.
        case inPairing
        /// Those of new pairings, and of existing bonds.
        case always
    }

    /// Which keys need protection against man-in-the-middle attacks. `nil` for the default:
    /// ``Authentication/inPairing`` for a `NotificationConsumer` with a controller of its own or at
    /// bluetoothd whose ``PairingAbility`` lets a person answer, and otherwise ``Authentication/none``. A phone chooses its accessories, which often have no
    /// display; but any device can connect to an accessory.
    public var authentication: Authentication?
    /// Whether keys must be made with LE Secure Connections. Core Vol 3, Part C, 10.2.4.
    public var usesSecureConnections: Bool
    /// The minimum size of keys in octets: 7 to 16. Core Vol 3, Part H, 2.3.4.
    public var minimumKeySize: Int

    /// A requirement; by default only that of ``authentication``. With `usesSecureConnections`, the default key size is 16 octets.
    public init(
        authentication: Authentication? = nil, usesSecureConnections: Bool = false,
        minimumKeySize: Int? = nil
    ) {
        self.authentication = authentication
        self.usesSecureConnections = usesSecureConnections
        self.minimumKeySize = minimumKeySize ?? (usesSecureConnections ? 16 : 7)
    }

    /// Why no pairing can meet the requirement with these abilities; `nil` if one can.
    public func fault(with ability: PairingAbility) -> String? {
        if !(7...16).contains(minimumKeySize) {
            return "the size of keys must be from 7 to 16 octets"
        }
        if authentication ?? .none != .none, ability == .noInputNoOutput {
            return "authentication needs a display or a keyboard for pairing"
        }
        return nil
    }
}

extension RequiredProtection.Authentication {
    /// The default of a device to which any other device may connect: where a person can answer, Just Works
    /// would let a device in that no question was asked about.
    package static func standard(with ability: PairingAbility) -> Self {
        ability == .noInputNoOutput ? .none : .inPairing
    }
}

/// When centrals that connect to this device may pair. While the window is closed no central can pair, not
/// even one with the identity of a bonded peer: otherwise any device with its address could replace the bond.
/// Core Vol 3, Part C, 9.4: bondable mode.
public enum PairingWindow: Equatable, Sendable {
    /// Always.
    case open
    /// Until a bonded peer has offered ANCS.
    case untilPhoneIsBonded
    /// Only after `BluetoothAdapter.openPairingWindow(for:)`.
    case closed
}
