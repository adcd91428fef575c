package import ANCSEvents
package import DBus

// The calls and states of a phone's link.
extension PhoneLink {
    /// A call of a method of bluetoothd.
    package enum Call: Equatable, Sendable {
        case pair
        case trust
        case disconnect
        /// Remove the device from bluetoothd, which ends its bond and its link.
        case remove
        /// If it ends the session for good, its reply is not waited for long.
        case subscription(Source, ValueSubscription.Call, isLast: Bool = false)
        case readConfiguration(Characteristic)
        case request(AttributeQueue.Request)
        /// Of a characteristic of the Current Time service.
        case readClock(BluetoothUUID)
        case followClock
        case unfollowClock

        /// The limit for the reply. Pairing waits for people, an ATT transaction for at most 30 s (Core Vol
        /// 3, Part F, 3.3.3); calls that can hang (``PhoneLink/hang()``) get less.
        package var limit: Duration {
            switch self {
            case .pair: .seconds(90)
            case .subscription(_, _, isLast: false), .followClock: ValueSubscription.Call.limit
            case .subscription(_, _, isLast: true), .unfollowClock: .seconds(2)
            case .trust, .disconnect, .remove: .seconds(10)
            case .readConfiguration, .readClock: .seconds(35)
            case .request(let request): request.client == .session ? requestTime : .seconds(35)
            }
        }

        /// What it does to a subscription.
        var ofSubscription: ValueSubscription.Call? {
            if case .subscription(_, let call, _) = self { call } else { nil }
        }

        /// Whether its success means that the phone accepts a subscription to ANCS.
        var isSubscription: Bool {
            guard case .subscription(let source, let call, _) = self else { return false }
            return source.isOfANCS && call.subscribes
        }

        /// Whether it belongs to a session, so that a later session ignores its reply.
        var isForSession: Bool {
            switch self {
            case .pair, .trust, .disconnect, .remove, .unfollowClock: false
            case .subscription(let source, _, _): source.isOfANCS
            case .request(let request): request.client == .session
            case .readConfiguration, .readClock, .followClock: true
            }
        }
    }

    package enum Output: Equatable, Sendable {
        case call(Call)
        /// Look whether the link is encrypted.
        case inspect
        case open(SocketID, BusDescriptor)
        case close(SocketID)
        case event(PhoneEvent)
        case companion(CompanionEvent)
    }

    package enum State: Equatable, Sendable {
        /// Not paired, and not pairing, because that is not allowed or has failed. After a failure there is
        /// another attempt when the phone reconnects, or the user opens the pairing window.
        case stranger
        /// It may pair, but not before bluetoothd has discovered its services, or this time has come: pairing
        /// in the middle of a discovery hides ANCS from it for good (BlueZ 5.66 to 5.87).
        case discovering(until: MonotonicInstant)
        /// It pairs on its own, and bluetoothd asks our agent.
        case answering
        /// `Pair` was called. The property `Paired` changes before the reply, and calls in between may never
        /// be answered.
        case pairing
        /// It is paired by Just Works, where digits are required, and is being removed.
        case refused
        /// It is paired, and bluetoothd has yet to say its identity, at the latest at this time: where its address on air
        /// is a private one, the identity address replaces that 0.2 s after the property `Paired` has changed (5.66).
        case identifying(until: MonotonicInstant)
        /// ANCS has not been found.
        case resolving
        case available
        /// It is paired, and does not encrypt: nothing that it is asked for is answered on this link.
        case keyless
        /// ANCS was found, and its texts cannot be had: the socket for them has ended bluetoothd before.
        case barred
        /// ANCS was found, and its bond does not count: this program did not make it, and the user has not accepted
        /// it. It occupies no place.
        case unaccepted
        /// The link is being ended, so that the phone reconnects; at this time at the latest if bluetoothd
        /// does not end it.
        case recovering(Fault, until: MonotonicInstant?)
        /// bluetoothd hangs, and ending the link did not help.
        case hung
        /// Subscriptions are being ended.
        case leaving
        case ended
    }

    /// How the texts of notifications may come.
    package enum Route: Equatable, Sendable {
        /// By a socket that no other program can read: `AcquireNotify`.
        case socket
        /// Broadcast on the bus: `AcquireNotify` has ended bluetoothd, and the user allows `StartNotify`.
        case bus
        /// Not at all, for now.
        case closed
    }

    /// A fault that a new link corrects.
    package enum Fault: Equatable, Sendable {
        /// bluetoothd does not answer.
        case hang
        /// bluetoothd discovered the services before the phone showed ANCS, or was disturbed by pairing.
        case earlyDiscovery
    }

    /// The progress of finding ANCS.
    package struct Resolution: Equatable, Sendable {
        /// When to report that ANCS is missing, whatever bluetoothd says; `nil` after the report.
        var sayAt: MonotonicInstant?
        /// When a service that lacks characteristics counts as complete: its objects appear one by one.
        var completeAt: MonotonicInstant?
        /// Whether the services may have been discovered before pairing, when a phone does not show ANCS.
        var mayBeEarly = false
        /// When the link is ended for that reason.
        var renewAt: MonotonicInstant?
        /// When another phone may take its place; `nil` after that.
        var yieldAt: MonotonicInstant?
        /// Whether that ANCS is missing is reported as soon as it is known that the phone has its keys.
        var isOwed = false

        package var nextDeadline: MonotonicInstant? {
            .earliest(.earliest(sayAt, completeAt), .earliest(renewAt, yieldAt))
        }
    }

    /// What there is a subscription to.
    package enum Source: Hashable, Sendable {
        case ancs(Characteristic)
        /// A characteristic of the service beside ANCS, since it was last found.
        case companion(BluetoothUUID, at: ObjectPath, era: Int)

        static var notifications: Self { .ancs(.notificationSource) }
        static var data: Self { .ancs(.dataSource) }

        var isOfANCS: Bool { if case .ancs = self { true } else { false } }
    }

    /// How long a request is repeated that meets another one.
    static let requestTime = Duration.seconds(30)

    /// The subscription to a characteristic.
    struct Subscription: Equatable, Sendable {
        let source: Source
        var machine = ValueSubscription()
        /// Whether it is wanted.
        var isWanted = false
        /// Whether the report that it is established is waited for.
        var isAwaited = false

        /// Whether the session was informed that it is established.
        var isStanding: Bool { machine.stands && !isAwaited }
    }
}
