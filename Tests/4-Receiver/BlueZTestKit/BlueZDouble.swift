package import ANCSProvider
package import DBus
internal import DBusTestKit
package import LinuxIO

/// An imitation of bluetoothd 5.66 on the bus of a test, which may be one in virtual time: its objects, what
/// it answers, and what it does wrong when it is told to. Behind its devices are phones.
package actor BlueZDouble {
    package typealias Properties = [String: BusValue]

    /// A program that uses it.
    package struct Client {
        package var agent: ObjectPath?
        /// The properties of what it advertises.
        package var advertisement: Properties?
    }

    package static let adapter: ObjectPath = "/org/bluez/hci0"
    package static let manager: ObjectPath = "/org/bluez"

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private let makeConnection: @Sendable () async throws -> any MessageBus
    private(set) var connection: (any MessageBus)?
    package private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    private var exports: [ObjectPath: BusExport] = [:]
    /// By their unique names.
    package var clients: [String: Client] = [:]
    package var phones: [ObjectPath: DoublePhone] = [:]
    /// The devices with which it is a Central.
    package internal(set) var peripherals: [ObjectPath: DoublePeripheral] = [:]
    /// The programs whose discovery runs, and the services that they look for.
    var discoverers: Set<String> = []
    var filters: [String: [String]] = [:]
    /// How often it has begun.
    private(set) var runs = 0
    /// What it was called for, and how often: `Pair dev_1`, `Set Trusted dev_1`.
    private var calls: [String: Int] = [:]
    /// What it never answers, in the words of ``calls``.
    package var unanswered: Set<String> = []
    /// What it refuses, in the words of ``calls``.
    package var refusals: [String: BusError] = [:]
    /// What it ends at, in the words of ``calls``.
    package var deadly: Set<String> = []
    private var kept: [(call: String, reply: BusReply)] = []
    private var hasBus = true

    /// Is told what the session of a phone does, before anything follows from it.
    package var observer: (@Sendable (DoublePhone, ProviderSession.Output) -> Void)?
    /// Is told of each call, before it is answered.
    package var callObserver: (@Sendable (BusMethodCall) -> Void)?
    /// Decides how long a command is on its way to a phone.
    package var writeDelay: @Sendable (DoublePhone) -> Duration = { _ in .zero }

    /// A double that is not running. `makeConnection` connects to the bus, on this loop.
    package init(
        on loop: EventLoop, makeConnection: @escaping @Sendable () async throws -> any MessageBus
    ) {
        self.loop = loop
        self.makeConnection = makeConnection
    }

    // MARK: Life

    /// It runs, with one adapter unless said otherwise.
    package func begin(hasAdapter: Bool = true) async throws {
        let connection = try await makeConnection()
        self.connection = connection
        runs += 1
        let vanished: @Sendable (BusSignal) -> Void = { [weak self] signal in
            self?.assumeIsolated { $0.ownerChanged(signal.arguments.compactMap(\.string)) }
        }
        connection.signals(
            BusMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged"),
            handler: vanished)
        export(.root)
        export(Self.manager)
        // The name is there before the adapters.
        let outcome = await withCheckedContinuation { continuation in
            connection.requestName("org.bluez") { continuation.resume(returning: $0) }
        }
        precondition(outcome == .success(.owned), "the double's name is not free: \(outcome)")
        // A reply about the objects is on its way for one turn of the loop, in which a signal would overtake it.
        try await loop.sleep(for: .milliseconds(1))
        if hasAdapter { addAdapter() }
    }

    /// The bus is about to be killed. Calls that are on their way then may still change something here, of
    /// which nobody can learn.
    package func loseBus() { hasBus = false }

    /// It ends, with everything that it had of others.
    package func end() {
        connection?.close()
        connection = nil
        for phone in phones.values {
            unlink(phone)
            phone.subscribers = [:]
        }
        objects = [:]
        unlinkPeripherals()
        runs += 1
        exports = [:]
        clients = [:]
        kept = []
    }

    /// It ends and begins again, and knows the phones that have bonds.
    package func restart() async throws {
        end()
        try await begin()
        phones = phones.filter { $0.value.isPaired }
        for phone in phones.values { publish(phone, isConnected: false) }
        // A reply is on its way for one turn of the loop, in which a signal would overtake it.
        later(.milliseconds(1)) { $0.publishPeripherals() }
    }

    private func ownerChanged(_ names: [String]) {
        guard names.count == 3, names[2].isEmpty, names[0].hasPrefix(":") else { return }
        clients[names[0]] = nil
        countAdvertisements()
        for phone in phones.values { unsubscribe(phone, names[0]) }
        programEnded(names[0])
    }

    // MARK: Objects

    /// An object, or a further interface of it, appears.
    package func add(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
        if objects[path] == nil { export(path) }
        objects[path, default: [:]][interface] = properties
        emit(
            .root, .objectManager, "InterfacesAdded",
            [.objectPath(path), .interfaces([interface: properties])])
    }

    /// An object disappears.
    package func remove(_ path: ObjectPath) {
        guard let interfaces = objects.removeValue(forKey: path) else { return }
        if let export = exports.removeValue(forKey: path) { connection?.cancel(export) }
        emit(
            .root, .objectManager, "InterfacesRemoved",
            [.objectPath(path), .strings(interfaces.keys.sorted())])
    }

    /// Properties change.
    package func change(_ path: ObjectPath, _ interface: String, _ properties: Properties) {
        objects[path]?[interface]?.merge(properties) { _, new in new }
        emit(
            path, .properties, "PropertiesChanged",
            [.string(interface), .options(properties), .strings([])])
    }

    func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) {
        guard hasBus else { return }
        do throws(BusError) {
            try connection?.emit(BusSignal(path, interface, member, arguments), to: nil)
        } catch { preconditionFailure("the double cannot send: \(error.name): \(error.message)") }
    }

    private func export(_ path: ObjectPath) {
        guard exports[path] == nil else { return }
        exports[path] = connection?.export(path, introspection: "") { [weak self] call, reply in
            self?.assumeIsolated { $0.called(call, reply) }
        }
    }

    // MARK: Calls

    private func called(_ call: BusMethodCall, _ reply: BusReply) {
        let text = call.text
        calls[text, default: 0] += 1
        callObserver?(call)
        if deadly.contains(text) { return end() }
        if unanswered.contains(text) { return kept.append((text, reply)) }
        if let refusal = refusals[text] { return reply.fail(refusal) }
        answer(call, reply)
    }

    /// How often it was called for something.
    package func count(of call: String) -> Int { calls[call] ?? 0 }

    /// Whether a call waits for an answer that never comes.
    package func hasIgnored(_ call: String) -> Bool { kept.contains { $0.call == call } }

    /// Does something here, for a test.
    package func run<Value: Sendable>(_ body: @Sendable (isolated BlueZDouble) -> Value) -> Value {
        body(self)
    }

    /// Calls a method of a program, and passes the answer on.
    package func call(
        _ call: BusCall, within limit: Duration = .seconds(60),
        _ body: @escaping @Sendable (isolated BlueZDouble, Result<[BusValue], BusError>) -> Void
    ) {
        connection?.call(call, within: limit) { [weak self] result in
            self?.assumeIsolated { body($0, result) }
        }
    }
}

extension String {
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let adapter = "org.bluez.Adapter1"
    package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    package static let device = "org.bluez.Device1"
    package static let characteristic = "org.bluez.GattCharacteristic1"
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
    package static func blueZ(_ name: String, _ message: String = "") -> BusError {
        BusError("org.bluez.Error." + name, message)
    }
}
