internal import ANCS

/// A problem that the user should know about; the device continues.
public struct DeviceWarning: Equatable, Sendable {
    /// The subject of a warning.
    public enum Topic: Equatable, Sendable {
        /// The connection to the controller, and its consequences for the machine.
        case transport
        /// Advertising is not possible now; there will be another attempt.
        case advertising
        /// Scanning is not possible now; there will be another attempt.
        case scanning
        /// Bonds, bindings or the memory of notifications cannot be stored, and will be lost at the end of
        /// the run.
        case storage
        /// The phone refuses subscriptions.
        case subscription
        /// Pairing does not work as configured.
        case pairing
        /// Other users of this machine can see notifications.
        case privacy
        /// bluetoothd stopped answering.
        case bluetoothd
    }

    /// The subject.
    public var topic: Topic
    /// What happened, and what to do about it, for people.
    public var message: String

    package init(_ topic: Topic, _ message: String) {
        self.topic = topic
        self.message = message
    }
}

extension DeviceWarning {
    /// A device has more than ``ANCSUUID/maximumServices``.
    package static let tooManyServices = DeviceWarning(
        .subscription,
        "a device offers more than \(ANCSUUID.maximumServices) notification services, and is not received "
            + "from: an iPhone has one")
}
