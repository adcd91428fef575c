/// A call of a method of an object.
public struct BusCall: Hashable, Sendable {
    /// The program: a well-known name such as `org.bluez`, or a unique one such as `:1.5`.
    public var destination: String
    /// The object.
    public var path: ObjectPath
    /// The interface that the method is of.
    public var interface: String
    /// The name of the method.
    public var member: String
    /// What it is called with.
    public var arguments: [BusValue]
    /// Whether the bus may start the program where it does not run.
    public var startsProgram: Bool

    /// A call of a method.
    public init(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = [], startsProgram: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsProgram = startsProgram
    }
}

/// A signal of an object.
public struct BusSignal: Hashable, Sendable {
    /// The unique name of the program that sent it, which the bus vouches for; empty for one that is to
    /// be sent.
    public var sender: String
    /// The object.
    public var path: ObjectPath
    /// The interface that the signal is of.
    public var interface: String
    /// The name of the signal.
    public var member: String
    /// What it says.
    public var arguments: [BusValue]

    /// A signal.
    public init(
        from sender: String = "", _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A call of a method of an object of this program.
public struct BusMethodCall: Hashable, Sendable {
    /// The unique name of the program that calls, which the bus vouches for.
    public var sender: String
    /// The object.
    public var path: ObjectPath
    /// The interface that the method is of; empty where the caller did not say it.
    public var interface: String
    /// The name of the method.
    public var member: String
    /// What it is called with.
    public var arguments: [BusValue]

    /// A call of a method.
    public init(
        from sender: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}
