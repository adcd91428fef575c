import DBus
import DBusTestKit
import LinuxIO
import Testing

/// An imitation of bluetoothd 5.66 on the bus of a test: its objects, what it answers, and what it does wrong
/// when it is told to. Behind its devices are phones.
actor BlueZDouble {
    typealias Properties = [String: BusValue]

    /// A program that uses it.
    struct Client {
        var agent: ObjectPath?
        /// The properties of what it advertises.
        var advertisement: Properties?
    }

    static let adapter: ObjectPath = "/org/bluez/hci0"
    static let manager: ObjectPath = "/org/bluez"

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let bus: TestBus
    private var peer: TestPeer?
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    private var exports: [ObjectPath: BusExport] = [:]
    /// By their unique names.
    var clients: [String: Client] = [:]
    var phones: [ObjectPath: DoublePhone] = [:]
    /// What it was called for, and how often: `Pair dev_1`, `Set Trusted dev_1`.
    private var calls: [String: Int] = [:]
    /// What it never answers, in the words of ``calls``.
    var unanswered: Set<String> = []
    /// What it refuses, in the words of ``calls``.
    var refusals: [String: BusError] = [:]
    /// What it ends at, in the words of ``calls``.
    var deadly: Set<String> = []
    private var kept: [(call: String, reply: BusReply)] = []
    private var hasBus = true

    init(on bus: TestBus) {
        self.bus = bus
        loop = bus.loop
    }

    // MARK: Life

    /// It runs, with one adapter unless said otherwise.
    func begin(hasAdapter: Bool = true) async throws {
        let peer = try await bus.connect()
        self.peer = peer
        let vanished: @Sendable (BusSignal) -> Void = { [weak self] signal in
            self?.assumeIsolated { $0.ownerChanged(signal.arguments.compactMap(\.string)) }
        }
        _ = peer.connection.signals(
            BusMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged"), handler: vanished)
        export(.root)
        export(Self.manager)
        // The name is there before the adapters.
        try await peer.own("org.bluez")
        if hasAdapter { addAdapter() }
    }

    /// Kills the bus. Calls that are on their way then may still change something here, of which nobody can learn.
    func killBus() {
        hasBus = false
        bus.kill()
    }

    /// It ends, with everything that it had of others.
    func end() {
        peer?.connection.close()
        peer = nil
        for phone in phones.values { unlink(phone) }
        objects = [:]
        exports = [:]
        clients = [:]
        kept = []
    }

    /// It ends and begins again, and knows the phones that have bonds.
    func restart() async throws {
        end()
        try await begin()
        phones = phones.filter { $0.value.isPaired }
        for phone in phones.values { publish(phone, isConnected: false) }
    }

    private func ownerChanged(_ names: [String]) {
        guard names.count == 3, names[2].isEmpty, names[0].hasPrefix(":") else { return }
        clients[names[0]] = nil
        countAdvertisements()
        for phone in phones.values { unsubscribe(phone, names[0]) }
    }

    /// What a test sends by its connection.
    var connection: BusConnection? { peer?.connection }

    // MARK: Objects

    /// An object, or a further interface of it, appears.
    func add(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
        if objects[path] == nil { export(path) }
        objects[path, default: [:]][interface] = properties
        emit(
            .root, .objectManager, "InterfacesAdded",
            [.objectPath(path), .interfaces([interface: properties])])
    }

    /// An object disappears.
    func remove(_ path: ObjectPath) {
        guard let interfaces = objects.removeValue(forKey: path) else { return }
        if let export = exports.removeValue(forKey: path) { peer?.connection.cancel(export) }
        emit(
            .root, .objectManager, "InterfacesRemoved",
            [.objectPath(path), .strings(interfaces.keys.sorted())])
    }

    /// Properties change.
    func change(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
        objects[path]?[interface]?.merge(properties) { _, new in new }
        emit(
            path, .properties, "PropertiesChanged",
            [.string(interface), .options(properties), .strings([])])
    }

    private func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) {
        guard hasBus else { return }
        do {
            try peer?.connection.emit(BusSignal(path, interface, member, arguments))
        } catch { Issue.record(error) }
    }

    private func export(_ path: ObjectPath) {
        guard exports[path] == nil else { return }
        exports[path] = peer?.connection.export(path) { [weak self] call, reply in
            self?.assumeIsolated { $0.called(call, reply) }
        }
    }

    // MARK: Calls

    private func called(_ call: BusMethodCall, _ reply: BusReply) {
        let text = call.text
        calls[text, default: 0] += 1
        if deadly.contains(text) { return end() }
        if unanswered.contains(text) { return kept.append((text, reply)) }
        if let refusal = refusals[text] { return reply.fail(refusal) }
        answer(call, reply)
    }

    /// How often it was called for something.
    func count(of call: String) -> Int { calls[call] ?? 0 }

    /// Whether a call waits for an answer that never comes.
    func hasIgnored(_ call: String) -> Bool { kept.contains { $0.call == call } }

    /// Does something here, for a test.
    func run<Value: Sendable>(_ body: @Sendable (isolated BlueZDouble) -> Value) -> Value {
        body(self)
    }

    /// Calls a method of a program, and passes the answer on.
    func call(
        _ call: BusCall, within limit: Duration = .seconds(60),
        _ body: @escaping @Sendable (isolated BlueZDouble, Result<[BusValue], BusError>) -> Void
    ) {
        peer?.connection.call(call, within: limit) { [weak self] result in
            self?.assumeIsolated { body($0, result) }
        }
    }
}

extension String {
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let adapter = "org.bluez.Adapter1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let device = "org.bluez.Device1"
    static let characteristic = "org.bluez.GattCharacteristic1"
}

extension BusMethodCall {
    /// `Pair dev_1`, `Set Trusted dev_1`.
    fileprivate var text: String {
        let property = interface == .properties ? arguments.dropFirst().first?.string : nil
        return [member, property, String(path.lastElement)].compactMap { $0 }.filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

extension BusError {
    static func blueZ(_ name: String, _ message: String = "") -> BusError {
        BusError("org.bluez.Error." + name, message)
    }
}
