package import AMS
package import ANCSReceiver
package import LinuxIO

/// A destination of records: the desktop, a bus, a history, programs. On the loop's thread only.
///
/// A sink never delays another one: ``receive(_:)`` returns at once, work is queued with a limit, and what
/// does not fit is dropped and counted. A sink handles its own failures, and logs each one once with
/// ``ServiceControl/log(_:)``.
package protocol Sink: AnyObject, Sendable {
    /// Its name in `ancs status`.
    var name: String { get }
    /// Its status, for `ancs status`.
    var status: SinkStatus { get }
    /// Starts.
    func open()
    /// Handles an event.
    func receive(_ event: ServiceEvent)
    /// Applies a new configuration.
    func reconfigure(_ configuration: ServiceConfiguration)
    /// Closes, and calls `done` afterwards, within two seconds.
    func close(_ done: @escaping @Sendable () -> Void)
}

/// The status of a sink.
package struct SinkStatus: Equatable, Sendable {
    /// Whether it works.
    package var isWorking: Bool
    /// What it does, or why it does not work, for users: "dunst 1.9.0", "no notification server: …".
    package var message: String
    /// How many records it has dropped.
    package var dropped = 0
}

/// The daemon, as sinks see it. On the loop's thread only.
package protocol ServiceControl: AnyObject, Sendable {
    var loop: EventLoop { get }
    /// The current records, oldest first.
    var records: [Record] { get }
    /// The known phones.
    var phones: [PhoneStatus] { get }
    /// The calls that ring or are active: the record with which each began, and whether it is active.
    var calls: [(record: Record, isActive: Bool)] { get }
    /// Performs an action on a record's notification, at the user's request (R48). `reply` is called later,
    /// once.
    func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
    /// Sends a command to the player of a phone, identified by its digest. `reply` is called later, once.
    func send(
        _ command: RemoteCommandID, to digest: String,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
    /// Answers the pairing question of a phone, identified by its digest: the one with these digits, empty for one
    /// that has none or, with `nil`, whichever is asked, if it was not replaced a moment ago.
    func answerPairing(
        of digest: String, _ answer: PairingAnswer, about digits: String?) throws(ServiceError)
    /// Writes a message to standard error or the journal. It must not contain content of a notification.
    func log(_ message: String)
}

/// What commands can request of the daemon. On the loop's thread only.
package protocol ServiceManagement: ServiceControl {
    /// The status of the daemon and its sinks.
    var status: ServiceStatus { get }
    /// The apps that the user has muted.
    var mutes: [Mute] { get }
    /// The apps seen since the daemon started, those with the most notifications first.
    var apps: [SeenApp] { get }
    /// The open pairing question of each phone, by its digest.
    var questions: [String: PairingQuestion] { get }
    /// The steps of the current dialogue of pairing, or of the last one, whose numbers are above `number`: each a
    /// JSON object.
    func pairingSteps(after number: Int) -> [String]
    /// Allows phones to pair for this long, and begins the dialogue of pairing, or extends the current one.
    func openPairingWindow(for duration: Duration) throws(ServiceError)
    /// Forbids phones to pair, and ends the dialogue of pairing.
    func closePairingWindow()
    /// Removes a phone by its digest: its bond, its records, and what the sinks store of it. `reply` is
    /// called later, once.
    func forget(_ digest: String, reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
    /// Mutes an app for the user, or unmutes it; `app` is its identifier or its name. Returns the identifier.
    func mute(_ app: String, _ term: MuteTerm) throws(ServiceError) -> String
    /// The charge of the battery of a connected phone in percent, by its digest; `nil` if it is not known. `reply` is
    /// called later, once.
    func battery(of digest: String, reply: @escaping @Sendable (Int?) -> Void)
    /// Reads the configuration again; `reply` is called later, once.
    func reload(_ reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
}

/// The status of the daemon and its sinks.
package struct ServiceStatus: Equatable, Sendable {
    package struct SinkEntry: Equatable, Sendable {
        package var name: String
        package var status: SinkStatus
    }

    /// The name on iPhones.
    package var name: String
    package var state: ServiceState
    package var isPairingWindowOpen: Bool
    /// What the first packet of the advertisement shows now.
    package var face: ConsumerConfiguration.Face = .solicitation
    package var sinks: [SinkEntry]
}

/// An app that has sent notifications. Untrusted.
package struct SeenApp: Equatable, Sendable {
    package var identifier: String
    package var displayName: String
    package var count: Int

    package init(identifier: String, displayName: String, count: Int) {
        (self.identifier, self.displayName, self.count) = (identifier, displayName, count)
    }
}

/// The user's answer to a ``PairingQuestion``.
package enum PairingAnswer: Equatable, Sendable {
    case yes
    case no
    case digits(SixDigits)
}

/// Why a request to the daemon failed.
package struct ServiceError: Error, Equatable, Sendable {
    package enum Code: String, Equatable, Sendable {
        /// No record has this identifier, or no longer does.
        case unknownRecord
        /// The notification does not have this action, or the phone has already performed it.
        case actionUnavailable
        /// The phone is not connected, or its session has ended.
        case notConnected
        /// The phone refused, or failed.
        case refused
        /// The phone did not answer.
        case timedOut
        /// The configuration does not allow it.
        case notAllowed
        /// The arguments are invalid.
        case invalidArguments
    }

    package var code: Code
    /// What happened and what to do, for users.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func invalid(_ message: String) -> Self { Self(.invalidArguments, message) }

    /// There is no adapter at present; `more` is what follows from that.
    static func noAdapter(_ more: String = "") -> Self {
        Self(.notConnected, "no Bluetooth adapter at present" + more)
    }

    static func unknownRecord(_ id: RecordID) -> Self {
        Self(.unknownRecord, "no notification '\(id)'; 'ancs list' shows the current ones")
    }
}
