public import ANCS
public import BluetoothLE
internal import LinuxIO

/// Something that happened in a capture, with its time and place. Names, titles and octets in it are those of the
/// devices, and untrusted.
public struct CaptureEvent: Equatable, Sendable {
    /// The time of the record that shows it.
    public var time: CaptureTime
    /// Where it happened.
    public var place: Place
    /// What happened.
    public var event: Event

    /// Where something happened. Connections and sessions are numbered throughout a capture.
    public struct Place: Equatable, Sendable {
        /// The adapter, if the format tells adapters apart.
        public var adapter: UInt16?
        /// The number of the connection, from 1; `nil` for what concerns the controller or the capture.
        public var connection: Int?
        /// The number of the ANCS session, from 1.
        public var session: Int?
    }

    /// The two ends of a link: the host that made the capture, and its peer.
    public enum Side: Equatable, Sendable {
        /// The host that made the capture.
        case local
        /// Its peer.
        case remote

        /// The other end.
        public var other: Side { self == .local ? .remote : .local }
    }

    /// What happened.
    public enum Event: Equatable, Sendable {
        // The capture and its controllers.
        /// A controller came, went, or has an address from now on.
        case adapter(AdapterChange)
        /// This many records were lost before the present one.
        case lost(count: Int)
        /// A packet was recorded without its last octets, of which there were this many.
        case cut(missing: Int)
        /// What was counted and not shown, at the end of a link or of the capture.
        case notShown([NotShown])
        /// The host reset its controller, which ended its links.
        case controllerReset
        /// The controller reports a failure of its hardware: Core Vol 4, Part E, 7.7.16.
        case hardwareError(code: UInt8)
        /// The host advertises from now on, otherwise than before.
        case advertising(Advertising)
        /// A packet cannot be decoded. `layer` says what it should be; `offset` is that of its record in the file, in
        /// octets.
        case malformed(layer: String, offset: UInt64)
        // A link.
        /// A link was established, or its first packet shows that it was there before the capture.
        case connected(ConnectionFacts)
        /// A link could not be established; the address is that of the wanted peer, if the host named one.
        case connectingFailed(DeviceAddress?, HCIStatus)
        /// It turned out which kind of link it is.
        case transport(Transport)
        /// What to do about a peer that came over BR/EDR alone.
        case basicRate(BasicRateVerdict)
        /// The link has other parameters from now on.
        case parametersChanged(LinkParameters)
        /// A Peripheral requested connection parameters: over L2CAP, or by its controller.
        case parametersWanted(by: Side, ConnectionParameters)
        /// The Central answered such a request over L2CAP.
        case parametersAnswered(isAccepted: Bool)
        /// A change of the link's parameters failed.
        case parametersRefused(HCIStatus)
        /// The host asked its controller to end the link.
        case disconnecting
        /// The link ended. The reason is `nil` if the capture does not show it, the duration if it does not show the
        /// beginning.
        case disconnected(HCIStatus?, duration: Duration?)
        /// The link is encrypted from now on, or no longer, or encrypting it failed.
        case encryption(EncryptionChange)
        /// The host has no key for a peer that wants to encrypt the link.
        case keyMissing
        /// A stage of pairing.
        case pairing(PairingEvent)
        // Attributes.
        /// The ATT_MTU of the link, in octets, from now on.
        case mtu(Int)
        /// The name of a side, as read over the link. Untrusted.
        case name(Side, String)
        /// The primary services of a side, once its discovery is over.
        case services(on: Side, [BluetoothUUID])
        /// A search found no such service on a side.
        case serviceMissing(on: Side, BluetoothUUID)
        /// Where ANCS is on a side.
        case handles(on: Side, ANCSHandles, HandleOrigin)
        /// A side indicated that some of its attributes have changed: Core Vol 3, Part G, 7.1.
        case serviceChanged(on: Side, AttributeHandleRange, concernsANCS: Bool)
        /// A request of the Attribute Protocol was answered with an error. The characteristic is that of the handle.
        case requestRefused(ATTOpcode, AttributeHandle, ATTErrorCode, ANCSCharacteristic?)
        /// A request of the Attribute Protocol has no response.
        case requestUnanswered(ATTOpcode, since: CaptureTime, ending: Ending)
        /// A response to no request.
        case strayResponse(ATTOpcode)
        /// Data on a channel that cannot be decoded, of this many octets.
        case unreadable(channel: String, octets: Int)
        // A session.
        /// The accessory subscribed to a characteristic, or no longer is.
        case subscription(ANCSCharacteristic, isOn: Bool)
        /// The accessory read whether it is subscribed to a characteristic: the phone may have forgotten it (S27).
        case subscriptionRead(ANCSCharacteristic, isOn: Bool)
        /// It subscribed to Service Changed, or no longer is (R5).
        case serviceChangedSubscription(isOn: Bool)
        /// A session began: the accessory is subscribed to the Notification Source (R49).
        case sessionBegan
        /// A session ended.
        case sessionEnded(SessionCounts)
        /// A value of the Notification Source, as its octets.
        case source(octets: [UInt8], NotificationSummary)
        /// A write to the Control Point. Without a response it is a Write Command, which the phone ignores (R21).
        case command(Write, hasResponse: Bool)
        /// A write to the Control Point was confirmed, or refused with an error; the duration is that since the write.
        case commandResult(Write, ATTErrorCode?, duration: Duration, NotificationSummary)
        /// A write to the Control Point has no response, or a command no answer.
        case commandUnanswered(Write, since: CaptureTime, ending: Ending, NotificationSummary)
        /// An answer on the Data Source ended, complete or not.
        case answer(Answer, NotificationSummary)
        /// A value of the Data Source that answers no command of the capture; `isFromBefore` if the command may have
        /// come before the capture.
        case strayAnswer(octets: [UInt8], isFromBefore: Bool)
        /// Something of the Apple Media Service.
        case media(MediaEvent)
    }

