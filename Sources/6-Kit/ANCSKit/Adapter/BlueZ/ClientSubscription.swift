internal import BlueZ

/// The subscriptions of all clients to a characteristic, which are one at bluetoothd.
struct ClientSubscription: Sendable {
    /// A request that waits for a change.
    struct Waiter: Equatable, Sendable {
        let id: RemotePeer.RequestID
        let client: ClientID
        let subscribes: Bool
    }

    let path: ObjectPath
    /// Identifies it in calls.
    let number: UInt64
    var machine = ValueSubscription()
    /// The clients that are subscribed.
    var clients: Set<ClientID> = []
    /// The requests that wait, in order.
    var waiters: [Waiter] = []
    /// Whether the peer was paired for it.
    var hasPaired = false

    /// Whether values are broadcast, or may be.
    var mayHaveValues: Bool {
        switch machine.state {
        case .starting, .notifying: true
        case .none, .trying, .acquiring, .socket, .stopping, .pausing, .awaitingPairing: false
        }
    }

    /// The clients, once the waiting requests are carried out.
    var clientsToBe: Set<ClientID> {
        waiters.reduce(into: clients) { clients, waiter in
            if waiter.subscribes {
                clients.insert(waiter.client)
            } else {
                clients.remove(waiter.client)
            }
        }
    }

    /// Whether any client wants it, once they are.
    var isWanted: Bool { !clientsToBe.isEmpty }
}
