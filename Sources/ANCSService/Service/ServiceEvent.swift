package import ANCSKit

/// An event for the sinks. Events are in order.
///
/// The events of one record are `announced` (only for a call, at its header), `added`, any number of
/// `modified`, and `removed`, which follows for each record that was announced or added.
package enum ServiceEvent: Equatable, Sendable {
    /// A call is ringing; only its header is known. `added` follows with its text, or `removed` if it ends
    /// first.
    case announced(Record)
    /// A notification was added.
    case added(Record)
    /// A notification has changed, or was completed.
    case modified(Record)
    /// A notification was removed.
    case removed(Record, RemovalReason)
    /// The status of a phone has changed.
    case phone(PhoneStatus)
    /// Pairing has a question for the user or, with `nil`, no longer does.
    case pairing(PhoneName, PairingQuestion?)
    /// The next step of the dialogue of pairing, and its number, which counts from 1.
    indirect case pairingStep(PairingStep, Int)
    /// Whether phones may pair has changed.
    case pairingWindow(isOpen: Bool)
    /// The state of the daemon has changed.
    case state(ServiceState)
    /// A phone was removed: nothing of it may be kept.
    case forgotten(PhoneName)

    /// Why a record was removed.
    package enum RemovalReason: String, Equatable, Sendable {
        /// The phone removed it.
        case removed
        /// The phone was away for a minute, the daemon is stopping, or there are too many records.
        case away
        /// A later session announced it again: the record that was added just before refers to it with
        /// ``Record/sameAs``.
        case replaced
    }
}

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
    package var counts: [String: Int]
    /// What its link has; `nil` while there is none, and with bluetoothd, which does not say.
    package var link: LinkParameters?

    package init(
        phone: PhoneName, state: State, isPaired: Bool, advice: String? = nil,
        counts: [String: Int] = [:], link: LinkParameters? = nil
    ) {
        self.phone = phone
        self.state = state
        self.isPaired = isPaired
        self.advice = advice
        self.counts = counts
        self.link = link
    }
}

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

/// The state of the daemon.
package struct ServiceState: Equatable, Sendable {
    /// The phase of the daemon.
    package enum Phase: String, Equatable, Sendable {
        /// It waits for a usable Bluetooth adapter.
        case waitingForAdapter
        /// It has an adapter but does not advertise: not yet, or because no further phone is expected, or may
        /// be connected.
        case running
        /// Phones can find it.
        case onAir
        /// It is stopping.
        case stopping
    }

    package var phase: Phase
    /// What it does or waits for, in one line.
    package var message: String

    /// The state at the start.
    package static let starting = ServiceState(.waitingForAdapter, "starting")

    package init(_ phase: Phase, _ message: String) {
        self.phase = phase
        self.message = message
    }
}
