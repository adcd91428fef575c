internal import ANCSReceiver
package import DBus
/// Exports the daemon, its phones and its notifications as objects on a message bus. Signals report changes,
/// without texts; programs request the texts.
package final class BusSink: Sink, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the connection checks.

    package let name = "bus"
    private let place: BusConnection.Bus
    private let manager: BusManager
    private let control: any ServiceManagement
    private var bus: BusConnection?
    private var isClosed = false
    private var problem: String? = "not connected yet"
    private let phones = ExportedObjects<String, BusPhone>(.phone) { ObjectPath(phone: $0) }
    private let notifications = ExportedObjects<RecordID, BusNotification>(.notification) {
        ObjectPath($0)
    }
    private var pause = GrowingPause(first: .seconds(1), longest: .seconds(300))
    private lazy var timer = LoopTimer(on: control.loop) { [weak self] in self?.connect() }

    /// A sink for a bus.
    package init(at place: BusConnection.Bus, version: String, control: any ServiceManagement) {
        self.place = place
        self.control = control
        manager = BusManager(control: control, version: version)
    }

    package var status: SinkStatus {
        SinkStatus(isWorking: problem == nil, message: problem ?? BusNames.service)
    }

    // MARK: Life

    package func open() { connect() }

    private func connect() {
        guard !isClosed, bus == nil else { return }
        do throws(IOError) {
            let bus = try BusConnection(place, on: control.loop)
            self.bus = bus
            bus.open { [weak self] error in self?.ended(error.message) }
            exportAll(on: bus)
            bus.requestName(BusNames.service) { [weak self] in self?.named($0) }
        } catch { ended(error.message) }
    }

    private func named(_ result: Result<BusNameOutcome, BusError>) {
        switch result {
        case .success(.owned):
            problem = nil
            pause.reset()
            control.log("on the bus as \(BusNames.service)")
        case .success(.taken): fail("another 'ancs serve' is on this bus; commands go to that one")
        case .failure(let error): fail(error.message)
        }
    }

    private func ended(_ message: String) {
        bus = nil
        phones.removeAll()
        notifications.removeAll()
        guard !isClosed else { return }
        fail(message)
        pause.begin(at: control.loop.now)
        timer.deadline = pause.end
    }

    /// Reports once why commands cannot reach the daemon.
    private func fail(_ message: String) {
        guard message != problem else { return }
        problem = message
        control.log("no commands over D-Bus: \(message)")
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        isClosed = true
        timer.deadline = nil
        bus?.close()
        bus = nil
        control.loop.execute(done)
    }

    package func reconfigure(_ configuration: ServiceConfiguration) {}

    // MARK: What happens

    package func receive(_ event: ServiceEvent) {
        guard let bus else { return }
        switch event {
        case .announced(let record): put(record, "announced", on: bus)
        case .added(let record): put(record, "added", on: bus)
        case .modified(let record): put(record, "modified", on: bus)
        case .removed(let record, _):
            guard let header = notifications.remove(record.id, from: bus) else { return }
            report(record, "removed", header, on: bus)
            notifications.reportRemoval(of: record.id, on: bus)
        case .call(let record, let event):
            let object = BusNotification(record: record, control: control)
            bus.report(
                BusNames.root, BusNames.manager, "Call",
                [
                    .string(event.rawValue), .string(record.outcome?.rawValue ?? ""),
                    .objectPath(ObjectPath(record.id)),
                    BusInterface.notification.properties(of: object, forSignal: true),
                ])
        case .phone(let status):
            phones.put(BusPhone(status: status, control: control), status.phone.digest, on: bus)
            // The directory of phones is bounded, so objects of phones that it dropped are removed here too.
            let known = Set(control.phones.map(\.phone.digest))
            for digest in phones.keys where !known.contains(digest) { remove(digest, on: bus) }
        case .forgotten(let phone): remove(phone.digest, on: bus)
        case .pairing(let phone, let question):
            bus.report(
                ObjectPath(phone: phone.digest), BusNames.phone, "PairingAsks",
                [.string(question?.kind.rawValue ?? "")])
        case .pairingStep(let step, let number):
            bus.report(
                BusNames.root, BusNames.manager, "PairingStep",
                [.uint32(UInt32(clamping: number)), .string(step.word)])
        case .pairingWindow, .state:
            bus.reportChange(
                BusNames.root, BusNames.manager,
                BusInterface.manager.properties(of: manager, forSignal: true))
        }
    }

    private func put(_ record: Record, _ event: String, on bus: BusConnection) {
        let object = BusNotification(record: record, control: control)
        report(record, event, notifications.put(object, record.id, on: bus), on: bus)
    }

    private func report(
        _ record: Record, _ event: String, _ header: BusValue, on bus: BusConnection
    ) {
        bus.report(
            BusNames.root, BusNames.manager, "Notification",
            [.string(event), .objectPath(ObjectPath(record.id)), header])
    }

    private func remove(_ digest: String, on bus: BusConnection) {
        guard phones.remove(digest, from: bus) != nil else { return }
        phones.reportRemoval(of: digest, on: bus)
    }

    // MARK: Objects

    private func exportAll(on bus: BusConnection) {
        bus.export(
            BusNames.root,
            introspection: BusInterface.manager.introspection + Self.objectManagerIntrospection
        ) { [weak self] call, reply in self?.answer(call, reply) }
        for status in control.phones {
            phones.export(BusPhone(status: status, control: control), status.phone.digest, on: bus)
        }
        for record in control.records {
            notifications.export(
                BusNotification(record: record, control: control), record.id, on: bus)
        }
    }

    private func answer(_ call: BusMethodCall, _ reply: BusReply) {
        guard call.interface == BusNames.objectManager else {
            return BusInterface.manager.answerAny(call, at: manager, reply)
        }
        guard call.member == "GetManagedObjects", call.arguments.isEmpty else {
            return reply.fail(BusError(BusError.unknownMethod, "no such method"))
        }
        let all = phones.managed.merging(notifications.managed) { first, _ in first }
        reply.succeed([.dictionary(all, key: "o", value: "a{sa{sv}}")])
    }

    private static let objectManagerIntrospection =
        "  <interface name=\"\(BusNames.objectManager)\">\n    <method name=\"GetManagedObjects\">\n"
        + "      <arg name=\"objects\" type=\"a{oa{sa{sv}}}\" direction=\"out\"/>\n    </method>\n"
        + "    <signal name=\"InterfacesAdded\">\n      <arg name=\"object\" type=\"o\"/>\n"
        + "      <arg name=\"interfaces\" type=\"a{sa{sv}}\"/>\n    </signal>\n"
        + "    <signal name=\"InterfacesRemoved\">\n      <arg name=\"object\" type=\"o\"/>\n"
        + "      <arg name=\"interfaces\" type=\"as\"/>\n    </signal>\n  </interface>\n"
}

