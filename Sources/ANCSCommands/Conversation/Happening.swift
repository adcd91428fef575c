internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// Something that happened in a capture, with its time and place.
struct Happening: Equatable, Sendable {
    /// The time of the record that shows it.
    var time: CaptureTime
    var place: Place
    var event: Event

    /// Where something happened. Connections and sessions are numbered throughout a capture.
    struct Place: Equatable, Sendable {
        /// The adapter, if the format tells adapters apart.
        var adapter: UInt16?
        var connection: Int?
        var session: Int?
    }

    /// The two ends of a link: the host that made the capture, and its peer.
    enum Side: Equatable, Sendable {
        case local
        case remote

        var other: Side { self == .local ? .remote : .local }
    }

    enum Event: Equatable, Sendable {
        // The capture and its controllers.
        case adapter(AdapterChange)
        case lost(count: Int)
        case cut(missing: Int)
        case notShown([NotShown])
        case controllerReset
        case hardwareError(code: UInt8)
        case malformed(layer: String, offset: UInt64)
        // A link.
        case connected(ConnectionFacts)
        case connectingFailed(DeviceAddress?, HCIStatus)
        case transport(Transport)
        case channel(ChannelEvent)
        case basicRate(BasicRateVerdict)
        case parametersChanged(LinkParameters)
        case parametersRefused(HCIStatus)
        case disconnecting
        case disconnected(HCIStatus?, duration: Duration?)
        case encryption(EncryptionChange)
        case keyMissing
        case pairing(PairingEvent)
        // Attributes.
        case mtu(Int)
        case name(Side, String)
        case services(on: Side, [BluetoothUUID])
        case serviceMissing(on: Side, BluetoothUUID)
        case handles(on: Side, ANCSHandles, HandleOrigin)
        case serviceChanged(on: Side, AttributeHandleRange, concernsANCS: Bool)
        case requestRefused(ATTOpcode, AttributeHandle, ATTErrorCode, ANCSCharacteristic?)
        case requestUnanswered(ATTOpcode, since: CaptureTime, ending: Ending)
        case strayResponse(ATTOpcode)
        case unreadable(channel: String, octets: Int)
        // A session.
        case subscription(ANCSCharacteristic, isOn: Bool)
        case sessionBegan
        case sessionEnded(SessionCounts)
        case source(octets: [UInt8], NotificationSummary)
        case command(Write, hasResponse: Bool)
        case commandResult(Write, ATTErrorCode?, duration: Duration, NotificationSummary)
        case commandUnanswered(Write, since: CaptureTime, ending: Ending, NotificationSummary)
        case answer(Answer, NotificationSummary)
        case strayAnswer(octets: [UInt8], isFromBefore: Bool)
    }

    enum AdapterChange: Equatable, Sendable {
        case added(DeviceAddress, name: String)
        case address(DeviceAddress)
        case removed
    }

    struct LinkParameters: Equatable, Sendable {
        var interval: ConnectionInterval
        var latency: UInt16
        var supervisionTimeout: SupervisionTimeout
    }

    struct ConnectionFacts: Equatable, Sendable {
        /// The address of the peer; `nil` if the link was established before the capture.
        var address: DeviceAddress?
        var identity: DeviceAddress?
        /// The role of the local side.
        var role: LinkRole?
        var parameters: LinkParameters?
        /// The number of the previous connection with the same peer, if the capture has one.
        var earlier: Int?
        /// `nil` if the link was established before the capture, and nothing tells it yet.
        var transport: Transport? = .lowEnergy
        /// The side that asked for the link, for BR/EDR.
        var asker: Side?
        /// What the peer says it is, for BR/EDR.
        var deviceClass: DeviceClass?
    }

    struct EncryptionChange: Equatable, Sendable {
        var status: HCIStatus
        var isEnabled: Bool
        /// Whether the key was made by pairing in this connection, rather than stored before.
        var isFromPairing: Bool
    }

    enum PairingEvent: Equatable, Sendable {
        /// The Peripheral requested security.
        case wanted(by: Side)
        case began(by: Side)
        case agreed(PairingTerms)
        case succeeded(PairingTerms)
        case failed(PairingFailureReason, by: Side)
        /// The controller reports a failure.
        case stopped(HCIStatus, over: Transport)
        case unfinished
        case identity(of: Side, DeviceAddress)
        // Over BR/EDR.
        /// This side's user is asked to compare six digits.
        case confirming
        case confirmed(by: Side)
        case refused(by: Side)
        /// A side asks to derive keys for Low Energy from those of BR/EDR.
        case deriving(by: Side)
        case derived(Bool)
        case notDerived(PairingFailureReason, by: Side)
    }