    /// A change of a controller.
    public enum AdapterChange: Equatable, Sendable {
        /// It was added. The name is the system's, such as `hci0`.
        case added(DeviceAddress, name: String)
        /// It has this address from now on.
        case address(DeviceAddress)
        /// It was removed.
        case removed
    }

    /// What a host has its controller advertise.
    public struct Advertising: Equatable, Sendable {
        /// What an advertiser accepts. Core Vol 6, Part B, 2.3.1.
        public enum Reach: String, CaseIterable, Equatable, Sendable {
            /// Connections of any device.
            case everyone
            /// Connections of one device.
            case oneDevice
            /// No connections.
            case nobody
        }

        /// The advertising data.
        public var data: AdvertisingData
        /// The scan response.
        public var response: AdvertisingData
        /// The shortest interval that the controller may use.
        public var shortest: AdvertisingInterval
        /// The longest one.
        public var longest: AdvertisingInterval
        /// Whose connections it accepts.
        public var reach: Reach
        /// Whether the capture shows the data: not if they were set before it began.
        public var isDataKnown = true
    }

    /// The parameters of a link.
    public struct LinkParameters: Equatable, Sendable {
        /// The time between connection events.
        public var interval: ConnectionInterval
        /// How many connection events a Peripheral may skip.
        public var latency: UInt16
        /// The time without a packet after which the link is lost.
        public var supervisionTimeout: SupervisionTimeout
    }

    /// What is known of a link when it is first seen.
    public struct ConnectionFacts: Equatable, Sendable {
        /// The address of the peer; `nil` if the link was established before the capture.
        public var address: DeviceAddress?
        /// The identity address behind a private one, if its key is known from the capture.
        public var identity: DeviceAddress?
        /// The role of the local side.
        public var role: LinkRole?
        /// The parameters of the link; `nil` over BR/EDR, and if the capture does not show them.
        public var parameters: LinkParameters?
        /// The number of the previous connection with the same peer, if the capture has one.
        public var earlier: Int?
        /// `nil` if the link was established before the capture, and nothing tells it yet.
        public var transport: Transport? = .lowEnergy
        /// The side that asked for the link, for BR/EDR.
        public var asker: Side?
        /// What the peer says it is, for BR/EDR.
        public var deviceClass: DeviceClass?
    }

    /// A change of a link's encryption.
    public struct EncryptionChange: Equatable, Sendable {
        /// Whether it succeeded, or why not.
        public var status: HCIStatus
        /// Whether the link is encrypted now.
        public var isEnabled: Bool
        /// Whether the key was made by pairing in this connection, rather than stored before.
        public var isFromPairing: Bool
    }

    /// A stage of pairing.
    public enum PairingEvent: Equatable, Sendable {
        /// The Peripheral requested security.
        case wanted(by: Side)
        /// A side began to pair.
        case began(by: Side)
        /// Both sides agreed on how to pair.
        case agreed(PairingTerms)
        /// They are paired.
        case succeeded(PairingTerms)
        /// A side ended pairing with this reason.
        case failed(PairingFailureReason, by: Side)
        /// The controller reports a failure.
        case stopped(HCIStatus, over: Transport)
        /// The link or the capture ended before pairing did.
        case unfinished
        /// A side distributed its identity address.
        case identity(of: Side, DeviceAddress)
        // Over BR/EDR.
        /// A side asks to derive keys for Low Energy from those of BR/EDR.
        case deriving(by: Side)
        /// The keys were derived, or not.
        case derived(Bool)
        /// A side refused to derive keys, with this reason.
        case notDerived(PairingFailureReason, by: Side)
    }

