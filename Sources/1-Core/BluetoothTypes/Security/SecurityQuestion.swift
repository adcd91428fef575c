/// A question of pairing to the user, or to the program on the user's behalf.
public enum SecurityQuestion: Equatable, Sendable {
    /// Enter the passkey that the peer displays.
    case enterPasskey
    /// Display this passkey as six digits; no answer is needed.
    case displayPasskey(UInt32)
    /// Choose the passkey to display.
    case choosePasskey
    /// Compare: does the peer display the same six digits?
    case compare(UInt32)
    /// May the peer pair?
    case confirmPairing
}
