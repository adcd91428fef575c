public import DBus

/// What a machine at bluetoothd asks of its owner. `Report` is what only the owner of that machine knows what to do
/// with.
public enum BlueZOutput<Report: Equatable & Sendable>: Equatable, Sendable {
    /// Pass on the signals of bluetoothd that match, too.
    case subscribe(BusMatch)
    /// Do not pass them on any more.
    case unsubscribe(BusMatch)
    /// Make a call, and pass on its reply; `BusError.noReply` after the limit.
    case call(CallID, BusCall, limit: Duration)
    /// Pass on every value that arrives on this socket, at once, and its end.
    case open(SocketID, BusDescriptor)
    /// Close the socket.
    case close(SocketID)
    /// Reply to a call of bluetoothd.
    case answer(InvocationID, BusResult)
    /// Look what SELinux does, and pass it on.
    case readSELinux
    /// Keep this beyond the end of this program, in place of what was kept before.
    case remember([DaemonEnds])
    /// Something for the owner.
    case report(Report)

    /// Any program can call our objects.
    package static func refusal(of invocation: InvocationID) -> Self {
        .answer(
            invocation, .failure(BusError(BusError.accessDenied, "only bluetoothd may call this")))
    }
}
