package import ANCS
package import BluetoothLE
package import HCITransports
internal import LinuxIO

/// Something that happened in a capture, with its time and place.
package struct Happening: Equatable, Sendable {
    /// The time of the record that shows it.
    package var time: CaptureTime
    package var place: Place
    package var event: Event

    /// Where something happened. Connections and sessions are numbered throughout a capture.
    package struct Place: Equatable, Sendable {
        /// The adapter, if the format tells adapters apart.
        package var adapter: UInt16?
        package var connection: Int?
        package var session: Int?
    }

    /// The two ends of a link: the host that made the capture, and its peer.
    package enum Side: Equatable, Sendable {
        case local
        case remote

        package var other: Side { self == .local ? .remote : .local }
    }

    package enum Event: Equatable, Sendable {
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
        case parametersWanted(by: Side, ConnectionParameters)
        case parametersAnswered(isAccepted: Bool)
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

    package enum AdapterChange: Equatable, Sendable {
        case added(DeviceAddress, name: String)
        case address(DeviceAddress)
        case removed
    }

    package struct LinkParameters: Equatable, Sendable {
        package var interval: ConnectionInterval
        package var latency: UInt16
        package var supervisionTimeout: SupervisionTimeout
    }

    package struct ConnectionFacts: Equatable, Sendable {
        /// The address of the peer; `nil` if the link was established before the capture.
        package var address: DeviceAddress?
        package var identity: DeviceAddress?
        /// The role of the local side.
        package var role: LinkRole?
        package var parameters: LinkParameters?
        /// The number of the previous connection with the same peer, if the capture has one.
        package var earlier: Int?
        /// `nil` if the link was established before the capture, and nothing tells it yet.
        package var transport: Transport? = .lowEnergy
        /// The side that asked for the link, for BR/EDR.
        package var asker: Side?
        /// What the peer says it is, for BR/EDR.
        package var deviceClass: DeviceClass?
    }

    package struct EncryptionChange: Equatable, Sendable {
        package var status: HCIStatus
        package var isEnabled: Bool
        /// Whether the key was made by pairing in this connection, rather than stored before.
        package var isFromPairing: Bool
    }

    package enum PairingEvent: Equatable, Sendable {
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

    package enum PairingMethod: Equatable, Sendable {
        case model(AssociationModel)
        /// A PIN that both users enter, as before Bluetooth 2.1.
        case pin
    }

    /// What the keys are for.
    package enum PairingScheme: Equatable, Sendable {
        /// A key of so many octets; `derivesLinkKey` if one for BR/EDR is derived from it.
        case lowEnergy(usesSecureConnections: Bool, keySize: Int, derivesLinkKey: Bool)
        /// The kind is `nil` until the key is made.
        case basicRate(LinkKeyKind?)
    }

    package struct PairingTerms: Equatable, Sendable {
        /// `nil` if pairing began before the capture.
        package var method: PairingMethod?
        package var scheme: PairingScheme
        package var isBonding: Bool
    }

    package enum HandleOrigin: Equatable, Sendable {
        case discovered
        /// Known from the discovery in an earlier connection.
        case remembered(connection: Int)
        /// Inferred from the traffic.
        case inferred
    }

    /// Why an answer can no longer arrive.
    package enum Ending: Equatable, Sendable {
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

    package struct SessionCounts: Equatable, Sendable {
        package var added = 0
        package var modified = 0
        package var removed = 0
        package var answered = 0
        package var refused = 0
        package var unanswered = 0
    }

    /// What is known about a notification, so that a reader can tell which one it is.
    package struct NotificationSummary: Equatable, Sendable {
        package var category: CategoryID?
        package var app: String?
        package var title: String?

        package init(category: CategoryID? = nil, app: String? = nil, title: String? = nil) {
            self.category = category
            self.app = app
            self.title = title
        }
    }

    /// A write to the Control Point.
    package struct Write: Equatable, Sendable {
        package var octets: [UInt8]
        /// `nil` if the octets are not a command.
        package var command: ControlPointCommand?

        package init(_ octets: [UInt8]) {
            self.octets = octets
            command = try? ControlPointCommand(decoding: octets.span)
        }
    }

    /// An answer on the Data Source, complete or not.
    package struct Answer: Equatable, Sendable {
        package var content: DataSourceAnswer
        /// The time from the write of the command to the end of the answer.
        package var duration: Duration
        /// Whether it arrived long after the command, or after the answer to a later command.
        package var isLate: Bool
    }
}

/// The characteristics of ANCS.
package enum ANCSCharacteristic: String, Equatable, Sendable {
    case notificationSource
    case controlPoint
    case dataSource

    /// The name in the specification.
    package var title: String {
        switch self {
        case .notificationSource: "Notification Source"
        case .controlPoint: "Control Point"
        case .dataSource: "Data Source"
        }
    }
}

/// The handles of the ANCS characteristics on a server.
package struct ANCSHandles: Equatable, Sendable {
    package var notificationSource: AttributeHandle?
    package var controlPoint: AttributeHandle?
    package var dataSource: AttributeHandle?
    /// The Client Characteristic Configuration descriptors, if discovery found them.
    package var notificationSourceConfiguration: AttributeHandle?
    package var dataSourceConfiguration: AttributeHandle?

    /// The characteristic whose value has this handle.
    package func characteristic(valueAt handle: AttributeHandle) -> ANCSCharacteristic? {
        switch handle {
        case notificationSource: .notificationSource
        case controlPoint: .controlPoint
        case dataSource: .dataSource
        default: nil
        }
    }

    /// The characteristic whose configuration has this handle. Without discovery, the descriptor is assumed
    /// to follow the value, as it does on iOS.
    package func characteristic(configuredAt handle: AttributeHandle) -> ANCSCharacteristic? {
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
