internal import BluetoothLE

/// A user of a ``CentralSystem``: a manager, a port, or the adapter's public face. The system holds its
/// clients weakly.
///
/// An actor on the system's loop conforms without isolation and assumes its own:
///
///     extension CentralManager: SystemClient {
///         nonisolated func receive(_ event: SystemEvent) {
///             assumeOnLoop { $0.received(event) }
///         }
///     }
protocol SystemClient: AnyObject, Sendable {
    /// The topics of events that it receives. Every value of a peer is an event, which most clients do not
    /// need.
    static var topics: SystemTopics { get }
    /// Receives an event. Called on the loop's thread, and never during a call of the client to the system.
    func receive(_ event: SystemEvent)
}

/// A reason of the system itself to keep a link that it established.
enum SystemReason: Equatable, Sendable {
    /// A bonded accessory uses ANCS.
    case ancs
}

/// Topics of events.
struct SystemTopics: OptionSet, Sendable {
    let rawValue: UInt8

    static let controller = SystemTopics(rawValue: 1 << 0)
    static let scan = SystemTopics(rawValue: 1 << 1)
    static let link = SystemTopics(rawValue: 1 << 2)
    static let peer = SystemTopics(rawValue: 1 << 3)
    static let security = SystemTopics(rawValue: 1 << 4)
    static let value = SystemTopics(rawValue: 1 << 5)
    static let server = SystemTopics(rawValue: 1 << 6)
    static let advertising = SystemTopics(rawValue: 1 << 7)
}

/// An event of a ``CentralSystem``, by topic. Events go to all clients, unless stated otherwise. Topics `server` and
/// `advertising` are those of a host of our own.
enum SystemEvent: Equatable, Sendable {
    /// An event of the controller, or of the system as a whole.
    case controller(ControllerEvent)
    /// An event of a scan; only to the client that scans.
    case scan(ScanEvent)
    /// An event of the link to a peer.
    case link(PeerKey, LinkEvent)
    /// A change of what is known of a peer.
    case peer(PeerKey, PeerEvent)
    /// An event of the security of the link to a peer.
    case security(PeerKey, SecurityEvent)
    /// A peer sent a notification or an indication.
    case value(PeerKey, ATTBearer.ValueEvent)
    /// A peer accessed an attribute; only to the client that owns the service, except for
    /// ``BluetoothLE/ATTBearer/ServerEvent/accessDenied(_:_:)``. If the attribute needs more protection, the
    /// system protects the link on its own, within the configuration. A read, or a write with a token, has to
    /// be answered with ``SystemDriver/respond(to:with:refusing:of:)``.
    case server(PeerKey, ATTBearer.ServerEvent)
    /// An event of advertising.
    case advertising(AdvertisingEvent)

    /// The topic of the event.
    var topic: SystemTopics {
        switch self {
        case .controller: .controller
        case .scan: .scan
        case .link: .link
        case .peer: .peer
        case .security: .security
        case .value: .value
        case .server: .server
        case .advertising: .advertising
        }
    }

    /// An event of the controller, or of the system as a whole.
    enum ControllerEvent: Equatable, Sendable {
        /// The transport is listening for a controller at this place.
        case listening(at: String)
        /// The state of the adapter changed, with the failure that caused it, if any. A state other than
        /// `poweredOn` ends scans and advertising (links have ended before). Connect requests without a
        /// timeout and published services remain.
        case stateChanged(ManagerState, ControllerFailure?)
        /// The system has failed for good.
        case failed(DeviceError)
        /// A problem that the user should know about; the system continues.
        case warning(DeviceWarning)
        /// The machine was suspended and has resumed: the controller may have stopped what it was doing.
        case resumed
        /// Whether Centrals may pair has changed.
        case pairingWindow(isOpen: Bool)
        /// The system was closed; this is the last event.
        case closed
    }

    /// An event of a client's scan.
    enum ScanEvent: Equatable, Sendable {
        /// Whether this client's scan is running has changed.
        case changed(isScanning: Bool)
        /// The scan has failed; the client may start it again.
        case failed(BluetoothError)
        /// An advertiser that passes the client's filter was received.
        indirect case discovered(PeerKey, Discovery)
        /// One that does not pass it was received, and is not remembered as a peer.
        indirect case passedOver(Discovery)
    }

