package import AMS
package import ANCSEvents

/// The status of a phone.
package struct PhoneStatus: Equatable, Sendable {
    /// The state of the connection to its notifications.
    package enum State: String, Equatable, Sendable, CaseIterable {
        /// It is not connected.
        case away
        /// It is connected.
        case connected
        /// It is pairing.
        case pairing
        /// It does not offer notifications, or not yet.
        case waitingForService
        /// Its notifications arrive.
        case subscribed
        /// Its user does not allow access to its notifications.
        case unauthorized
        /// It is connected, but does not answer.
        case silent
        /// It is paired, by another program, and was not accepted; connected or not.
        case unaccepted
        /// It is connected, and as many phones as are allowed have a place.
        case noPlace
    }

    /// Whether the keys of a paired phone fit, as far as the advice is about them. The words are those of the
    /// bus.
    package enum Keys: String, Equatable, Sendable {
        /// The advice, if any, is about something else.
        case fine
        /// They did not fit: that may pass, or be a device that only uses the phone's address.
        case doubtful
        /// They have not fitted for so long that removing the bond is advised.
        case lost
    }

    package var phone: PhoneName
    package var state: State
    package var keys = Keys.fine
    /// Whether it shares keys with this machine. An unknown phone that tries to pair does not.
    package var isPaired: Bool
    /// What its user can do, in a sentence; `nil` if nothing.
    package var advice: String?
    /// The number of notifications in each category, by the phone's own count; with the category names of
    /// records.
    package var counts: [String: Int] = [:]
    /// What its link has; `nil` while there is none, and with bluetoothd, which does not say.
    package var link: LinkParameters?
    /// What its player does; `nil` if it has none, or was not asked.
    package var player: MediaState?
    /// The charge of its battery in percent, where it was asked for, and is known.
    package var battery: Int?
}
