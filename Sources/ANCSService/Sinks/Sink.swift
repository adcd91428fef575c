package import ANCS
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
