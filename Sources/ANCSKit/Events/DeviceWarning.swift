/// Something that the user should know, but that stops nothing.
public struct DeviceWarning: Hashable, Sendable {
    /// What it is about.
    public enum Topic: Hashable, Sendable {
        /// How the controller is reached, and what that means for the machine.
        case transport
        /// Devices cannot find this one for now; it is tried again.
        case advertising
        /// Devices are not looked for now; it is tried again.
        case scanning
        /// Bonds, bindings or what was seen are not stored, and are gone after the run.
        case storage
        /// The phone does not report notifications.
        case subscription
        /// Pairing is not done as it was asked for.
        case pairing
        /// Other users of this machine can see what is notified.
        case privacy
        /// bluetoothd stopped answering.
        case bluetoothd
    }

    /// What it is about.
    public var topic: Topic
    /// What happened, and what to do about it, for a user.
    public var message: String

    package init(_ topic: Topic, _ message: String) {
        self.topic = topic
        self.message = message
    }
}
