internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// A link of a ``BluetoothSystem`` and who wants it.
final class SystemLink: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, like the system that owns it.

    /// What a client waits for.
    struct Procedure {
        /// Who wants it; `nil` for the system.
        let client: ClientID?
        let procedure: GATTProcedure
        /// Whether an attribute that needs protection is a reason to pair and to try once more.
        var pairs: Bool
        let completion: @Sendable (Result<GATTResult, GATTFailure>) -> Void
    }

    /// Why a client is not told how strong a peer is heard.
    enum RSSIFailure: Error {
        /// The controller cannot say it.
        case unknown
        /// There is no link, it ended, or the client released the peer.
        case closed
    }

    /// Who waits to be told how strong the peer is heard, in dBm.
    struct RSSIWaiter {
        let client: ClientID
        let completion: @Sendable (Result<Int8, RSSIFailure>) -> Void
    }

    let handle: ConnectionHandle
    /// Another identifier where pairing reveals who it is.
    var peer: PeerIdentifier
    var description: LinkDescription
    /// The clients that asked for it.
    var users: Set<ClientID> = []
    /// Why the system keeps it.
    var reasons: Set<SystemReason> = []
    /// It stands only until the controller has ended it: nothing is told of it any more.
    var isRefused = false
    /// As Peripheral, the Central was asked to protect it, which is done once: who does not want to is not
    /// asked at every attribute.
    var hasRequestedSecurity = false
    /// How it was protected when that was told last.
    var security = LinkSecurity.none
    /// How far the exchange of ATT_MTU is, and who waits for it.
    var mtuExchange = MTUExchange.notWanted
    var awaitingMTU: [Procedure] = []
    /// What the bearer works on, by its names, and what it had no room for.
    var procedures: [ProcedureID: Procedure] = [:]
    var waiting: [Procedure] = []
    /// What failed for lack of protection, until the link is protected or cannot be.
    var unprotected: [(procedure: Procedure, failure: GATTFailure)] = []
    var subscriptions: [AttributeHandle: PeerSubscription] = [:]
    /// One answer is for all of them.
    var awaitingRSSI: [RSSIWaiter] = []
    /// What is known of the services of the peer.
    var services = PeerServices()

    enum MTUExchange {
        case notWanted
        case underWay
        case done
    }

    init(
        handle: ConnectionHandle, peer: PeerIdentifier, description: LinkDescription
    ) {
        self.handle = handle
        self.peer = peer
        self.description = description
    }

    /// Whether this device made it, so that somebody has to want it.
    var isOurs: Bool { description.role == .central }

    /// Whether somebody wants it.
    var isWanted: Bool { !isOurs || !users.isEmpty || !reasons.isEmpty }
}

/// What clients want to be told of a characteristic of a peer: one descriptor for all of them.
struct PeerSubscription {
    /// A client that waits for its wish to be fulfilled.
    struct Waiter {
        let client: ClientID
        /// What it wanted before.
        let before: ClientCharacteristicConfiguration
        let completion: @Sendable (Result<GATTResult, GATTFailure>) -> Void
    }

    /// What each of them wants.
    var wishes: [ClientID: ClientCharacteristicConfiguration] = [:]
    /// What the peer was told last, and what it has confirmed.
    var written: ClientCharacteristicConfiguration = []
    var confirmed: ClientCharacteristicConfiguration = []
    var writesUnderWay = 0
    /// Who waits for the last of these writes.
    var waiters: [Waiter] = []

    /// What the peer is to be told.
    var wanted: ClientCharacteristicConfiguration {
        wishes.values.reduce(into: []) { $0.formUnion($1) }
    }
}