    /// What the keys are for.
    public enum PairingScheme: Equatable, Sendable {
        /// A key of so many octets; `derivesLinkKey` if one for BR/EDR is derived from it.
        case lowEnergy(usesSecureConnections: Bool, keySize: Int, derivesLinkKey: Bool)
        /// The kind is `nil` until the key is made.
        case basicRate(LinkKeyKind?)
    }

    /// What two devices agreed on.
    public struct PairingTerms: Equatable, Sendable {
        /// `nil` over BR/EDR, and if pairing began before the capture. Core Vol 3, Part H, 2.3.5.1.
        public var method: AssociationModel?
        /// What the keys are for.
        public var scheme: PairingScheme
        /// Whether both keep the keys.
        public var isBonding: Bool
    }

    /// How the handles of ANCS became known.
    public enum HandleOrigin: Equatable, Sendable {
        /// From the discovery on this connection.
        case discovered
        /// Known from the discovery in an earlier connection.
        case remembered(connection: Int)
        /// Inferred from the traffic.
        case inferred
    }

    /// Why an answer can no longer arrive.
    public enum Ending: Equatable, Sendable {
        /// The link ended.
        case link
        /// The session ended.
        case session
        /// The capture ends.
        case capture
        /// The client sent another request on the same bearer, which is allowed only after a response.
        case nextRequest
        /// There were too many outstanding commands to follow them all.
        case crowded
    }

    /// How much happened in a session.
    public struct SessionCounts: Equatable, Sendable {
        /// Notifications that were added.
        public var added = 0
        /// Values that say that a notification was modified.
        public var modified = 0
        /// Notifications that were removed.
        public var removed = 0
        /// Commands that were answered.
        public var answered = 0
        /// Commands that were refused.
        public var refused = 0
        /// Commands without an answer.
        public var unanswered = 0
    }

    /// What is known about a notification, so that a reader can tell which one it is.
    public struct NotificationSummary: Equatable, Sendable {
        /// Its category.
        public var category: CategoryID?
        /// The identifier of its app. Untrusted, as the title is.
        public var app: String?
        /// Its title, if the capture has it.
        public var title: String?

        package init(category: CategoryID? = nil, app: String? = nil, title: String? = nil) {
            (self.category, self.app, self.title) = (category, app, title)
        }
    }

    /// A write to the Control Point.
    public struct Write: Equatable, Sendable {
        /// The octets that were written.
        public var octets: [UInt8]
        /// `nil` if the octets are not a command.
        public var command: ControlPointCommand?
        /// How much of the answer to an earlier command had come when it was written, if that was not complete.
        package var interrupted: Interruption?
        /// Whether the write had its response.
        package var isConfirmed = false

        /// A part of an answer. One that ends between two attributes may be all that comes (S23).
        package struct Interruption: Equatable, Sendable {
            package var values: Int
            package var octets: Int
            package var mayBeWhole: Bool
        }

        package init(_ octets: [UInt8]) {
            self.octets = octets
            command = try? ControlPointCommand(decoding: octets.span)
        }
    }

    /// An answer on the Data Source, complete or not.
    public struct Answer: Equatable, Sendable {
        /// What it says.
        public var content: DataSourceAnswer
        /// The time from the write of the command to the end of the answer.
        public var duration: Duration
        /// Whether it arrived long after the command, or after the answer to a later command.
        public var isLate: Bool
        /// How many octets each value had of it.
        package var parts: [Int] = []
        /// Whether it began in the middle of a value, behind the answer before (S4).
        package var isJoined = false
    }
}

/// The characteristics of ANCS.
public enum ANCSCharacteristic: String, Equatable, Sendable {
    /// Notification Source, which announces notifications.
    case notificationSource
    /// Control Point, to which commands are written.
    case controlPoint
    /// Data Source, which has the answers.
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
public struct ANCSHandles: Equatable, Sendable {
    /// The value of the Notification Source.
    public var notificationSource: AttributeHandle?
    /// The value of the Control Point.
    public var controlPoint: AttributeHandle?
    /// The value of the Data Source.
    public var dataSource: AttributeHandle?
    /// The Client Characteristic Configuration descriptor of the Notification Source, if discovery found it.
    public var notificationSourceConfiguration: AttributeHandle?
    /// The same of the Data Source.
    public var dataSourceConfiguration: AttributeHandle?

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
