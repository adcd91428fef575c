internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// Something that happened in a capture, when and where.
struct Happening: Hashable, Sendable {
    /// The time of the record that shows it.
    var time: CaptureTime
    var place: Place
    var event: Event

    /// Where something happened. Connections and sessions are numbered through a whole capture.
    struct Place: Hashable, Sendable {
        /// Only set where the format tells adapters apart.
        var adapter: UInt16?
        var connection: Int?
        var session: Int?
    }

    /// The two ends of a link: the host that the capture was made on, and the other one.
    enum Side: Hashable, Sendable {
        case local
        case remote

        var other: Side { self == .local ? .remote : .local }
    }

    enum Event: Hashable, Sendable {
        // The capture and its controllers.
        case adapter(AdapterChange)
        case lost(count: Int)
        case cut(missing: Int)
        case controllerReset
        case hardwareError(code: UInt8)
        case malformed(layer: String, offset: UInt64)
        // A link.
        case connected(ConnectionFacts)
        case connectingFailed(DeviceAddress?, HCIStatus)
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
        case command(octets: [UInt8], hasResponse: Bool)
        case commandResult(
            octets: [UInt8], ATTErrorCode?, duration: Duration, NotificationSummary)
        case commandUnanswered(
            octets: [UInt8], since: CaptureTime, ending: Ending, NotificationSummary)
        case answer(Answer, NotificationSummary)
        case strayAnswer(octets: [UInt8], isFromBefore: Bool)
    }

    enum AdapterChange: Hashable, Sendable {
        case added(DeviceAddress, name: String)
        case address(DeviceAddress)
        case removed
    }

    struct LinkParameters: Hashable, Sendable {
        var interval: ConnectionInterval
        var latency: UInt16
        var supervisionTimeout: SupervisionTimeout
    }

    struct ConnectionFacts: Hashable, Sendable {
        /// `nil` where the link was there before the capture.
        var address: DeviceAddress?
        var identity: DeviceAddress?
        /// The part that the local side plays.
        var role: LinkRole?
        var parameters: LinkParameters?
        /// The earlier connection with the same peer, if the capture has one.
        var earlier: Int?
    }

    struct EncryptionChange: Hashable, Sendable {
        var status: HCIStatus
        var isEnabled: Bool
        /// Whether the key is one of this connection's pairing, rather than a stored one.
        var isFromPairing: Bool
    }

    enum PairingEvent: Hashable, Sendable {
        /// A Peripheral asked for security.
        case wanted(by: Side)
        case began(by: Side)
        case agreed(PairingTerms)
        case succeeded(PairingTerms)
        case failed(PairingFailureReason, by: Side)
        case encryptionFailed(HCIStatus)
        case unfinished
        case identity(of: Side, DeviceAddress)
    }

    struct PairingTerms: Hashable, Sendable {
        var model: AssociationModel
        var usesSecureConnections: Bool
        var isBonding: Bool
        var keySize: Int
    }

    enum HandleOrigin: Hashable, Sendable {
        case discovered
        /// Known from a discovery in an earlier connection.
        case remembered(connection: Int)
        /// Told by the traffic alone.
        case inferred
    }

    /// Why something can no longer be answered.
    enum Ending: Hashable, Sendable {
        case link
        case session
        case capture
        /// Another request went out on the same bearer, which only happens after an answer.
        case nextRequest
        /// Too many were outstanding to follow them all.
        case crowded
    }

    struct SessionCounts: Hashable, Sendable {
        var added = 0
        var modified = 0
        var removed = 0
        var answered = 0
        var refused = 0
        var unanswered = 0
    }

    /// What is known of a notification, to tell which one is meant.
    struct NotificationSummary: Hashable, Sendable {
        var category: CategoryID?
        var app: String?
        var title: String?
    }

    /// An answer on the Data Source, whole or as far as it came.
    struct Answer: Hashable, Sendable {
        var command: [UInt8]
        /// The octets of the answer as they were cut into values.
        var values: [[UInt8]]
        /// From the write of the command to the end of the answer.
        var duration: Duration
        /// It came long after the command, or after the answer to a later one.
        var isLate: Bool
    }
}

/// The characteristics of ANCS.
enum ANCSCharacteristic: String, Hashable, Sendable {
    case notificationSource
    case controlPoint
    case dataSource

    /// As the specification writes it.
    var title: String {
        switch self {
        case .notificationSource: "Notification Source"
        case .controlPoint: "Control Point"
        case .dataSource: "Data Source"
        }
    }
}

/// Where the characteristics of ANCS are on one server.
struct ANCSHandles: Hashable, Sendable {
    var notificationSource: AttributeHandle?
    var controlPoint: AttributeHandle?
    var dataSource: AttributeHandle?
    /// The Client Characteristic Configuration descriptors, where discovery found them.
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

    /// The characteristic whose configuration has this handle. Without discovery the descriptor is
    /// taken to follow its value, as it does on iOS.
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

    /// Whether one of the handles lies in a range.
    func isAffected(by range: AttributeHandleRange) -> Bool {
        [notificationSource, controlPoint, dataSource].contains { handle in
            handle.map(range.contains) ?? false
        }
    }
}
