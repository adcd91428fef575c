internal import ANCSReceiver
package import DBus
internal import LinuxIO
internal import Octets

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
    private var phones: [String: (status: PhoneStatus, export: BusExport)] = [:]
    private var notifications: [RecordID: (record: Record, export: BusExport)] = [:]
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
        case .success(.taken):
            fail("another 'ancs serve' is on this bus; commands go to that one")
        case .failure(let error): fail(error.message)
        }
    }

    private func ended(_ message: String) {
        bus = nil
        phones = [:]
        notifications = [:]
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
        case .removed(let record, _): remove(record, on: bus)
        case .phone(let status): put(status, on: bus)
        case .forgotten(let phone): remove(phone, on: bus)
        case .pairing(let phone, let question):
            emit(
                ObjectPath(phone: phone.digest), BusNames.phone, "PairingAsks",
                [.string(question?.kind.rawValue ?? "")], on: bus)
        case .pairingStep(let step, let number):
            emit(
                BusNames.root, BusNames.manager, "PairingStep",
                [.uint32(UInt32(clamping: number)), .string(step.word)], on: bus)
        case .pairingWindow, .state: reportManager(on: bus)
        }
    }

    private func put(_ record: Record, _ event: String, on bus: BusConnection) {
        let path = ObjectPath(record.id)
        let object = BusNotification(record: record, control: control)
        let header = BusInterface.notification.properties(of: object, forSignal: true)
        if let known = notifications[record.id] {
            notifications[record.id] = (record, known.export)
            emitChange(path, BusNames.notification, header, on: bus)
        } else {
            notifications[record.id] = (record, export(record, on: bus))
            emitAdded(path, BusNames.notification, header, on: bus)
        }
        emit(
            BusNames.root, BusNames.manager, "Notification",
            [.string(event), .objectPath(path), header], on: bus)
    }

    private func remove(_ record: Record, on bus: BusConnection) {
        guard let known = notifications.removeValue(forKey: record.id) else { return }
        let path = ObjectPath(record.id)
        bus.cancel(known.export)
        let object = BusNotification(record: record, control: control)
        emit(
            BusNames.root, BusNames.manager, "Notification",
            [
                .string("removed"), .objectPath(path),
                BusInterface.notification.properties(of: object, forSignal: true),
            ], on: bus)
        emitRemoved(path, BusNames.notification, on: bus)
    }

    private func put(_ status: PhoneStatus, on bus: BusConnection) {
        let path = ObjectPath(phone: status.phone.digest)
        let object = BusPhone(status: status, control: control)
        let properties = BusInterface.phone.properties(of: object, forSignal: true)
        if let known = phones[status.phone.digest] {
            phones[status.phone.digest] = (status, known.export)
            emitChange(path, BusNames.phone, properties, on: bus)
        } else {
            phones[status.phone.digest] = (status, export(status, on: bus))
            emitAdded(path, BusNames.phone, properties, on: bus)
        }
        // The directory of phones is bounded, so objects of phones that it dropped are removed here too.
        let known = Set(control.phones.map(\.phone.digest))
        for digest in phones.keys where !known.contains(digest) {
            remove(PhoneName(digest: digest), on: bus)
        }
    }

    private func remove(_ phone: PhoneName, on bus: BusConnection) {
        guard let known = phones.removeValue(forKey: phone.digest) else { return }
        bus.cancel(known.export)
        emitRemoved(ObjectPath(phone: phone.digest), BusNames.phone, on: bus)
    }

    private func reportManager(on bus: BusConnection) {
        emitChange(
            BusNames.root, BusNames.manager,
            BusInterface.manager.properties(of: manager, forSignal: true), on: bus)
    }
}

// MARK: - Objects

extension BusSink {
    private func exportAll(on bus: BusConnection) {
        bus.export(
            BusNames.root,
            introspection: BusInterface.manager.introspection + Self.objectManagerIntrospection
        ) { [weak self] call, reply in self?.answer(call, reply) }
        for status in control.phones {
            phones[status.phone.digest] = (status, export(status, on: bus))
        }
        for record in control.records {
            notifications[record.id] = (record, export(record, on: bus))
        }
    }

