import BluetoothLE
import DBus
import Glibc
import LinuxIO
import Octets

@testable import BlueZ
@testable import BlueZCentral

/// A program with a system on a bus: it carries out the outputs, as an app's would. On the loop only.
final class BusSystem: @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    private struct Socket {
        let descriptor: BusDescriptor
        let registration: DescriptorRegistration
    }

    let loop: EventLoop
    private let connection: any MessageBus
    private var system: BlueZSystem
    private var timer: LoopTimer?
    private var sockets: [SocketID: Socket] = [:]
    private var invocations: [InvocationID: BusReply] = [:]
    private var lastInvocation: UInt64 = 0
    private var lastRequest: UInt64 = 0
    private(set) var events: [BlueZSystem.Event] = []
    private(set) var results: [UInt64: Result<GATTResult, BlueZSystem.RequestFailure>] = [:]
    private(set) var known: [BlueZSystem.KnownPeer]
    /// The members of its calls, in order.
    private(set) var calls: [String] = []

    init(
        on loop: EventLoop, _ connection: any MessageBus, known: [BlueZSystem.KnownPeer] = [],
        seed: UInt64 = 1
    ) {
        self.loop = loop
        self.connection = connection
        self.known = known
        system = BlueZSystem(.init(), known: known, seed: seed)
    }

    /// Its name on the bus.
    var name: String? { connection.uniqueName }

    func begin() {
        timer = LoopTimer(on: loop) { [weak self] in self?.step { $0.handleTimeout(at: $1) } }
        connection.open { _ in }
        connection.signals(BusMatch(sender: BlueZAccessory.service)) { [weak self] signal in
            self?.step { $0.receive(signal, at: $1) }
        }
        for path in BlueZSystem.objectPaths {
            connection.export(path, introspection: "") { [weak self] call, reply in
                self?.called(call, reply)
            }
        }
        connection.watch(name: BlueZAccessory.service) { [weak self] owner in
            self?.step { $0.ownerChanged(to: owner, at: $1) }
        }
    }

    /// It is killed: nothing of it is tidied up, but by those who notice.
    func kill() {
        timer?.deadline = nil
        timer = nil
        for socket in sockets.values { loop.unregister(socket.registration) }
        sockets = [:]
        invocations = [:]
        connection.close()
    }

    // MARK: Inputs

    func step(_ body: (inout BlueZSystem, MonotonicInstant) -> Void) {
        body(&system, loop.now)
        while let output = system.pollOutput() { carryOut(output) }
        timer?.deadline = system.nextDeadline
    }

    /// Starts a request, and returns its number.
    func request(
        _ body: (inout BlueZSystem, BlueZSystem.RequestID, MonotonicInstant) -> Void
    ) -> UInt64 {
        lastRequest += 1
        let id = BlueZSystem.RequestID(rawValue: lastRequest)
        step { body(&$0, id, $1) }
        return lastRequest
    }

    func query<Value>(_ body: (borrowing BlueZSystem) -> Value) -> Value { body(system) }

    private func called(_ call: BusMethodCall, _ reply: BusReply) {
        lastInvocation += 1
        let invocation = InvocationID(rawValue: lastInvocation)
        invocations[invocation] = reply
        step { $0.receive(call, invocation, at: $1) }
    }

    // MARK: Outputs

    private func carryOut(_ output: BlueZSystem.Output) {
        switch output {
        case .call(let id, let call, let limit):
            calls.append(call.member)
            connection.call(call, within: limit) { [weak self] result in
                self?.step { $0.receive(result, to: id, at: $1) }
            }
        case .open(let socket, let descriptor): open(socket, descriptor)
        case .close(let socket):
            if let socket = sockets.removeValue(forKey: socket) {
                loop.unregister(socket.registration)
            }
        case .answer(let invocation, let result):
            guard let reply = invocations.removeValue(forKey: invocation) else { return }
            switch result {
            case .success(let values): reply.succeed(values)
            case .failure(let error): reply.fail(error)
            }
        case .rememberEnds: break
        case .remember(let peer): known.append(peer)
        case .completed(let request, let result): results[request.rawValue] = result
        case .event(let event):
            events.append(event)
        }
    }

    private func open(_ socket: SocketID, _ descriptor: BusDescriptor) {
        let registration = try? loop.register(descriptor.number, for: .readable) { [weak self] _ in
            self?.read(socket)
        }
        guard let registration else { return step { $0.hungUp(socket, at: $1) } }
        sockets[socket] = Socket(descriptor: descriptor, registration: registration)
    }

    private func read(_ id: SocketID) {
        guard let socket = sockets[id] else { return }
        var octets = [UInt8](repeating: 0, count: 513)
        let count = recv(socket.descriptor.number, &octets, octets.count, CInt(MSG_DONTWAIT))
        if count > 0 { return step { $0.receive(Array(octets.prefix(count)), from: id, at: $1) } }
        if count == 0 { step { $0.hungUp(id, at: $1) } }
    }
}
