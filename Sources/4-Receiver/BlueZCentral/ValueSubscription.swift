internal import ANCSEvents
internal import BluetoothTypes
internal import BlueZ
internal import DBus
internal import Octets

/// The subscriptions of all clients to a characteristic, which are one at bluetoothd.
struct ValueSubscription: Sendable {
    enum State: Equatable, Sendable {
        case none
        /// `AcquireNotify` is called as soon as bluetoothd has answered something else.
        case trying(attempt: Int)
        /// `AcquireNotify` is pending.
        case acquiring(attempt: Int)
        /// `StartNotify` is pending.
        case starting(attempt: Int)
        /// Values arrive on a socket, which no other program can read.
        case socket(SocketID)
        /// Values are broadcast on the bus, as are those that any program reads.
        case notifying
        /// `StopNotify` is pending.
        case stopping
        /// There is another attempt at this time: bluetoothd has not noticed the end of the previous subscription
        /// yet, or another program has the socket.
        case pausing(until: MonotonicInstant, attempt: Int)
        /// It was refused for want of security, and begins again when the peer is paired.
        case awaitingPairing
    }

    /// A request that waits for a change.
    struct Waiter: Equatable, Sendable {
        let id: RemotePeer.RequestID
        let client: ClientID
        let subscribes: Bool
    }

    let path: ObjectPath
    /// Identifies it in calls.
    let number: UInt64
    var state = State.none
    /// The clients that are subscribed.
    var clients: Set<ClientID> = []
    /// The requests that wait, in order.
    var waiters: [Waiter] = []
    /// Whether the peer was paired for it.
    var hasPaired = false

    init(path: ObjectPath, number: UInt64) {
        self.path = path
        self.number = number
    }

    /// Whether values arrive, or may.
    var mayHaveValues: Bool {
        switch state {
        case .starting, .notifying: true
        case .none, .trying, .acquiring, .socket, .stopping, .pausing, .awaitingPairing: false
        }
    }

    /// Whether any client wants it, once the waiting requests are carried out.
    var isWanted: Bool {
        var clients = self.clients
        for waiter in waiters {
            if waiter.subscribes {
                clients.insert(waiter.client)
            } else {
                clients.remove(waiter.client)
            }
        }
        return !clients.isEmpty
    }

    var nextDeadline: MonotonicInstant? {
        if case .pausing(let until, _) = state { until } else { nil }
    }
}
