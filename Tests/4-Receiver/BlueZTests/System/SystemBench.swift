import ANCSEvents
import BluetoothLE
import DBus
import DBusTestKit
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// What the system does, in the words of a diagram.
enum SystemBenchLine: PlayedLine, Equatable {
    case call(String)
    case open(SocketID)
    case close(SocketID)
    case answer(InvocationID, Result<[BusValue], BusError>)
    case rememberEnds([DaemonEnds])
    case remember(DeviceAddress)
    case completed(UInt64, Result<GATTResult, PeerRequestFailure>)
    case event(SystemSays)
}

/// A system, and bluetoothd as the test plays it.
final class SystemBench: PlayedDaemon<BlueZSystem, SystemBenchLine> {
    typealias Line = SystemBenchLine

    static let app = ClientID(rawValue: 1)
    static let otherApp = ClientID(rawValue: 2)
    /// The values of the heart rate characteristic, of one that can be read, and of one that can be written.
    static let notified = AttributeHandle(0x0012)
    static let readable = AttributeHandle(0x0015)
    static let writable = AttributeHandle(0x0017)

    /// What the system has subscribed to; other signals do not arrive.
    private(set) var matches = BlueZSystem.signals
    /// Whether the test answers what the system asks about the use of characteristics, which is told then.
    var holdsUsage = false
    /// The number of the last request.
    private(set) var request: UInt64 = 0

    init(
        maximumRequests: Int = 1_024, maximumAbsentPeers: Int = 1_024,
        known: [BlueZPeerStore.Entry] = [], seed: UInt64 = 1
    ) {
        super.init(
            BlueZSystem(
                maximumRequests: maximumRequests, maximumAbsentPeers: maximumAbsentPeers,
                known: known, identifiers: identifiers(seed)))
    }

    override func line(_ output: BlueZSystem.Output) -> Line? {
        switch output {
        case .subscribe(let match): matches.append(match)
        case .unsubscribe(let match): matches.removeAll { $0 == match }
        case .call(let id, _, _) where !holdsUsage && machine.usage == .asked(id):
            machine.receive(.success([managedObjects]), to: id, at: now)
        case .readSELinux: preconditionFailure("a system does not ask for it")
        case .remember(let ends): return .rememberEnds(ends)
        case .report(.remember(let peer)): return .remember(peer.address)
        case .report(.completed(let request, let result)):
            return .completed(request.rawValue, result)
        case .report(.event(let event, let client)): return .event(SystemSays(event, client))
        case .call, .open, .close, .answer: return super.line(output)
        }
        return nil
    }

    /// Looks at the system.
    func query<Value>(_ body: (borrowing BlueZSystem) -> Value) -> Value { body(machine) }

    override func receive(_ signal: BusSignal) -> [Line] {
        guard matches.contains(where: { $0.fits(signal) && $0.fits(signal.arguments) }) else {
            return []
        }
        return super.receive(signal)
    }

    // MARK: bluetoothd

    /// bluetoothd begins, and says what it has.
    @discardableResult
    func daemonBegins(_ name: String = Bench.owner) -> [Line] {
        ownerChanged(to: name) + answer("GetManagedObjects /", managedObjects)
    }

    @discardableResult
    func addAdapter(
        _ path: ObjectPath = "/org/bluez/hci0", isPowered: Bool = true, isPairable: Bool = true,
        modalias: String = "usb:v1D6Bp0246d0555"
    ) -> [Line] {
        add(
            path, Bench.adapter,
            [
                "Address": .string("00:1A:7D:DA:71:13"), "Powered": .bool(isPowered),
                "Pairable": .bool(isPairable), "Modalias": .string(modalias),
            ])
    }

    @discardableResult
    func power(_ isOn: Bool) -> [Line] {
        change("/org/bluez/hci0", Bench.adapter, ["Powered": .bool(isOn)])
    }

    /// bluetoothd 5.85 unless said otherwise, with one adapter and an agent.
    func begin(modalias: String = "usb:v1D6Bp0246d0555") {
        addAdapter(modalias: modalias)
        daemonBegins()
        answer("RegisterAgent /org/bluez")
    }

    // MARK: Devices

    static func address(_ name: String) -> String { "C0:00:00:00:00:0\(name.suffix(1))" }

    /// A device is published, as one that a discovery has heard unless it is connected.
    @discardableResult
    func addDevice(
        _ name: String = "dev_1", isConnected: Bool = false, isPaired: Bool = false,
        isResolved: Bool = false, and others: [String: BusValue] = [:]
    ) -> [Line] {
        var properties: [String: BusValue] = [
            "Address": .string(Self.address(name)), "AddressType": .string("random"),
            "Connected": .bool(isConnected), "Paired": .bool(isPaired),
            "ServicesResolved": .bool(isResolved), "UUIDs": .strings(["180D"]),
        ]
        if !isConnected { properties["RSSI"] = .int16(-50) }
        return add(Bench.path(name), Bench.device, properties.merging(others) { $1 })
    }

    @discardableResult
    func changeDevice(_ properties: [String: BusValue], of name: String = "dev_1") -> [Line] {
        change(Bench.path(name), Bench.device, properties)
    }

    @discardableResult
    func linkUp(_ name: String = "dev_1") -> [Line] {
        changeDevice(["Connected": .bool(true)], of: name)
    }

