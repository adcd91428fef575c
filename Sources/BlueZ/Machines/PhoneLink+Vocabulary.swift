internal import ANCS
internal import DBus
internal import Octets

// What a phone's link calls, what it has done, and what it may be in the middle of.
extension PhoneLink {
    /// A call of a method of bluetoothd.
    enum Call: Hashable, Sendable {
        case pair
        case trust
        case disconnect
        case acquireNotify(Characteristic)
        case startNotify(Characteristic)
        case stopNotify(Characteristic)
        case readConfiguration(Characteristic)
        case writeControlPoint([UInt8])

        /// How long its answer may take. Pairing waits for people; an ATT transaction for 30 s (Core Vol 3,
        /// Part F, 3.3.3); what is subject to the hang of ``PhoneLink/hang()`` is given less.
        var limit: Duration {
            switch self {
            case .pair: .seconds(90)
            case .acquireNotify, .startNotify: .seconds(5)
            case .stopNotify: .seconds(2)
            case .trust, .disconnect: .seconds(10)
            case .readConfiguration, .writeControlPoint: .seconds(35)
            }
        }

        /// Whether it is made for a session, so that its answer is of no interest to the next one.
        var isForSession: Bool {
            switch self {
            case .pair, .trust, .disconnect: false
            case .acquireNotify, .startNotify, .stopNotify, .readConfiguration, .writeControlPoint:
                true
            }
        }
    }

    enum Output: Hashable, Sendable {
        case call(Call)
        case open(SocketID, BusDescriptor)
        case close(SocketID)
        case event(PhoneEvent)
    }

    enum State: Hashable, Sendable {
        /// Not paired, and nothing is done about it: it may not, or it failed. What failed is tried again
        /// when the phone connects again, or the user opens the pairing window.
        case stranger
        /// The answer to `Pair` is waited for. The property `Paired` comes earlier, and what is asked
        /// between the two may never be answered.
        case pairing
        /// ANCS is not known to be there.
        case resolving(Resolution)
        case available(ServicePlaces)
        /// The link is being ended, so that the phone comes back with a new one; by then at the latest where
        /// bluetoothd says so.
        case recovering(Fault, until: MonotonicInstant?)
        /// bluetoothd hangs, and that the link was ended has not helped.
        case hung
        /// What is subscribed to is being unsubscribed from.
        case leaving
        case ended
    }

    /// What a new link sets right.
    enum Fault: Hashable, Sendable {
        /// bluetoothd does not answer.
        case hang
        /// bluetoothd discovered the services before the phone showed ANCS.
        case earlyDiscovery
    }

    /// How far it is known whether ANCS is there.
    struct Resolution: Hashable, Sendable {
        /// When it is said that ANCS is waited for, whatever bluetoothd says; `nil` once it was said.
        var sayAt: MonotonicInstant?
        /// When a service that lacks characteristics is taken for complete: its objects come one by one.
        var completeAt: MonotonicInstant?
        /// Whether the services may have been discovered before pairing, when a phone does not show ANCS.
        var mayBeEarly = false
        /// When the link is ended for that.
        var renewAt: MonotonicInstant?
        /// When another phone may have its place; `nil` once that is so.
        var yieldAt: MonotonicInstant?

        var nextDeadline: MonotonicInstant? {
            .earliest(.earliest(sayAt, completeAt), .earliest(renewAt, yieldAt))
        }
    }

    /// The way of the values of a characteristic.
    struct Subscription: Hashable, Sendable {
        enum State: Hashable, Sendable {
            case none
            case acquiring(attempt: Int)
            /// `StartNotify` is under way; where `AcquireNotify` did not work, why.
            case starting(attempt: Int, instead: BusError?)
            case socket(SocketID)
            case notifying
            case stopping
            /// It is tried again then: bluetoothd has not noticed yet that the last one has ended, or the
            /// link is not there.
            case pausing(until: MonotonicInstant, attempt: Int)
        }

        var state = State.none
        /// The session wants it.
        var isWanted = false
        /// The session waits to be told that it stands.
        var isAwaited = false
    }
}