    enum PairingMethod: Equatable, Sendable {
        case model(AssociationModel)
        /// A PIN that both users enter, as before Bluetooth 2.1.
        case pin
    }

    /// What the keys are for.
    enum PairingScheme: Equatable, Sendable {
        /// A key of so many octets; `derivesLinkKey` if one for BR/EDR is derived from it.
        case lowEnergy(usesSecureConnections: Bool, keySize: Int, derivesLinkKey: Bool)
        /// The kind is `nil` until the key is made.
        case basicRate(LinkKeyKind?)
    }

    struct PairingTerms: Equatable, Sendable {
        /// `nil` if pairing began before the capture.
        var method: PairingMethod?
        var scheme: PairingScheme
        var isBonding: Bool
    }

    enum HandleOrigin: Equatable, Sendable {
        case discovered
        /// Known from the discovery in an earlier connection.
        case remembered(connection: Int)
        /// Inferred from the traffic.
        case inferred
    }

    /// Why an answer can no longer arrive.
    enum Ending: Equatable, Sendable {
        case link
        case session
        case capture
        /// The channel of the Attribute Protocol was closed.
        case channel
        /// The client sent another request on the same bearer, which is allowed only after a response.
        case nextRequest
        /// There were too many outstanding commands to follow them all.
        case crowded
    }

    struct SessionCounts: Equatable, Sendable {
        var added = 0
        var modified = 0
        var removed = 0
        var answered = 0
        var refused = 0
        var unanswered = 0
    }

    /// What is known about a notification, so that a reader can tell which one it is.
    struct NotificationSummary: Equatable, Sendable {
        var category: CategoryID?
        var app: String?
        var title: String?
    }

    /// A write to the Control Point.
    struct Write: Equatable, Sendable {
        var octets: [UInt8]
        /// `nil` if the octets are not a command.
        var command: ControlPointCommand?

        init(_ octets: [UInt8]) {
            self.octets = octets
            command = try? ControlPointCommand(decoding: octets.span)
        }
    }

    /// An answer on the Data Source, complete or not.
    struct Answer: Equatable, Sendable {
        var content: DataSourceAnswer
        /// The time from the write of the command to the end of the answer.
        var duration: Duration
        /// Whether it arrived long after the command, or after the answer to a later command.
        var isLate: Bool
    }
}

/// The characteristics of ANCS.
enum ANCSCharacteristic: String, Equatable, Sendable {
    case notificationSource
    case controlPoint
    case dataSource

    /// The name in the specification.
    var title: String {
        switch self {
        case .notificationSource: "Notification Source"
        case .controlPoint: "Control Point"
        case .dataSource: "Data Source"
        }
    }
}

/// The handles of the ANCS characteristics on a server.
struct ANCSHandles: Equatable, Sendable {
    var notificationSource: AttributeHandle?
    var controlPoint: AttributeHandle?
    var dataSource: AttributeHandle?
    /// The Client Characteristic Configuration descriptors, if discovery found them.
    var notificationSourceConfiguration: AttributeHandle?
    var dataSourceConfiguration: AttributeHandle?

    /// The characteristic whose value has this handle.
    func characteristic(valueAt handle: AttributeHandle) -> ANCSCharacteristic? {
        switch handle {
        case notificationSource: .notificationSource
        case controlPoint: .controlPoint
        case dataSource: .dataSource
        default: nil
        }
    }

    /// The characteristic whose configuration has this handle. Without discovery, the descriptor is assumed
    /// to follow the value, as it does on iOS.
    func characteristic(configuredAt handle: AttributeHandle) -> ANCSCharacteristic? {
        func follows(_ value: AttributeHandle?, _ known: AttributeHandle?) -> Bool {
            if let known { return known == handle }
            guard let value, value < .last else { return false }
            return handle.rawValue == value.rawValue + 1
        }
        guard characteristic(valueAt: handle) == nil else { return nil }
        if follows(notificationSource, notificationSourceConfiguration) {
            return .notificationSource
        }
        return follows(dataSource, dataSourceConfiguration) ? .dataSource : nil
    }

    /// Whether any of the handles lies in a range.
    func isAffected(by range: AttributeHandleRange) -> Bool {
        [notificationSource, controlPoint, dataSource].contains { handle in
            handle.map(range.contains) ?? false
        }
    }
}
