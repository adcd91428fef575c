package import ANCS
package import ANCSKit
package import LinuxIO

/// Where records go: the desktop, a bus, a history, programs. On the loop's thread only.
///
/// A sink never holds up another one: ``receive(_:)`` returns at once, what it cannot do at once waits in a
/// queue with a limit, and what does not fit there is dropped and counted. Whatever fails is the sink's own
/// matter, and is said once by ``ServiceControl/log(_:)``.
package protocol Sink: AnyObject, Sendable {
    /// What `ancs status` calls it.
    var name: String { get }
    /// How it is, for `ancs status`.
    var status: SinkStatus { get }
    /// Begins.
    func open()
    /// Something happened.
    func receive(_ event: ServiceEvent)
    /// The configuration was read again.
    func reconfigure(_ configuration: ServiceConfiguration)
    /// Ends, and calls `done` when that is done, within two seconds.
    func close(_ done: @escaping @Sendable () -> Void)
}

/// How a sink is.
package struct SinkStatus: Hashable, Sendable {
    /// Whether it does its part.
    package var isWorking: Bool
    /// What it does or why it does not, for people: "dunst 1.9.0", "no notification server: …".
    package var message: String
    /// How many records it had to drop.
    package var dropped: Int

    package init(isWorking: Bool, message: String, dropped: Int = 0) {
        self.isWorking = isWorking
        self.message = message
        self.dropped = dropped
    }
}

/// What a sink can ask of the daemon. On the loop's thread only.
package protocol ServiceControl: AnyObject, Sendable {
    var loop: EventLoop { get }
    /// The records that are there, oldest first.
    var records: [Record] { get }
    /// The phones that are known.
    var phones: [PhoneStatus] { get }
    /// Performs an action on a record's notification, because a person wants it (R48). `reply` is called later,
    /// once.
    func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
    /// Says something on standard error or in the journal. Never content of a notification.
    func log(_ message: String)
}

/// What those who command the daemon can ask of it. On the loop's thread only.
package protocol ServiceManagement: ServiceControl {
    /// How it is.
    var status: ServiceStatus { get }
    /// The apps that are muted by hand.
    var mutes: [Mute] { get }
    /// The apps that were seen since it started, those with the most notifications first.
    var apps: [SeenApp] { get }
    /// What pairing asks at present, of each phone.
    var questions: [String: PairingQuestion] { get }
    /// Lets phones pair for this long.
    func openPairingWindow(for duration: Duration) throws(ServiceError)
    /// Lets no phone pair any more.
    func closePairingWindow()
    /// Answers what pairing asks of a phone, which its digest names.
    func answerPairing(of digest: String, _ answer: PairingAnswer) throws(ServiceError)
    /// Forgets a phone, by its digest: its bond, its records, and what the sinks keep of it. `reply` is called
    /// later, once.
    func forget(
        _ digest: String, reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
    /// Mutes an app by hand, or no longer.
    func mute(_ app: String, _ term: MuteTerm) throws(ServiceError)
    /// Reads the configuration again; `reply` is called later.
    func reload(_ reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void)
}

/// How the daemon and its sinks are.
package struct ServiceStatus: Hashable, Sendable {
    package struct SinkEntry: Hashable, Sendable {
        package var name: String
        package var status: SinkStatus

        package init(name: String, status: SinkStatus) {
            self.name = name
            self.status = status
        }
    }

    /// What iPhones show.
    package var name: String
    package var state: ServiceState
    package var isPairingWindowOpen: Bool
    package var sinks: [SinkEntry]

    package init(
        name: String, state: ServiceState, isPairingWindowOpen: Bool, sinks: [SinkEntry]
    ) {
        self.name = name
        self.state = state
        self.isPairingWindowOpen = isPairingWindowOpen
        self.sinks = sinks
    }
}

/// An app, as far as its notifications told of it. Untrusted text.
package struct SeenApp: Hashable, Sendable {
    package var identifier: String
    package var displayName: String
    package var count: Int

    package init(identifier: String, displayName: String, count: Int) {
        self.identifier = identifier
        self.displayName = displayName
        self.count = count
    }
}

/// What the user answers to a ``PairingQuestion``.
package enum PairingAnswer: Hashable, Sendable {
    case yes
    case no
    case digits(SixDigits)
}

/// Why something that was asked of the daemon cannot be done.
package struct ServiceError: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// No record has this identifier, or not any more.
        case unknownRecord
        /// The notification does not have this action.
        case actionUnavailable
        /// The phone is not connected, or its session has ended.
        case notConnected
        /// The phone refused or failed.
        case refused
        /// The phone did not answer.
        case timedOut
        /// The configuration does not allow it.
        case notAllowed
        /// The arguments are not what they should be.
        case invalidArguments
    }

    package var code: Code
    /// What happened and what to do, for people.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
