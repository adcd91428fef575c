public import DBus

/// A machine that uses bluetoothd: what a ``BlueZRunner`` passes to it, and carries out for it.
@usableFromInline package protocol BlueZMachine: ~Copyable, Sendable {
    /// What it tells its owner.
    associatedtype Report: Equatable, Sendable

    /// The objects whose calls have to be passed on.
    static var objectPaths: [ObjectPath] { get }
    /// The signals that have to be passed on from the beginning.
    static var signals: [BusMatch] { get }
    /// The owner of bluetoothd's name changed; `nil` for none.
    mutating func ownerChanged(to owner: String?, at now: MonotonicInstant)
    /// A signal arrived.
    mutating func receive(_ signal: BusSignal, at now: MonotonicInstant)
    /// A call was answered.
    mutating func receive(_ result: BusResult, to call: CallID, at now: MonotonicInstant)
    /// A program called a method of one of the objects.
    mutating func receive(
        _ call: BusMethodCall, _ invocation: InvocationID, at now: MonotonicInstant)
    /// A value arrived on a socket.
    mutating func receive(_ value: [UInt8], from socket: SocketID, at now: MonotonicInstant)
    /// A socket was closed by bluetoothd.
    mutating func hungUp(_ socket: SocketID, at now: MonotonicInstant)
    /// What earlier runs of this program have kept; before the owner of the name is reported.
    mutating func remembered(_ ends: [DaemonEnds], at now: MonotonicInstant)
    /// What SELinux does; before the owner of the name is reported, and when it changes.
    mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant)
    /// The deadline has passed.
    mutating func handleTimeout(at now: MonotonicInstant)
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    var nextDeadline: MonotonicInstant? { get }
    /// Takes the next output.
    mutating func pollOutput() -> BlueZOutput<Report>?
}

/// Where it is kept what has ended bluetoothd.
@usableFromInline package protocol DaemonEndsMemory: Sendable {
    /// What is kept, or why it cannot be read, for people.
    func remembered() -> Result<[DaemonEnds], DaemonEndsTrouble>
    /// Keeps this in place of what was kept before.
    func keep(_ ends: [DaemonEnds]) throws(DaemonEndsTrouble)
}

/// Why what has ended bluetoothd cannot be read or kept, for people.
@usableFromInline package struct DaemonEndsTrouble: Error, Equatable, Sendable {
    package let message: String

    package init(message: String) { self.message = message }
}

extension BlueZAccessory: DaemonClient {
    package static let signals = [
        BusMatch(sender: ObjectTree.service),
        BusMatch(
            sender: "org.freedesktop.login1", interface: "org.freedesktop.login1.Manager",
            member: "PrepareForSleep"),
    ]
}
