/// Selects signals for a subscription; `nil` matches any value.
public struct BusMatch: Equatable, Sendable {
    /// The sender: a well-known name such as `org.bluez`, or a unique one such as `:1.5`.
    public var sender: String?
    /// The object.
    public var path: ObjectPath?
    /// The interface of the signal.
    public var interface: String?
    /// The name of the signal.
    public var member: String?
    /// The first argument, a string.
    public var argument0: String?

    /// Matches signals with all of these values.
    public init(
        sender: String? = nil, path: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, argument0: String? = nil
    ) {
        (self.sender, self.path, self.interface, self.member) = (sender, path, interface, member)
        self.argument0 = argument0
    }

    /// The bus itself, which reports the owners of names.
    package static let busItself = "org.freedesktop.DBus"

    /// Matches changes of the owner of a name.
    static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: busItself, path: "/org/freedesktop/DBus", interface: busItself,
            member: "NameOwnerChanged", argument0: name)
    }

    /// The name whose owner must be the sender; `nil` for a unique name and for the bus itself.
    package var wellKnownSender: String? {
        guard let sender, sender != Self.busItself, !sender.hasPrefix(":") else { return nil }
        return sender
    }

    /// The match rule in the syntax of the bus. D-Bus specification, *Match Rules*.
    var rule: String {
        let conditions = [
            ("type", "signal"), ("sender", sender), ("path", path?.text), ("interface", interface),
            ("member", member), ("arg0", argument0),
        ]
        return conditions.compactMap { key, value in value.map { "\(key)=\(Self.quoted($0))" } }
            .joined(separator: ",")
    }

    /// Between apostrophes all characters are literal; an apostrophe is written outside, after a backslash.
    private static func quoted(_ value: String) -> String {
        "'"
            + value.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: #"'\''"#) + "'"
    }

    /// Whether the header of a signal matches, except for a well-known sender, whose owner is not known here.
    package func fits(_ signal: BusSignal) -> Bool {
        (sender == nil || wellKnownSender != nil || sender == signal.sender) && fitsObject(signal)
    }

    /// Whether the header of a signal matches, regardless of the sender.
    func fitsObject(_ signal: BusSignal) -> Bool {
        (path == nil || path == signal.path) && (interface == nil || interface == signal.interface)
            && (member == nil || member == signal.member)
    }

    /// Whether the arguments of a signal match.
    package func fits(_ arguments: [BusValue]) -> Bool {
        guard let argument0 else { return true }
        guard case .string(argument0)? = arguments.first else { return false }
        return true
    }
}
