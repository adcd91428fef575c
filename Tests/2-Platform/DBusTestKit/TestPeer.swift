package import DBus
package import LinuxIO

/// A connection, from outside of its loop.
package struct TestPeer: Sendable {
    /// Why a name is not to be had.
    package struct NameFailure: Error {
        let name: String
    }

    package let connection: BusConnection
    private let loop: EventLoop
    /// What it was told of its end.
    package let ends = AsyncStream<BusError>.makeStream()

    package init(_ connection: BusConnection, on loop: EventLoop) {
        self.connection = connection
        self.loop = loop
    }

    /// Does something with the connection, on its loop.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (BusConnection) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { [connection] in continuation.resume(returning: body(connection)) }
        }
    }

    /// Calls a method; a second answer would trap.
    package func call(
        _ call: BusCall, within limit: Duration = .seconds(600)
    ) async -> Result<[BusValue], BusError> {
        await withCheckedContinuation { continuation in
            loop.execute { [connection] in
                connection.call(call, within: limit) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls the bus itself, which answers after everything that was sent before has been passed on.
    @discardableResult
    package func bus(
        _ member: String, _ arguments: [BusValue] = []
    ) async -> Result<[BusValue], BusError> {
        await call(.ofBus(member, arguments))
    }

    package var name: String {
        get async throws {
            guard let name = await run(\.uniqueName) else { throw NameFailure(name: "") }
            return name
        }
    }

    /// Asks for a name, which is free.
    package func own(_ name: String) async throws {
        let outcome = await withCheckedContinuation { continuation in
            loop.execute { [connection] in
                connection.requestName(name) { continuation.resume(returning: $0) }
            }
        }
        guard try outcome.get() == .owned else { throw NameFailure(name: name) }
    }

    /// Has an object answer calls.
    @discardableResult
    package func export(
        _ path: ObjectPath, handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) async -> BusExport {
        await run { $0.export(path, handler: handler) }
    }

    /// The signals that are told from now on.
    package func signals(_ match: BusMatch) async -> (BusSubscription, AsyncStream<BusSignal>) {
        let (stream, continuation) = AsyncStream<BusSignal>.makeStream()
        let subscription = await run {
            $0.signals(match) { signal in continuation.yield(signal) }
        }
        await bus("GetId")
        return (subscription, stream)
    }

    /// Sends a signal, and returns when it was passed on.
    package func emit(_ signal: BusSignal, to destination: String? = nil) async throws {
        let result = await run { connection in
            Result { () throws(BusError) in try connection.emit(signal, to: destination) }
        }
        try result.get()
        await bus("GetId")
    }
}

extension BusCall {
    /// A call of the bus itself.
    package static func ofBus(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member,
            arguments)
    }
}

extension AsyncStream where Element: Sendable {
    /// The first elements.
    package func first(_ count: Int) async -> [Element] {
        var elements: [Element] = []
        guard count > 0 else { return [] }
        for await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}
