internal import BluetoothLE

/// Names a client of a ``BluetoothSystem`` for as long as both live.
struct ClientID: Hashable, Sendable {
    let rawValue: UInt64
}

/// What uses a ``BluetoothSystem``: a manager, a port, the face of the adapter. The system does not
/// hold its clients.
///
/// An actor on the system's loop conforms without isolation and enters itself:
///
///     extension CentralManager: SystemClient {
///         nonisolated func receive(_ event: SystemEvent) {
///             assumeIsolated { $0.received(event) }
///         }
///     }
protocol SystemClient: AnyObject, Sendable {
    /// Something happened. Called on the loop's thread, and never from within a call of the client's own.
    func receive(_ event: SystemEvent)
}

/// A reason of the system's own to keep a link that it made, whatever apps want.
enum SystemReason: Hashable, Sendable {
    /// A bonded accessory uses ANCS.
    case ancs
}

/// What a ``BluetoothSystem`` tells its clients, by topic. To all of them, unless it says otherwise.
enum SystemEvent: Sendable {
    /// Something happened to the controller, or to the system as a whole.
    case controller(ControllerEvent)
    /// Something happened to a scan: to the client that scans.
    case scan(ScanEvent)
    /// Something happened to the link to a peer.
    case link(PeerKey, LinkEvent)
    /// Something else is known of a peer.
    case peer(PeerKey, PeerEvent)
    /// Something happened to the protection of the link to a peer.
    case security(PeerKey, SecurityEvent)
    /// A peer sent a value by itself.
    case value(PeerKey, ATTBearer.ValueEvent)
    /// A peer did something with an attribute: to the client that owns the service, but for
    /// ``BluetoothLE/ATTBearer/ServerEvent/accessDenied(_:_:)``, which is for all. Where the link is not
    /// protected enough for the attribute, the system secures it by itself, as far as the configuration
    /// lets it. A read and a write that has a token wait for
    /// ``SystemDriver/respond(to:with:refusing:of:)``.
    case server(PeerKey, ATTBearer.ServerEvent)
    /// Something happened to what is on air.
    case advertising(AdvertisingEvent)

    /// What happens to the controller, or to the system as a whole.
    enum ControllerEvent: Sendable {
        /// The transport waits at this place for a controller.
        case listening(at: String)
        /// The adapter can do more, or less; and why, where something is wrong. A state other than
        /// `poweredOn` ends scans and advertisements (links have ended before); connect requests without a
        /// timeout wait for better days, and published services stay.
        case stateChanged(ManagerState, ControllerTrouble?)
        /// The system cannot go on.
        case failed(DeviceError)
        /// Something that the user should know, but that stops nothing.
        case warning(DeviceWarning)
        /// The machine was suspended, and is awake again: what was on air may be gone.
        case resumed
        /// Whether Centrals may pair from now on.
        case pairingWindow(isOpen: Bool)
        /// The system was closed; nothing more is told.
        case closed
    }

    /// What happens to the scan of a client.
    enum ScanEvent: Sendable {
        /// Whether advertisers are looked for on behalf of this client.
        case changed(isScanning: Bool)
        /// The scan has ended, since the controller refuses; the client may ask again.
        case failed(Scanner.Failure)
        /// An advertiser was heard that passes the client's filter.
        indirect case discovered(PeerKey, Discovery)
    }

    /// What happens to the link to a peer.
    enum LinkEvent: Sendable {
        /// There is a link, whichever side made it.
        indirect case up(LinkDescription)
        /// The link ended; every procedure on it has been completed before.
        case down(HCIStatus)
        /// The parameters of the link changed.
        indirect case changed(LinkDescription)
        /// The effective ATT_MTU of the link changed, in octets.
        case mtuChanged(Int)
        /// There is room for values again on a link that had none.
        case hasRoom
        /// What the peer has in this range of handles is not what it was: it said so, where a client follows
        /// that (``SystemDriver/followServices(of:)``).
        case servicesChanged(AttributeHandleRange)
        /// The peer subscribed to Service Changed, or unsubscribed.
        case serviceChangedSubscribed(Bool)
        /// To the client that asked for it: the link stands, and this client is one of its users.
        case connected
        /// To the client that asked for it: there will be no link, and the request is gone.
        case connectFailed(ConnectFailure)
    }

    /// What else is known of a peer.
    enum PeerEvent: Sendable {
        /// Pairing revealed that the peer, who has a link, is one that has long been known by another key:
        /// it has the identifier of that one from now on. Who waited for the other one has this link now. No
        /// event has the other key any more; who asks for it means this peer. Told before
        /// ``SecurityEvent/paired(isBonded:)``.
        case identified(PeerRegistry.Merger)
        /// The peer is bonded, or not any more, or has another name or address.
        case changed
    }

    /// What happens to the protection of the link to a peer.
    enum SecurityEvent: Sendable {
        /// The link is protected differently.
        case changed(LinkSecurity)
        /// Pairing needs the user, and waits for the answer to this request:
        /// ``SystemDriver/request(_:asking:)``.
        case ask(SecurityManager.Question, request: UInt64)
        /// Pairing succeeded.
        case paired(isBonded: Bool)
        /// The link was encrypted with the keys of an earlier pairing.
        case bondRestored
        /// Pairing or encryption failed; a question that is open is withdrawn.
        case failed(SecurityFailure)
    }

    /// What happens to what is on air.
    enum AdvertisingEvent: Sendable {
        /// Whether this device is on air, for any client. To all of them.
        case onAir(Bool)
        /// Whether what this client wants is on air: to the client that advertises.
        case changed(isOnAir: Bool)
        /// The controller refuses to advertise; it is tried again. To the client that advertises.
        case failed(Advertiser.Failure)
        /// What this client wanted on air is not wanted any more, for a reason that it gave when it asked.
        case ended(AdvertisingEnd)
    }
}

/// Why a connect request ended without a link.
enum ConnectFailure: Error, Hashable, Sendable {
    /// Its time is over; what the last attempt failed with, where there was one.
    case timedOut(Initiator.Failure?)
    /// Its time is over, and there never was room for another link.
    case tooManyConnections
    /// It was taken back.
    case cancelled
    /// The system has never heard of the peer.
    case unknownPeer
    /// The system was closed.
    case closed
}

/// What a client wants to hear while it scans.
struct ScanRequest: Hashable, Sendable {
    /// Who has one of these services, or seems to have it in the overflow area; empty for everybody.
    var services: [BluetoothUUID] = []
    /// Or who wants one of these services.
    var solicitedServices: [BluetoothUUID] = []
    /// Whether an advertiser is told of each time it is heard, not only when it says something new.
    var allowsDuplicates = false
    /// Whether scan responses are asked for.
    var isActive = true
}