    private func export(_ record: Record, on bus: BusConnection) -> BusExport {
        let (id, table) = (record.id, BusInterface.notification)
        return bus.export(ObjectPath(id), introspection: table.introspection) {
            [weak self] call, reply in
            guard let self, let record = notifications[id]?.record else { return }
            let object = BusNotification(record: record, control: control)
            Self.answer(call, with: table, at: object, reply)
        }
    }

    private func export(_ status: PhoneStatus, on bus: BusConnection) -> BusExport {
        let (digest, table) = (status.phone.digest, BusInterface.phone)
        return bus.export(ObjectPath(phone: digest), introspection: table.introspection) {
            [weak self] call, reply in
            guard let self, let status = phones[digest]?.status else { return }
            let object = BusPhone(status: status, control: control)
            Self.answer(call, with: table, at: object, reply)
        }
    }

    private static func answer<Object>(
        _ call: BusMethodCall, with table: BusInterface<Object>, at object: Object,
        _ reply: BusReply
    ) {
        switch call.interface {
        // D-Bus allows callers to omit the interface.
        case table.name, "": table.answer(call, at: object, reply)
        case "org.freedesktop.DBus.Properties": table.answerProperties(call, at: object, reply)
        case _:
            reply.fail(
                BusError(BusError.unknownInterface, "the object has the interface \(table.name)"))
        }
    }

    private func answer(_ call: BusMethodCall, _ reply: BusReply) {
        guard call.interface == Self.objectManager else {
            return Self.answer(call, with: .manager, at: manager, reply)
        }
        guard call.member == "GetManagedObjects", call.arguments.isEmpty else {
            return reply.fail(BusError(BusError.unknownMethod, "no such method"))
        }
        reply.succeed([managedObjects])
    }

    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let objectManagerIntrospection =
        "  <interface name=\"\(objectManager)\">\n    <method name=\"GetManagedObjects\">\n"
        + "      <arg name=\"objects\" type=\"a{oa{sa{sv}}}\" direction=\"out\"/>\n    </method>\n"
        + "    <signal name=\"InterfacesAdded\">\n      <arg name=\"object\" type=\"o\"/>\n"
        + "      <arg name=\"interfaces\" type=\"a{sa{sv}}\"/>\n    </signal>\n"
        + "    <signal name=\"InterfacesRemoved\">\n      <arg name=\"object\" type=\"o\"/>\n"
        + "      <arg name=\"interfaces\" type=\"as\"/>\n    </signal>\n  </interface>\n"

    private var managedObjects: BusValue {
        var objects: [BusValue: BusValue] = [:]
        for (digest, phone) in phones {
            let object = BusPhone(status: phone.status, control: control)
            objects[.objectPath(ObjectPath(phone: digest))] = Self.interfaces(
                BusNames.phone, BusInterface.phone.properties(of: object, forSignal: false))
        }
        for (id, notification) in notifications {
            let object = BusNotification(record: notification.record, control: control)
            objects[.objectPath(ObjectPath(id))] = Self.interfaces(
                BusNames.notification,
                BusInterface.notification.properties(of: object, forSignal: false))
        }
        return .dictionary(objects, key: "o", value: "a{sa{sv}}")
    }

    private static func interfaces(_ name: String, _ properties: BusValue) -> BusValue {
        .dictionary([.string(name): properties], key: "s", value: "a{sv}")
    }

    // MARK: Signals

    private func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue],
        on bus: BusConnection
    ) {
        // This fails only if the connection has ended, which is reported elsewhere.
        try? bus.emit(BusSignal(path, interface, member, arguments))
    }

    private func emitChange(
        _ path: ObjectPath, _ interface: String, _ properties: BusValue, on bus: BusConnection
    ) {
        emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), properties, .strings([])], on: bus)
    }

    private func emitAdded(
        _ path: ObjectPath, _ interface: String, _ properties: BusValue, on bus: BusConnection
    ) {
        emit(
            BusNames.root, Self.objectManager, "InterfacesAdded",
            [.objectPath(path), Self.interfaces(interface, properties)], on: bus)
    }

    private func emitRemoved(_ path: ObjectPath, _ interface: String, on bus: BusConnection) {
        emit(
            BusNames.root, Self.objectManager, "InterfacesRemoved",
            [.objectPath(path), .strings([interface])], on: bus)
    }
}
