/// A connection to a message bus, as its users see it: a ``BusConnection``, or one to a bus in virtual time,
/// for which sd-bus cannot be used. The methods are those of ``BusConnection``.
@usableFromInline package protocol MessageBus: AnyObject, Sendable {
    /// Starts sending and receiving; `onEnd` is called if the connection is lost.
    func open(onEnd: @escaping @Sendable (BusError) -> Void)
    /// Closes the connection: no handler is called any more.
    func close()
    /// The unique name of this connection; `nil` before the bus has given it one, and after the end.
    var uniqueName: String? { get }
    /// Calls a method of another program.
    func call(
        _ call: BusCall, within limit: Duration?, reply: @escaping @Sendable (BusResult) -> Void)
    /// Calls `handler` for each matching signal from now on.
    @discardableResult func signals(
        _ match: BusMatch, handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription
    /// Calls `handler` with the owner of a name: first the current one, then each change.
    @discardableResult func watch(
        name: String, handler: @escaping @Sendable (_ owner: String?) -> Void
    ) -> BusSubscription
    /// Ends a subscription.
    func cancel(_ subscription: BusSubscription)
    /// Exports an object.
    @discardableResult func export(
        _ path: ObjectPath, introspection: String,
        handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) -> BusExport
    /// Removes an exported object.
    func cancel(_ export: BusExport)
    /// Emits a signal, to all subscribers or to one program.
    func emit(_ signal: BusSignal, to destination: String?) throws(BusError)
    /// Requests a well-known name.
    func requestName(
        _ name: String, reply: @escaping @Sendable (Result<BusNameOutcome, BusError>) -> Void)
}

extension BusConnection: MessageBus {}
