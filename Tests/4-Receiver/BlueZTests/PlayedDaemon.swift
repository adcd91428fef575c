import DBus
import DBusTestKit
import Testing

@testable import BlueZ

/// A line of a diagram: what a machine does.
protocol PlayedLine {
    /// A method is called, and an object named by the end of its path: `Pair dev_1`.
    static func call(_ text: String) -> Self
}

/// A call that waits for an answer.
struct PendingCall: Equatable {
    var id: CallID
    var call: BusCall
    var limit: Duration
    var text: String { call.text }
}

/// A machine, and bluetoothd as the test plays it.
protocol PlayedDaemon: AnyObject {
    associatedtype Line: PlayedLine
    /// bluetoothd's objects, their interfaces, and the properties of those.
    var objects: [ObjectPath: [String: [String: BusValue]]] { get set }
    var owner: String? { get }
    /// Calls that wait for an answer, oldest first.
    var pending: [PendingCall] { get set }
    func receive(_ result: Result<[BusValue], BusError>, to call: CallID) -> [Line]
    func receive(_ signal: BusSignal) -> [Line]
    func wait(_ duration: Duration) -> [Line]
}

extension PlayedDaemon {
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
