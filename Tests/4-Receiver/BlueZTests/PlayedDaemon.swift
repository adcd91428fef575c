import DBus
import DBusTestKit
import Octets
import Testing

@testable import BlueZ

/// A line of a diagram: what a machine does.
protocol PlayedLine {
    /// A method is called, and an object named by the end of its path: `Pair dev_1`.
    static func call(_ text: String) -> Self
    static func open(_ socket: SocketID) -> Self
    static func close(_ socket: SocketID) -> Self
    static func answer(_ invocation: InvocationID, _ result: Result<[BusValue], BusError>) -> Self
}

/// A call that waits for an answer.
struct PendingCall: Equatable {
    var id: CallID
    var call: BusCall
    var limit: Duration
    var text: String { call.text }
}

/// A machine, and bluetoothd as the test plays it. Each input returns what the machine does then, so that a test reads as
/// the diagram of a sequence.
class PlayedDaemon<Machine: DaemonClient & ~Copyable, Line: PlayedLine> {
    var machine: Machine
    /// Seconds are enough for most tests.
    private(set) var now = MonotonicInstant.zero
    /// bluetoothd's objects, their interfaces, and the properties of those.
    var objects: [ObjectPath: [String: [String: BusValue]]] = [:]
    private(set) var owner: String?
    /// Calls that wait for an answer, oldest first.
    var pending: [PendingCall] = []
    private(set) var sockets: [SocketID] = []
    private var lastInvocation: UInt64 = 0

    init(_ machine: consuming Machine) { self.machine = machine }

    var nextDeadline: MonotonicInstant? { machine.nextDeadline }

    // MARK: The machine

    /// Passes something to the machine, and does what the owner of one does.
    @discardableResult
    func input(_ body: (inout Machine, MonotonicInstant) -> Void) -> [Line] {
        body(&machine, now)
        var lines: [Line] = []
        while let output = machine.pollOutput() {
            if let line = line(output) { lines.append(line) }
            // More than any input is followed by.
            guard lines.count < 20_000 else {
                Issue.record("the drain does not end")
                break
            }
        }
        return lines
    }

    /// What the machine does, in the words of a diagram; what its owner does is not told.
    func line(_ output: BlueZOutput<Machine.Report>) -> Line? {
        switch output {
        case .call(let id, let call, let limit):
            let call = PendingCall(id: id, call: call, limit: limit)
            pending.append(call)
            return .call(call.text)
        case .open(let socket, _):
            sockets.append(socket)
            return .open(socket)
        case .close(let socket):
            sockets.removeAll { $0 == socket }
            return .close(socket)
        case .answer(let invocation, let result): return .answer(invocation, result)
        case .subscribe, .unsubscribe, .readSELinux, .remember, .report: return nil
        }
    }

    func receive(_ result: Result<[BusValue], BusError>, to call: CallID) -> [Line] {
        input { $0.receive(result, to: call, at: $1) }
    }

    func receive(_ signal: BusSignal) -> [Line] { input { $0.receive(signal, at: $1) } }

    /// Time passes, and every deadline on the way is met.
    @discardableResult
    func wait(_ duration: Duration) -> [Line] {
        let end = now + duration
        var lines: [Line] = []
        while let deadline = machine.nextDeadline, deadline <= end {
            now = max(now, deadline)
            lines += input { $0.handleTimeout(at: $1) }
            guard machine.nextDeadline.map({ $0 > now }) ?? true else {
                Issue.record("a deadline stays in the past")
                break
            }
        }
        now = end
        return lines
    }

    @discardableResult
    func ownerChanged(to owner: String?) -> [Line] {
        self.owner = owner
        return input { $0.ownerChanged(to: owner, at: $1) }
    }

    /// bluetoothd ends. What was called is answered by the bus, after the name has gone.
    @discardableResult
    func daemonEnds() -> [Line] {
        objects = [:]
        return ownerChanged(to: nil)
    }

