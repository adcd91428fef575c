internal import BluetoothLE

/// Names a client of a ``BluetoothSystem`` for as long as both live.
struct ClientID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Whoever uses a ``BluetoothSystem``: a manager, a port, the face of the adapter. The system does not
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
    /// Something happened. Called on the loop's thread, and it may be from within a call of the client's
    /// own, so that a client finishes its step before it calls the system.
    func receive(_ event: SystemEvent)
}

/// A reason of the system's own to keep a link that it made, whatever apps want.
enum SystemReason: Hashable, Sendable {
    /// A bonded accessory uses ANCS.
    case ancs
}

/// What a ``BluetoothSystem`` tells its clients. To everybody, unless it says otherwise.
enum SystemEvent: Sendable {
    // The controller.

    /// The transport waits at this place for a controller.
    case listening(at: String)
    /// The adapter can do more, or less; the reason is for a user. A state other than `poweredOn` ends
    /// scans and advertisements (links have ended before); connect requests without a timeout wait for
    /// better days, and published services stay.
    case stateChanged(ManagerState, reason: String)
    /// The system cannot go on; nothing more is told.
    case failed(DeviceError)
    /// Something that the user should know, but that stops nothing.
    case warning(String)
    /// The machine was suspended, and is awake again: what was on air may be gone.
    case resumed

    // Scanning: to who scans.

    /// Whether advertisers are looked for on behalf of this client.
    case scanning(Bool)
    /// Nobody is looked for any more, since the controller refuses; the client may ask again.
    case scanningFailed(Scanner.Failure)
    /// An advertiser was heard that passes the client's filter.
    case discovered(PeerIdentifier, Discovery)

    // Links.

    /// There is a link to a peer, by whoever it was made.
    case linkUp(PeerIdentifier, LinkDescription)
    /// The link to a peer ended; every procedure on it has been completed before.
    case linkDown(PeerIdentifier, HCIStatus)
    /// The parameters of a link changed.
    case linkChanged(PeerIdentifier, LinkDescription)
    /// To who asked for it: the link stands, and this client is one of its users.
    case connected(PeerIdentifier)
    /// To who asked for it: there will be no link, and the request is gone.
    case connectFailed(PeerIdentifier, ConnectFailure)
    /// Pairing revealed that the peer with the first identifier is the one that has long been known by the
    /// second. The link, its users, connect requests and subscriptions are the second one's from now on;
    /// the first identifier means nothing any more. Told before `paired`.
    case identified(PeerIdentifier, as: PeerIdentifier)
    /// A peer is bonded, or not any more, or has another name or address.
    case peerChanged(PeerIdentifier)

    // Security.

    /// The link to a peer is protected differently.
    case securityChanged(PeerIdentifier, LinkSecurity)
    /// Whether Centrals may pair from now on.
    case pairingWindow(isOpen: Bool)
    /// Pairing needs the user.
    case ask(PeerIdentifier, PairingQuestion)
    /// Pairing succeeded.
    case paired(PeerIdentifier, isBonded: Bool)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored(PeerIdentifier)
    /// Pairing or encryption failed; a question that is open is withdrawn.
    case securityFailed(PeerIdentifier, SecurityManager.Failure)

    // Attributes of peers.

    /// The effective ATT_MTU of a link changed, in octets.
    case mtuChanged(PeerIdentifier, Int)
    /// A peer notified a value, or indicated it, which has been confirmed.
    case value(PeerIdentifier, AttributeHandle, [UInt8], isIndication: Bool)
    /// There is room for values again on a link that had none.
    case hasRoom(PeerIdentifier)

    // Attributes of ours: to the client that owns the service.

    /// A peer configured the characteristic with this value handle, be it as it was.
    case subscriptionChanged(
        PeerIdentifier, AttributeHandle, ClientCharacteristicConfiguration)
    /// A peer reads a dynamic attribute: ``BluetoothSystem/respond(to:with:refusing:of:)``.
    case readRequested(PeerIdentifier, ATTBearer.RequestToken, AttributeHandle)
    /// A peer writes dynamic attributes, by one request all of them or none; without a token there is
    /// nothing to answer.
    case writeRequested(PeerIdentifier, ATTBearer.RequestToken?, [AttributeWrite])
    /// A peer wrote a value in the table.
    case valueWritten(PeerIdentifier, AttributeHandle, [UInt8])
    /// A peer confirmed the indication of a value.
    case indicationConfirmed(PeerIdentifier, AttributeHandle)
    /// A peer was refused an attribute. Where the link is not protected enough, the system secures it by
    /// itself, as far as the configuration lets it. To everybody.
    case accessDenied(PeerIdentifier, AttributeHandle, ATTErrorCode)
    /// A peer subscribed to Service Changed, or unsubscribed. To everybody.
    case serviceChangedSubscribed(PeerIdentifier, Bool)

    // Advertising.

    /// Whether this device is on air, for whomever. To everybody.
    case onAir(Bool)
    /// Whether what this client wants is on air: to who advertises.
    case advertising(Bool)
    /// The controller refuses to advertise; it is tried again. To who advertises.
    case advertisingFailed(Advertiser.Failure)
    /// What this client wanted on air is not wanted any more, for a reason that it gave when it asked.
    case advertisingEnded(AdvertisingEnd)
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
