package import Octets

/// Which bonds of bluetoothd make a device a phone. Every local user can have bluetoothd pair with a device, and
/// a desktop pairs with many that are no phones; each of them can offer ANCS.
public enum BondPolicy: String, Equatable, Sendable, CaseIterable {
    /// Those that this program made, and others that its user accepts: asked about once, when the device first
    /// offers ANCS.
    case ask
    /// All of them.
    case any
    /// Those that this program made, and others that its user has accepted; nobody is asked.
    case accepted
}

/// Why a device that is connected, has a bond, and offers ANCS is not received from.
public enum Unserved: String, Equatable, Sendable, CaseIterable {
    /// This program did not make the bond, and its user has not accepted it.
    case notAccepted
    /// The user was asked, and said no.
    case declined
    /// As many phones as are allowed have a place.
    case noPlace

    /// What its user can do, in a sentence. `pairing` says how to open pairing here (`run 'ancs pair'`), and `places`
    /// what allows more phones.
    package func message(pairing: String, places: String) -> String {
        switch self {
        case .notAccepted:
            "it is paired with this machine, but not by this program, and has to be accepted; to have digits "
                + "compared, forget it on both sides, \(pairing), and pair it again"
        case .declined: "it was declined here; to be asked again, \(pairing)"
        case .noPlace: "it has no place, because as many phones are connected as \(places) allows"
        }
    }
}

/// When answers to questions count: a question that follows another one within ten seconds has to be on the screen for
/// a second, which is less than it takes to read six digits. What the user had begun to answer was the other one.
package struct ReadingTime: Equatable, Sendable {
    private static let least = Duration.seconds(1)
    private static let succession = Duration.seconds(10)

    /// When the last question left the screen.
    private var leftAt: MonotonicInstant?

    package init() {}

    /// A question left the screen.
    package mutating func left(at now: MonotonicInstant) { leftAt = now }

    /// From when on an answer to a question counts that is shown now; `nil` for at once.
    package func begins(at now: MonotonicInstant) -> MonotonicInstant? {
        leftAt.map { now - $0 < Self.succession } ?? false ? now + Self.least : nil
    }
}

/// What is said of an answer that came within a second of a question that follows another one.
package let pairingAnswerTooSoon =
    "an answer within a second of a new question does not count: read it, and answer again"