    /// What the next call of ours is called; the first of all is number 1.
    var nextInvocation: InvocationID { InvocationID(rawValue: lastInvocation + 1) }

    /// bluetoothd, or another program, calls a method of ours.
    @discardableResult
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: BusValue...,
        from sender: String? = nil
    ) -> [Line] {
        let invocation = nextInvocation
        lastInvocation += 1
        let call = BusMethodCall(
            from: sender ?? owner ?? Bench.owner, path, interface, member, arguments)
        return input { $0.receive(call, invocation, at: $1) }
    }

    // MARK: Answers

    /// bluetoothd answers the oldest call of this text.
    @discardableResult
    func answer(_ text: String, _ values: BusValue...) -> [Line] { finish(text, .success(values)) }

    /// bluetoothd refuses it, by an error of its own.
    @discardableResult
    func refuse(_ text: String, _ error: String, _ message: String = "") -> [Line] {
        finish(text, .failure(.blueZ(error, message)))
    }

    /// No answer comes in time.
    @discardableResult
    func lose(_ text: String) -> [Line] {
        guard let call = pending.first(where: { $0.text == text }) else { return notPending(text) }
        return wait(call.limit) + finish(text, .failure(BusError(BusError.noReply)))
    }

    @discardableResult
    func finish(_ text: String, _ result: Result<[BusValue], BusError>) -> [Line] {
        guard let index = pending.firstIndex(where: { $0.text == text }) else {
            return notPending(text)
        }
        return finish(at: index, result)
    }

    @discardableResult
    func finish(at index: Int, _ result: Result<[BusValue], BusError>) -> [Line] {
        let call = pending.remove(at: index)
        return receive(result, to: call.id)
    }

    /// Makes a test fail that expects an answer to what was not called.
    private func notPending(_ text: String) -> [Line] { [.call("nothing called: \(text)")] }

    /// Its objects, for the call that asks for them.
    var managedObjects: BusValue { .managedObjects(objects) }

    /// An object comes, with one interface.
    @discardableResult
    func add(_ path: ObjectPath, _ interface: String, _ properties: [String: BusValue]) -> [Line] {
        add(path, [interface: properties])
    }

    /// An object comes.
    @discardableResult
    func add(_ path: ObjectPath, _ interfaces: [String: [String: BusValue]]) -> [Line] {
        objects[path, default: [:]].merge(interfaces) { $1 }
        return signal(
            .root, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
            [.objectPath(path), .interfaces(interfaces)])
    }

    /// An object goes.
    @discardableResult
    func remove(_ path: ObjectPath) -> [Line] {
        guard let interfaces = objects.removeValue(forKey: path) else { return [] }
        return signal(
            .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
            [.objectPath(path), .strings(interfaces.keys.sorted())])
    }

    @discardableResult
    func change(_ path: ObjectPath, _ interface: String, _ properties: [String: BusValue]) -> [Line]
    {
        for (name, value) in properties { objects[path]?[interface]?[name] = value }
        return signal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .options(properties), .strings([])])
    }

    @discardableResult
    func signal(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) -> [Line] {
        let signal = BusSignal(from: owner ?? Bench.owner, path, interface, member, arguments)
        return receive(signal)
    }
}

extension BusCall {
    /// `Set Trusted true dev_1`, `StartNotify dev_1/service0010/char0011`.
    var text: String {
        let object = path.text.replacingPrefix("/org/bluez/hci0/").replacingPrefix("/org/bluez/")
        guard interface == "org.freedesktop.DBus.Properties" else { return "\(member) \(object)" }
        let property = arguments.dropFirst().first?.string ?? ""
        let value = arguments.dropFirst(2).first?.bool.map { " \($0)" } ?? ""
        return "\(member) \(property)\(value) \(object)"
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}

extension BusError {
    static func blueZ(_ name: String, _ message: String = "") -> BusError {
        BusError("org.bluez.Error." + name, message)
    }
}
