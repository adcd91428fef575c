internal import BlueZ

// The calls and the states of a peer.
extension RemotePeer {
    typealias RequestID = AttributeQueue.RequestID
    typealias Failure = PeerRequestFailure

    /// A call of a method of bluetoothd.
    enum Call: Equatable, Sendable {
        case connect
        /// Ends a link that this system made, or its attempt to make one.
        case disconnect
        case pair
        case request(AttributeHandle, AttributeQueue.Request)
        /// Reads the ATT_MTU of the link, which each characteristic has as a property.
        case readMTU(ObjectPath)
        /// The path is that of the configuration where that is read.
        case subscription(Attribute, ValueSubscription.Call)

        /// The limit for the reply. bluetoothd tries to connect for 40 s at most, pairing waits for people, an ATT
        /// transaction takes 30 s at most (Core Vol 3, Part F, 3.3.3), and a long value takes many. Subscriptions
        /// can hang, and get less.
        var limit: Duration {
            switch self {
            case .connect: .seconds(60)
            case .disconnect: .seconds(10)
            case .pair: .seconds(90)
            case .request: RemotePeer.transactionTime
            case .subscription, .readMTU: ValueSubscription.Call.limit
            }
        }

        /// What it does to a subscription, and to which.
        var ofSubscription: (attribute: Attribute, call: ValueSubscription.Call)? {
            if case .subscription(let attribute, let call) = self { (attribute, call) } else { nil }
        }

        /// Whether its reply is only for the link on which it was called.
        var isOfLink: Bool {
            switch self {
            case .connect, .disconnect: false
            case .pair, .request, .readMTU, .subscription: true
            }
        }
    }

    /// What a subscription is about.
    struct Attribute: Equatable, Sendable {
        let handle: AttributeHandle
        var path: ObjectPath
        /// Distinguishes it from earlier subscriptions: bluetoothd may use the handle of a removed attribute for
        /// another one.
        let number: UInt64
    }

    enum Output: Equatable, Sendable {
        case call(Call)
        case open(SocketID, BusDescriptor)
        case close(SocketID)
        case completed(RequestID, Result<GATTResult, Failure>)
        case event(SystemEvent, to: ClientID?)
    }

    /// The state of the link. Only ``up(_:)`` and ``ending(until:_:)`` have one.
    enum Link: Equatable, Sendable {
        /// There is none, and nobody wants one.
        case down
        /// A client wants one, and bluetoothd has no object of the peer: it removes a device that is neither bonded
        /// nor connected 30 s after it was last heard (`TemporaryTimeout` of main.conf). The discovery has to hear
        /// it first.
        case searching
        /// `Connect` was called. It fails when the peer was not heard for 20 to 40 s (the kernel's limit).
        case connecting
        /// `Connect` is called again at this time.
        case pausing(until: MonotonicInstant)
        /// No client wants it any more, and `Disconnect` was called to cancel `Connect`, which is not answered yet,
        /// or is.
        case cancelling(until: MonotonicInstant, isConnecting: Bool)
        /// There is a link.
        case up(Origin)
        /// This system ends its own link, once it knows that no other program uses it; bluetoothd takes 2 s for that.
        /// If the link is still there at this time, it stays.
        case ending(until: MonotonicInstant, DisconnectReason)
    }

    /// Who made a link, and so may end it.
    enum Origin: Equatable, Sendable {
        /// `Connect` of this system was outstanding when the link came up. Where another program called it in the
        /// same milliseconds, both see the same.
        case own
        /// Another program, bluetoothd itself for a bonded device, or the peer.
        case other
    }

    /// The protection of the link.
    enum Security: Equatable, Sendable {
        /// Nothing is known to be missing.
        case resting
        /// `Pair` was called. Until its reply nothing else is called: the property `Paired` changes before, and
        /// calls in between may never be answered (5.66).
        case pairing
        /// Another program pairs; the property will say so, until this time.
        case pairedByOther(until: MonotonicInstant)
        /// Pairing has failed on this link. It is not tried again by itself: each attempt asks the user.
        case failed
    }

    /// The longest time for a request.
    static let transactionTime = Duration.seconds(35)
    /// How long a request on a link without a bond may go without an answer before the peer is paired: bluetoothd
    /// does not pass on the refusal, but raises the security by itself, with the default agent, of any program, or
    /// with none, and repeats the request when the link is protected (5.55 to 5.87, bt_att's `change_security`).
    static let suspicionTime = Duration.seconds(5)
    /// How long the discovery of services may take. A peer with 40 services at an interval of 300 ms takes 12 s.
    static let resolutionTime = Duration.seconds(40)
    /// How long the objects of changed services may take to appear, from one to the next.
    static let completionTime = Duration.milliseconds(500)
    /// How long a change of services may take until it is reported as it is.
    static let changeTime = Duration.seconds(5)
    /// The pause before `Connect` is called again; it doubles up to the limit.
    static let firstConnectPause = Duration.milliseconds(500)
    static let connectPauseLimit = Duration.seconds(10)
    /// How many writes without a response may wait.
    static let maximumCommands = 32
    /// The longest attribute value in octets. Core Vol 3, Part F, 3.2.9.
    static let maximumValueLength = 512
}
