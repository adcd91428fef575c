/// A call of a method of an object.
public struct BusCall: Equatable, Sendable {
    /// The called program: a well-known name such as `org.bluez`, or a unique one such as `:1.5`.
    public var destination: String
    /// The object.
    public var path: ObjectPath
    /// The interface of the method.
    public var interface: String
    /// The name of the method.
    public var member: String
    /// The arguments.
    public var arguments: [BusValue]
    /// Whether the bus may start the program if it is not running.
    public var startsProgram: Bool

    /// A call with these arguments.
    public init(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = [], startsProgram: Bool = true
    ) {
        (self.destination, self.path, self.interface) = (destination, path, interface)
        (self.member, self.arguments, self.startsProgram) = (member, arguments, startsProgram)
    }
}

/// A signal of an object.
public struct BusSignal: Equatable, Sendable {
    /// The unique name of the sender, which the bus guarantees; empty for a signal to be sent.
    public var sender: String
    /// The object.
    public var path: ObjectPath
    /// The interface of the signal.
    public var interface: String
    /// The name of the signal.
    public var member: String
    /// The arguments.
    public var arguments: [BusValue]

    /// A signal with these arguments.
    public init(
        from sender: String = "", _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) {
        (self.sender, self.path, self.interface, self.member) = (sender, path, interface, member)
        self.arguments = arguments
    }
}

/// A call to a method of an object of this program.
public struct BusMethodCall: Equatable, Sendable {
    /// The unique name of the caller, which the bus guarantees.
    public var sender: String
    /// The object.
    public var path: ObjectPath
    /// The interface of the method; empty if the caller did not specify it.
    public var interface: String
    /// The name of the method.
    public var member: String
    /// The arguments.
    public var arguments: [BusValue]

    /// A call with these arguments.
    public init(
        from sender: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) {
        (self.sender, self.path, self.interface, self.member) = (sender, path, interface, member)
        self.arguments = arguments
    }
}
