/// Why a call failed: the error that was sent for an answer, or what the bus or this side made up in its
/// place.
public struct BusError: Error, Hashable, Sendable {
    /// The kind, such as `org.bluez.Error.NotReady`.
    public var name: String
    /// What happened, for people; it may be empty.
    public var message: String

    /// An error of this kind.
    public init(_ name: String, _ message: String = "") {
        self.name = name
        self.message = message
    }
}

/// The kinds that D-Bus itself has.
extension BusError {
    /// No answer came in time, or the program that was called has ended.
    public static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// No program has this name, and none is started for it.
    public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// Nobody owns this name.
    public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// The bus does not let this user call that.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// There is no such object.
    public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    /// There is no such interface.
    public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// There is no such method.
    public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// There is no such property.
    public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    /// The arguments are not those of the method.
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// A message is not as D-Bus says, or not as this side can take it.
    public static let inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"
    /// Something is larger, or there is more of it, than is allowed.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The connection to the bus has ended.
    public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    /// Something failed that has no kind of its own.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
}