    @discardableResult
    func linkDown(_ name: String = "dev_1", reason: String? = nil) -> [Line] {
        let unresolved = changeDevice(["ServicesResolved": .bool(false)], of: name)
        let why =
            reason.map { reason in
                signal(
                    Bench.path(name), Bench.device, "Disconnected",
                    [.string("org.bluez.Reason.\(reason)"), .string("")])
            } ?? []
        return unresolved + why + changeDevice(["Connected": .bool(false)], of: name)
    }

    @discardableResult
    func resolve(_ name: String = "dev_1") -> [Line] {
        changeDevice(["ServicesResolved": .bool(true)], of: name)
    }

    /// The objects of a device: a service with a characteristic that notifies, one that can be read, and one that
    /// can be written.
    static func attributes(of name: String) -> [(ObjectPath, String, [String: BusValue])] {
        let service = "\(Bench.path(name))/service0010"
        func path(_ text: String) -> ObjectPath { ObjectPath(service + text) ?? .root }
        let characteristic = "org.bluez.GattCharacteristic1"
        return [
            (
                path(""), "org.bluez.GattService1",
                ["UUID": .string("180d"), "Primary": .bool(true), "Includes": .array([], of: "o")]
            ),
            (
                path("/char0011"), characteristic,
                [
                    "UUID": .string("2a37"), "Flags": .strings(["notify"]), "MTU": .uint16(185),
                    "Notifying": .bool(false), "NotifyAcquired": .bool(false),
                ]
            ),
            (path("/char0011/desc0013"), "org.bluez.GattDescriptor1", ["UUID": .string("2902")]),
            (
                path("/char0014"), characteristic,
                ["UUID": .string("2a38"), "Flags": .strings(["read"])]
            ),
            (
                path("/char0016"), characteristic,
                ["UUID": .string("2a39"), "Flags": .strings(["write", "write-without-response"])]
            ),
            (path("/char0016/desc0018"), "org.bluez.GattDescriptor1", ["UUID": .string("2901")]),
        ]
    }

    @discardableResult
    func addAttributes(to name: String = "dev_1") -> [Line] {
        Self.attributes(of: name).flatMap { add($0.0, $0.1, $0.2) }
    }

    @discardableResult
    func removeAttributes(from name: String = "dev_1") -> [Line] {
        Self.attributes(of: name).reversed().flatMap { remove($0.0) }
    }

    /// The peer of a device.
    func peer(_ name: String = "dev_1") -> PeerKey {
        let address = DeviceAddress(text: Self.address(name), kind: .random)
        return query { system in address.flatMap { system.book.id($0) } } ?? PeerKey(rawValue: 0)
    }

    /// The app connects to a device that bluetoothd knows, and bluetoothd does it.
    @discardableResult
    func connect(_ name: String = "dev_1") -> PeerKey {
        addDevice(name)
        let peer = peer(name)
        input { $0.connect(peer, by: Self.app, at: $1) }
        linkUp(name)
        answer("Connect \(name)")
        addAttributes(to: name)
        resolve(name)
        return peer
    }

    /// A characteristic of which the system knows what programs use, and which is otherwise at bluetoothd.
    var wrongUsage: AttributeTree.Attribute? {
        guard machine.usage == .known else { return nil }
        return machine.book.peers.values.lazy.flatMap(\.tree.objects.values).first {
            let now = objects[$0.path]?[AttributeObject.characteristic]
            return $0.object.isNotifying != (now?["Notifying"] == .bool(true))
                || $0.object.isAcquired != (now?["NotifyAcquired"] == .bool(true))
        }
    }

    // MARK: Requests

    private func makeRequest() -> BlueZSystem.RequestID {
        request += 1
        return BlueZSystem.RequestID(rawValue: request)
    }

    @discardableResult
    func start(
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID = SystemBench.app
    ) -> [Line] {
        let request = makeRequest()
        return input { system, now in
            system.request(request, of: peer, at: now) {
                $0.start(procedure, request, by: client, at: now)
            }
        }
    }

    @discardableResult
    func writeWithoutResponse(_ value: [UInt8], of peer: PeerKey) -> [Line] {
        let request = makeRequest()
        return input { system, now in
            system.request(request, of: peer, at: now) {
                $0.writeWithoutResponse(
                    value, to: Self.writable, request, by: Self.app, at: now)
            }
        }
    }

    @discardableResult
    func subscribe(
        _ isSubscribed: Bool = true, of peer: PeerKey, by client: ClientID = SystemBench.app
    ) -> [Line] {
        let request = makeRequest()
        return input { system, now in
            system.request(request, of: peer, at: now) {
                $0.subscribe(isSubscribed, to: Self.notified, request, by: client, at: now)
            }
        }
    }

    /// bluetoothd asks our agent about a device.
    @discardableResult
    func askAgent(_ member: String, _ digits: UInt32, about name: String = "dev_1") -> [Line] {
        call(
            PairingAgent.path, PairingAgent.interface, member, .objectPath(Bench.path(name)),
            .uint32(digits))
    }
}

/// Identifiers that depend on a seed instead of a secret of the machine.
func identifiers(_ seed: UInt64) -> BlueZSystem.Identifiers {
    { address, attempt in
        var generator = SeededGenerator(seed: seed ^ address.rawValue).branch(UInt64(attempt))
        return UInt128(generator.next()) << 64 | UInt128(generator.next())
    }
}