/// The objects of one kind on the bus, by what they are known by. Confined to the loop.
private final class ExportedObjects<Key: Hashable & Sendable, Object: Sendable>: @unchecked Sendable
{
    // Unchecked: see the type's comment.

    private let table: BusInterface<Object>
    private let path: @Sendable (Key) -> ObjectPath
    private var objects: [Key: (object: Object, export: BusExport)] = [:]

    init(_ table: BusInterface<Object>, at path: @escaping @Sendable (Key) -> ObjectPath) {
        (self.table, self.path) = (table, path)
    }

    var keys: [Key] { Array(objects.keys) }

    /// What `GetManagedObjects` returns of them.
    var managed: [BusValue: BusValue] {
        let all = objects.map { key, known in
            (BusValue.objectPath(path(key)), interfaces(of: known.object, forSignal: false))
        }
        return Dictionary(all) { first, _ in first }
    }

    private func interfaces(of object: Object, forSignal: Bool) -> BusValue {
        let properties = table.properties(of: object, forSignal: forSignal)
        return .dictionary([.string(table.name): properties], key: "s", value: "a{sv}")
    }

    /// Exports an object, or replaces the one that is; returns whether it is new.
    @discardableResult func export(_ object: Object, _ key: Key, on bus: BusConnection) -> Bool {
        if let known = objects[key] {
            objects[key] = (object, known.export)
            return false
        }
        let export = bus.export(path(key), introspection: table.introspection) {
            [weak self] call, reply in
            guard let self, let object = objects[key]?.object else { return }
            table.answerAny(call, at: object, reply)
        }
        objects[key] = (object, export)
        return true
    }

    /// Exports an object, or replaces the one that is, and says so; returns the properties that signals have.
    @discardableResult func put(_ object: Object, _ key: Key, on bus: BusConnection) -> BusValue {
        let properties = table.properties(of: object, forSignal: true)
        if export(object, key, on: bus) {
            bus.report(
                BusNames.root, BusNames.objectManager, "InterfacesAdded",
                [.objectPath(path(key)), interfaces(of: object, forSignal: true)])
        } else {
            bus.reportChange(path(key), table.name, properties)
        }
        return properties
    }

    /// Takes an object from the bus; returns the properties that signals have, or `nil` if it was not there.
    func remove(_ key: Key, from bus: BusConnection) -> BusValue? {
        guard let known = objects.removeValue(forKey: key) else { return nil }
        bus.cancel(known.export)
        return table.properties(of: known.object, forSignal: true)
    }

    func reportRemoval(of key: Key, on bus: BusConnection) {
        bus.report(
            BusNames.root, BusNames.objectManager, "InterfacesRemoved",
            [.objectPath(path(key)), .strings([table.name])])
    }

    /// The bus has gone, and with it all of them.
    func removeAll() { objects = [:] }
}

extension BusConnection {
    func report(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) {
        // This fails only if the connection has ended, which is reported elsewhere.
        try? emit(BusSignal(path, interface, member, arguments))
    }

    func reportChange(_ path: ObjectPath, _ interface: String, _ properties: BusValue) {
        report(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), properties, .strings([])])
    }
}
