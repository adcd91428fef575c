public import AMS

extension CaptureEvent {
    /// What went over the characteristics of the Apple Media Service. Values are as received: untrusted.
    public enum MediaEvent: Equatable, Sendable {
        /// The accessory subscribed to a characteristic, or no longer is.
        case subscription(MediaCharacteristic, isOn: Bool)
        /// What the player can be told from now on.
        case supported(RemoteCommandSet)
        /// A write to Entity Update, and why it was refused, if it was.
        case registration(octets: [UInt8], ATTErrorCode?)
        /// A value of Entity Update.
        case update(octets: [UInt8])
        /// A write to Remote Command, and why it was refused, if it was.
        case command(octets: [UInt8], ATTErrorCode?)
        /// The whole value of an attribute, which was read.
        case value(MediaAttribute?, octets: [UInt8])
        /// The beginning of the value of an attribute, which was not read to its end.
        case part(MediaAttribute?, octets: [UInt8])
        /// An attribute that could not be read; `nil` if the write does not say which.
        case unread(MediaAttribute?, ATTErrorCode)
    }
}

/// The handles of the characteristics of the Apple Media Service on a server.
struct AMSHandles: Equatable, Sendable {
    var remoteCommand: AttributeHandle?
    var entityUpdate: AttributeHandle?
    var entityAttribute: AttributeHandle?
    /// Their Client Characteristic Configuration descriptors, if discovery found them.
    var remoteCommandConfiguration: AttributeHandle?
    var entityUpdateConfiguration: AttributeHandle?

    /// Whether one of the values has this handle.
    func hasValue(at handle: AttributeHandle) -> Bool {
        [remoteCommand, entityUpdate, entityAttribute].contains(handle)
    }

    /// The characteristic whose configuration has this handle.
    func characteristic(configuredAt handle: AttributeHandle) -> MediaCharacteristic? {
        switch handle {
        case remoteCommandConfiguration: .remoteCommand
        case entityUpdateConfiguration: .entityUpdate
        default: nil
        }
    }
}
