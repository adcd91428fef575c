/// What the sinks are told, in the order in which it happens.
///
/// Of one record: `announced` (a call only, at its header), then `added`, then any number of `modified`, then
/// `removed`, which comes for each record that was announced or added.
package enum ServiceEvent: Hashable, Sendable {
    /// A call rings; only its header is known. `added` follows with the text, or `removed`.
    case announced(Record)
    /// A notification came.
    case added(Record)
    /// A notification has another text, or the rest of it came.
    case modified(Record)
    /// A notification is gone.
    case removed(Record, RemovalReason)
    /// What is known of a phone changed.
    case phone(PhoneStatus)
    /// Pairing asks the user, or, with `nil`, no longer does.
    case pairing(PhoneName, PairingQuestion?)
    /// Whether phones may pair.
    case pairingWindow(isOpen: Bool)
    /// How the daemon itself is.
    case state(ServiceState)
    /// A phone was forgotten: nothing is to be kept of it.
    case forgotten(PhoneName)

    /// Why a record is gone.
    package enum RemovalReason: String, Hashable, Sendable {
        /// The phone removed it.
        case removed
        /// The phone stayed away for a minute, the daemon ends, or there are too many.
        case away
        /// The same came again in a later session: the record that was added just before says so with
        /// ``Record/sameAs``.
        case replaced
    }
}

/// What is known of a phone.
package struct PhoneStatus: Hashable, Sendable {
    /// How far the way to its notifications is.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// It is not connected.
        case away
        /// It is connected.
        case connected
        /// It pairs.
        case pairing
        /// It does not offer its notifications (yet).
        case waitingForService
        /// Its notifications come.
        case subscribed
        /// Its user does not let us read its notifications.
        case unauthorized
        /// It is connected and does not answer.
        case silent
    }

    package var phone: PhoneName
    package var state: State
    /// What its user can do, as a sentence; `nil` where nothing has to be done.
    package var advice: String?
    /// How many notifications each category has, by the phone's own count; names of categories as in records.
    package var counts: [String: Int]

    package init(
        phone: PhoneName, state: State, advice: String? = nil, counts: [String: Int] = [:]
    ) {
        self.phone = phone
        self.state = state
        self.advice = advice
        self.counts = counts
    }
}

/// What pairing asks the user of this machine.
package enum PairingQuestion: Hashable, Sendable {
    /// Nothing but to type these six digits on the phone.
    case display(String)
    /// Does the phone show these six digits?
    case compare(String)
    /// Which six digits does the phone show?
    case enter
    /// May the phone pair at all?
    case consent
}

/// How the daemon is.
package struct ServiceState: Hashable, Sendable {
    /// How far it is.
    package enum Phase: String, Hashable, Sendable {
        /// It waits for a Bluetooth adapter that can be used.
        case waitingForAdapter
        /// It has an adapter; phones cannot find it, since it has as many as it may, or not yet.
        case running
        /// Phones can find it.
        case onAir
        /// It ends.
        case stopping
    }

    package var phase: Phase
    /// In one line, what it does or waits for.
    package var message: String

    /// Before anything is known.
    package static let starting = ServiceState(.waitingForAdapter, "starting")

    package init(_ phase: Phase, _ message: String) {
        self.phase = phase
        self.message = message
    }
}