    /// An event of the link to a peer.
    enum LinkEvent: Equatable, Sendable {
        /// The link was established, by either side; at bluetoothd perhaps by another program, and without a
        /// description.
        indirect case up(LinkDescription?)
        /// The link ended; all procedures on it have completed before.
        case down(DisconnectReason)
        /// The parameters of the link changed. Never at bluetoothd, nor are the next two.
        indirect case changed(LinkDescription)
        /// The peer decided about the parameters that this device asked for, by
        /// ``SystemDriver/askForParameters(_:of:)``.
        indirect case parameters(LinkDescription, ConnectionParameterRequests.Outcome)
        /// The peer, a Peripheral, requests parameters: after ``SystemDriver/letClientsAnswerParameters()``, the
        /// client that called it answers.
        indirect case parametersRequested(ConnectionParameters)
        /// The effective ATT_MTU of the link changed, in octets.
        case mtuChanged(Int)
        /// There is room for values again.
        case hasRoom
        /// The peer indicated that its services in this range of handles have changed. Only if a client
        /// subscribed to that (``SystemDriver/followServices(of:)``).
        case servicesChanged(AttributeHandleRange)
        /// The subscriptions of clients to a value of the peer have ended, although the link has not: only at
        /// bluetoothd.
        case unsubscribed(AttributeHandle)
        /// The peer subscribed to Service Changed, or unsubscribed.
        case serviceChangedSubscribed(Bool)
        /// The peer confirmed an indication of Service Changed.
        case serviceChangedConfirmed
        /// Only to the client that requested it: there is a link, and this client is one of its users.
        case connected
        /// Only to the client that requested it: the request has failed.
        case connectFailed(ConnectFailure)
    }

    /// A change of what is known of a peer.
    enum PeerEvent: Equatable, Sendable {
        /// Pairing revealed that the peer, which has a link, was known before by another key, and it takes
        /// over the identifier of that one. Requests for the other one are fulfilled by this link. Later
        /// events use only this key, and the other key is an alias. Sent before
        /// ``SecurityEvent/paired(isBonded:replacesBond:)``.
        case identified(PeerMerger)
        /// The peer's bond, name or address has changed.
        case changed
    }

    /// An event of the security of the link to a peer.
    enum SecurityEvent: Equatable, Sendable {
        /// The protection of the link has changed. Never at bluetoothd, which does not say it.
        case changed(LinkSecurity)
        /// Pairing needs an answer from the user, by ``CentralSystem/request(_:asking:)``.
        case ask(SecurityManager.Question, request: UInt64)
        /// A question needs no answer any more, although nothing has failed: only at bluetoothd.
        case withdrawn
        /// Pairing succeeded; `replacesBond` says that there was a bond with the same peer before.
        case paired(isBonded: Bool, replacesBond: Bool)
        /// The link was encrypted with the keys of an earlier pairing.
        case bondRestored
        /// Pairing or encryption failed; a pending question is withdrawn.
        case failed(SecurityFailure)
        /// The same, if the keys of a bonded Central do not work, or it does not have them; once per link.
        /// Only the first of several such links is news for a user.
        case keyTrouble(SecurityFailure, news: KeyTrouble?)
    }

    /// An event of advertising.
    enum AdvertisingEvent: Equatable, Sendable {
        /// Whether this device advertises for any client has changed. To all clients.
        case onAir(Bool)
        /// Whether this client's request is on air has changed. Only to the client.
        case changed(isOnAir: Bool)
        /// The controller refused to advertise; there will be another attempt. Only to the client.
        case failed(Advertiser.Failure)
        /// The request of this client has ended, for a reason that it contains. Only to the client.
        case ended(AdvertisingEnd)
    }
}

/// Why a connect request failed.
enum ConnectFailure: Error, Equatable, Sendable {
    /// Its timeout passed; the error is that of the last attempt, if there was one.
    case timedOut(Initiator.Failure?)
    /// Its timeout passed, and there was never room for another link.
    case tooManyConnections
    /// It was cancelled.
    case cancelled
    /// The system does not know the peer.
    case unknownPeer
    /// The system was closed.
    case closed
}

extension SystemEvent.ControllerEvent {
    /// What programs read of it; `nil` for what only clients of the system need.
    var forPrograms: DeviceEvent? {
        switch self {
        case .listening(let place): .listening(at: place)
        case .stateChanged(.poweredOn, _): .ready
        case .stateChanged(.resetting, let failure?): .resetting(failure)
        // It may come back, too.
        case .stateChanged(_, .bluetoothd(let failure)?): .resetting(.bluetoothd(failure))
        case .warning(let warning): .warning(warning)
        case .resumed: .resumed
        case .pairingWindow(let isOpen): .pairingWindow(isOpen: isOpen)
        case .stateChanged, .failed, .closed: nil
        }
    }
}
