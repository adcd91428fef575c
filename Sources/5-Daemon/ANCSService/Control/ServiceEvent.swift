package import ANCSEvents

/// An event for the sinks. Events are in order.
///
/// The events of one record are `announced` (only for a call, at its header), `added`, any number of
/// `modified`, and `removed`, which follows for each record that was announced or added. They are indirect, because
/// every sink gets them.
package enum ServiceEvent: Equatable, Sendable {
    /// A call is ringing; only its header is known. `added` follows with its text, or `removed` if it ends
    /// first.
    indirect case announced(Record)
    /// A notification was added.
    indirect case added(Record)
    /// A notification has changed, or was completed.
    indirect case modified(Record)
    /// A notification was removed.
    indirect case removed(Record, RemovalReason)
    /// What happened to a call: to the record with which it began, which may be removed already.
    indirect case call(Record, CallEvent)
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
