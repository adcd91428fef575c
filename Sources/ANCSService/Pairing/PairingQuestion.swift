/// A question of pairing to the user of this machine.
package enum PairingQuestion: Equatable, Sendable {
    /// A question without its digits. The words are those of the bus.
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        case display
        case compare
        case enter
        case consent
    }

    /// Enter these six digits on the phone; no answer is needed.
    case display(String)
    /// Does the phone display these six digits?
    case compare(String)
    /// Which six digits does the phone display?
    case enter
    /// May the phone pair?
    case consent
}
