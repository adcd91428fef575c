/// How a device pairs, and what it requires of keys.
public struct PairingOptions: Equatable, Sendable {
    /// The input and output for the user; `nil` for the default: a phone has a screen and a keyboard, other
    /// devices have neither.
    public var ability: PairingAbility?
    /// Which peers may pair.
    public var policy: PairingPolicy
    /// When centrals that connect to this device may pair.
    public var window: PairingWindow
    /// The protection that links need.
    public var requiredProtection: RequiredProtection
    /// What to do when a peer to which this device connected cannot encrypt with the keys of its bond.
    public var lostKeys: LostKeys

    /// Options; by default any peer may pair at any time.
    public init(
        ability: PairingAbility? = nil, policy: PairingPolicy = .whenNeeded,
        window: PairingWindow = .open,
        requiredProtection: RequiredProtection = RequiredProtection(), lostKeys: LostKeys = .refuse
    ) {
        (self.ability, self.policy, self.window) = (ability, policy, window)
        (self.requiredProtection, self.lostKeys) = (requiredProtection, lostKeys)
    }
}

/// Which peers may pair, whether bonded already or not.
public enum PairingPolicy: Equatable, Sendable {
    /// Every peer that needs to, after the confirmation that the pairing method requires.
    case whenNeeded
    /// Every peer, if the user first agrees to pair with it.
    case ask
    /// None; existing bonds remain valid.
    case never
}

/// What to do with a link that this device established, if the peer cannot encrypt it with the keys of its
/// bond.
public enum LostKeys: Equatable, Sendable {
    /// End the link and keep the bond, until the user removes it, as an iPhone does.
    case refuse
    /// Pair again at once, if ``PairingPolicy`` allows it.
    case pairAgain
}
