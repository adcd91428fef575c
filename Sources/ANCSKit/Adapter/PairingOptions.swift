/// How a device pairs, and what it requires of keys.
public struct PairingOptions: Hashable, Sendable {
    /// What the user can be shown and asked; `nil` for what suits the device: a phone has a screen and a
    /// keyboard, any other device has neither.
    public var ability: PairingAbility?
    /// Which peers may pair.
    public var policy: PairingPolicy
    /// When centrals may pair that connect to this device.
    public var window: PairingWindow
    /// How well links have to be protected.
    public var requiredProtection: RequiredProtection
    /// What to do where a peer, to which this device connected, cannot encrypt with the keys of its bond.
    public var lostKeys: LostKeys

    /// Whoever needs to may pair, at any time, unless said otherwise.
    public init(
        ability: PairingAbility? = nil, policy: PairingPolicy = .whenNeeded,
        window: PairingWindow = .open,
        requiredProtection: RequiredProtection = RequiredProtection(),
        lostKeys: LostKeys = .refuse
    ) {
        self.ability = ability
        self.policy = policy
        self.window = window
        self.requiredProtection = requiredProtection
        self.lostKeys = lostKeys
    }
}

/// Which peers may pair, whether they are bonded already or not.
public enum PairingPolicy: Hashable, Sendable {
    /// Every peer that needs to, as far as the user confirms what pairing itself asks.
    case whenNeeded
    /// As `whenNeeded`, and the user is asked first whether the peer may pair at all.
    case ask
    /// None; bonds stay in use.
    case never
}

/// What to do with a link that this device made, where the peer cannot encrypt it with the keys of its
/// bond.
public enum LostKeys: Hashable, Sendable {
    /// End the link and keep the bond, until the user forgets the peer: as an iPhone does.
    case refuse
    /// Pair again at once, as far as ``PairingPolicy`` allows.
    case pairAgain
}

/// When centrals may pair that connect to this device. While the window is closed, no central pairs,
/// not even one with the identity of a bonded peer: whoever has that address could take the place of
/// the bond otherwise. Core Vol 3, Part C, 9.4: bondable mode.
public enum PairingWindow: Hashable, Sendable {
    /// Always.
    case open
    /// As long as no bonded peer has ever offered ANCS.
    case untilPhoneIsBonded
    /// Only after ``BluetoothAdapter/openPairingWindow(for:)``.
    case closed
}
