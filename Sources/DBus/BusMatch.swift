/// Which signals a subscription is for: those that are as said in everything that is said.
public struct BusMatch: Hashable, Sendable {
    /// The program that sends them: a well-known name such as `org.bluez`, or a unique one such as `:1.5`.
    public var sender: String?
    /// The object.
    public var path: ObjectPath?
    /// The interface that the signal is of.
    public var interface: String?
    /// The name of the signal.
    public var member: String?
    /// What the first argument is, which is a string then.
    public var argument0: String?

    /// The signals of a sender, an object, an interface, of this name, with this string first.
    public init(
        sender: String? = nil, path: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, argument0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.argument0 = argument0
    }

    /// The program at the other end of every connection: it says who owns which name.
    static let busItself = "org.freedesktop.DBus"

    /// The changes of who owns a name.
    static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: busItself, path: "/org/freedesktop/DBus", interface: busItself,
            member: "NameOwnerChanged", argument0: name)
    }

    /// The name whose owner alone may send what matches. A unique name is its own owner, and so is the bus.
    var wellKnownSender: String? {
        guard let sender, sender != Self.busItself, !sender.hasPrefix(":") else { return nil }
        return sender
    }

    /// As the bus wants to read it. D-Bus specification, *Match Rules*.
    var rule: String {
        let conditions = [
            ("type", "signal"), ("sender", sender), ("path", path?.text), ("interface", interface),
            ("member", member), ("arg0", argument0),
        ]
        return conditions.compactMap { key, value in value.map { "\(key)=\(Self.quoted($0))" } }
            .joined(separator: ",")
    }

    /// Between apostrophes everything stands for itself; an apostrophe stands outside, after a backslash.
    private static func quoted(_ value: String) -> String {
        "'"
            + value.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: #"'\''"#) + "'"
    }

    /// Whether a signal is one of these by its header, but for a well-known sender, whose owner is not known
    /// here.
    func fits(_ signal: BusSignal) -> Bool {
        (sender == nil || wellKnownSender != nil || sender == signal.sender)
            && (path == nil || path == signal.path)
            && (interface == nil || interface == signal.interface)
            && (member == nil || member == signal.member)
    }

    /// Whether a signal is one of these by its arguments.
    func fits(_ arguments: [BusValue]) -> Bool {
        guard let argument0 else { return true }
        guard case .string(argument0)? = arguments.first else { return false }
        return true
    }
}
