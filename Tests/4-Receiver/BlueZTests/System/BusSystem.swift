import ANCSEvents
import BluetoothLE
import DBus
import LinuxIO
import Octets

@testable import ANCSKit
@testable import BlueZ

/// A program with a system on a bus, which notes what is reported. On the loop only.
final class BusSystem: @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    private let connection: WatchedBus
    private let runner: BlueZRunner<BlueZSystem>
    private var lastRequest: UInt64 = 0
    private(set) var events: [SystemSays] = []
    private(set) var results: [UInt64: Result<GATTResult, PeerRequestFailure>] = [:]
    private(set) var known: [BlueZPeerStore.Entry]
    /// Why the bus cannot be used any more.
    private(set) var lost: IOError?

    init(
        on loop: EventLoop, _ connection: any MessageBus, known: [BlueZPeerStore.Entry] = [],
        seed: UInt64 = 1
    ) {
        let connection = WatchedBus(connection)
        self.connection = connection
        self.known = known
        runner = BlueZRunner(
            BlueZSystem(known: known, identifiers: identifiers(seed)), on: loop,
            root: "/nonexistent"
        ) { connection }
    }

    /// Its name on the bus.
    var name: String? { runner.uniqueName }

    /// The members of its calls, in order.
    var calls: [String] { connection.calls }

    func begin() {
        runner.open { [weak self] news in
            guard let self else { return }
            switch news {
            case .report(.event(let event, let client)): events.append(SystemSays(event, client))
            case .report(.completed(let request, let result)): results[request.rawValue] = result
            case .report(.remember(let peer)): known.append(peer)
            case .memoryFailed: break
            case .lost(let error): lost = error
            }
        }
    }

    /// It is killed: nothing of it is tidied up, but by those who notice.
    func kill() { runner.close() }

    func step(_ body: (inout BlueZSystem, MonotonicInstant) -> Void) { runner.step(body) }

    /// Starts a request, and returns its number.
    func request(
        _ body: (inout BlueZSystem, BlueZSystem.RequestID, MonotonicInstant) -> Void
    ) -> UInt64 {
        lastRequest += 1
        let id = BlueZSystem.RequestID(rawValue: lastRequest)
        step { body(&$0, id, $1) }
        return lastRequest
    }

    func query<Value>(_ body: (borrowing BlueZSystem) -> Value) -> Value {
        runner.query { body($0) }
    }
}

/// A connection to a bus that notes the calls.
final class WatchedBus: MessageBus, @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    private let bus: any MessageBus
    private(set) var calls: [String] = []

    init(_ bus: any MessageBus) { self.bus = bus }

    func open(onEnd: @escaping @Sendable (BusError) -> Void) { bus.open(onEnd: onEnd) }
    func close() { bus.close() }
    var uniqueName: String? { bus.uniqueName }

    func call(
        _ call: BusCall, within limit: Duration?,
        reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        calls.append(call.member)
        bus.call(call, within: limit, reply: reply)
    }

    func signals(
        _ match: BusMatch, handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription { bus.signals(match, handler: handler) }

    func cancel(_ subscription: BusSubscription) { bus.cancel(subscription) }

    func watch(
        name: String, handler: @escaping @Sendable (_ owner: String?) -> Void
    ) -> BusSubscription { bus.watch(name: name, handler: handler) }

    func export(
        _ path: ObjectPath, introspection: String,
        handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) -> BusExport { bus.export(path, introspection: introspection, handler: handler) }

    func cancel(_ export: BusExport) { bus.cancel(export) }

    func emit(_ signal: BusSignal, to destination: String?) throws(BusError) {
        try bus.emit(signal, to: destination)
    }

    func requestName(
        _ name: String, reply: @escaping @Sendable (Result<BusNameOutcome, BusError>) -> Void
    ) { bus.requestName(name, reply: reply) }
}
