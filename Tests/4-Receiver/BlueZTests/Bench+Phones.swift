import ANCSEvents
import ANCS
import BluetoothLE
import DBus

@testable import BlueZ

// What bluetoothd publishes, and the steps that most tests begin with.
extension Bench {
    static let adapter = "org.bluez.Adapter1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let device = "org.bluez.Device1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let source = Characteristic.notificationSource
    static let data = Characteristic.dataSource
    typealias Characteristic = ConsumerSession.Characteristic

    // MARK: Adapters

    @discardableResult
    func addAdapter(
        _ path: ObjectPath = "/org/bluez/hci0", address: String = "00:1A:7D:DA:71:13",
        isPowered: Bool = true, isPairable: Bool = true,
        modalias: String = "usb:v1D6Bp0246d0552"
    ) -> [Line] {
        add(
            path,
            [
                Self.adapter: [
                    "Address": .string(address), "Powered": .bool(isPowered),
                    "Pairable": .bool(isPairable), "Modalias": .string(modalias),
                ], Self.advertisingManager: ["ActiveInstances": .byte(0)],
            ])
    }

    @discardableResult
    func power(_ isOn: Bool, _ path: ObjectPath = "/org/bluez/hci0") -> [Line] {
        change(path, Self.adapter, ["Powered": .bool(isOn)])
    }

    /// bluetoothd begins, and says what it has.
    @discardableResult
    func daemonBegins(_ name: String = Bench.owner) -> [Line] {
        ownerChanged(to: name) + answer("GetManagedObjects /", managedObjects)
    }

    /// bluetoothd, 5.82 unless said otherwise, runs with one adapter, and the accessory is on air.
    func begin(isPairable: Bool = true, modalias: String = "usb:v1D6Bp0246d0552") {
        addAdapter(isPairable: isPairable, modalias: modalias)
        daemonBegins()
        answer("RegisterAgent /org/bluez")
        goOnAir()
    }

    /// bluetoothd does all that it is asked for the advertisement.
    @discardableResult
    func goOnAir() -> [Line] {
        var lines: [Line] = []
        while let call = pending.first(where: { $0.text.contains("Advertisement") }) {
            lines += answer(call.text)
            guard pending.contains(where: { $0.text == "Get ActiveInstances hci0" }) else {
                continue
            }
            lines += answer("Get ActiveInstances hci0", .byte(1))
        }
        return lines
    }

    // MARK: Devices

    static func path(_ name: String) -> ObjectPath {
        ObjectPath("/org/bluez/hci0/\(name)") ?? .root
    }

    /// A device is published; unless it is said otherwise, as one that has just connected and that nobody
    /// has heard before. The services of one that is not paired are resolved.
    @discardableResult
    func addDevice(
        _ name: String = "dev_1", isConnected: Bool = true, isPaired: Bool = false,
        isResolved: Bool? = nil, address: String = "DA:00:00:00:00:01",
        and others: [String: BusValue] = [:]
    ) -> [Line] {
        let properties: [String: BusValue] = [
            "Adapter": .objectPath("/org/bluez/hci0"), "Address": .string(address),
            "AddressType": .string("random"), "Connected": .bool(isConnected),
            "Paired": .bool(isPaired), "ServicesResolved": .bool(isResolved ?? !isPaired),
        ]
        return add(
            Self.path(name), Self.device, properties.merging(others) { _, other in other })
    }

    @discardableResult
    func changeDevice(_ name: String = "dev_1", _ properties: [String: BusValue]) -> [Line] {
        change(Self.path(name), Self.device, properties)
    }

    @discardableResult
    func connect(_ name: String = "dev_1") -> [Line] {
        changeDevice(name, ["Connected": .bool(true)])
    }

    @discardableResult
    func disconnect(_ name: String = "dev_1") -> [Line] {
        changeDevice(name, ["ServicesResolved": .bool(false)])
            + changeDevice(name, ["Connected": .bool(false)])
    }

    @discardableResult
    func resolve(_ name: String = "dev_1") -> [Line] {
        changeDevice(name, ["ServicesResolved": .bool(true)])
    }

    /// bluetoothd asks our agent about a device, with six digits where the question has some.
    @discardableResult
    func askAgent(_ member: String, _ digits: UInt32? = nil, about name: String = "dev_1") -> [Line]
    {
        let device = BusValue.objectPath(Self.path(name))
        guard let digits else {
            return call(PairingAgent.path, PairingAgent.interface, member, device)
        }
        return call(PairingAgent.path, PairingAgent.interface, member, device, .uint32(digits))
    }

    // MARK: ANCS

    /// The objects of ANCS on a device, in the order in which bluetoothd publishes them.
    static func ancsObjects(
        of name: String, service: String
    ) -> [(ObjectPath, String, [String: BusValue])] {
        let device = path(name)
        let service = path("\(name)/\(service)")
        var objects: [(ObjectPath, String, [String: BusValue])] = [
            (
                service, "org.bluez.GattService1",
                ["UUID": .string(BluetoothUUID.ancs.text), "Device": .objectPath(device)]
            )
        ]
        // The handles are those after the one in the path of the service.
        let digits = service.lastElement.suffix(4).prefix(3)
        for (last, uuid) in [
            ("1", BluetoothUUID.notificationSource), ("4", .controlPoint), ("6", .dataSource),
        ] {
            let path = ObjectPath("\(service.text)/char\(digits)\(last)") ?? .root
            objects.append(
                (
                    path, characteristic,
                    ["UUID": .string(uuid.text), "Service": .objectPath(service)]
                ))
            guard uuid != .controlPoint else { continue }
            objects.append(
                (
                    ObjectPath("\(path.text)/desc\(digits)\(last == "1" ? 3 : 8)") ?? .root,
                    "org.bluez.GattDescriptor1",
                    [
                        "UUID": .string("00002902-0000-1000-8000-00805f9b34fb"),
                        "Characteristic": .objectPath(path),
                    ]
                ))
        }
        return objects
    }

    @discardableResult
    func addANCS(to name: String = "dev_1", service: String = "service0010") -> [Line] {
        Self.ancsObjects(of: name, service: service).flatMap { add($0, $1, $2) }
    }

    @discardableResult
    func removeANCS(from name: String = "dev_1", service: String = "service0010") -> [Line] {
        Self.ancsObjects(of: name, service: service).reversed().flatMap { remove($0.0) }
    }

    // MARK: The clock

    /// The objects of a phone's Current Time service.
    private static func clockObjects(
        of name: String
    ) -> [(ObjectPath, String, [String: BusValue])] {
        let service = path("\(name)/service0020")
        return [
            (
                service, "org.bluez.GattService1",
                [
                    "UUID": .string(BluetoothUUID.currentTimeService.text),
                    "Device": .objectPath(path(name)),
                ]
            )
        ]
            + [("char0021", BluetoothUUID.currentTime), ("char0024", .localTimeInformation)].map {
                (
                    ObjectPath("\(service.text)/\($0.0)") ?? .root, characteristic,
                    ["UUID": .string($0.1.text), "Service": .objectPath(service)]
                )
            }
    }

    @discardableResult
    func addClock(to name: String = "dev_1") -> [Line] {
        Self.clockObjects(of: name).flatMap { add($0, $1, $2) }
    }

    @discardableResult
    func removeClock(from name: String = "dev_1") -> [Line] {
        Self.clockObjects(of: name).reversed().flatMap { remove($0.0) }
    }

    @discardableResult
    func readClock(of phone: UInt64 = 1) -> [Line] {
        input { $0.readClock(of: PhoneID(rawValue: phone), at: $1) }
    }

    // MARK: Values

    /// A value is broadcast.
    @discardableResult
    func broadcast(_ value: [UInt8], of characteristic: String = "dev_1/service0010/char0011")
        -> [Line]
    {
        change(Self.path(characteristic), Self.characteristic, ["Value": .octets(value)])
    }

    // MARK: Steps

    /// A paired phone that bluetoothd knew before is there and serves ANCS.
    @discardableResult
    func addPairedPhone(_ name: String = "dev_1", isConnected: Bool = false) -> [Line] {
        addDevice(
            name, isConnected: isConnected, isPaired: true, address: "C0:FF:EE:00:00:01",
            and: ["UUIDs": .strings([BluetoothUUID.ancs.text])]) + addANCS(to: name)
    }

    /// On air, and a phone that was paired before is connected and serves ANCS.
    func beginWithPhone(modalias: String = "usb:v1D6Bp0246d0552") {
        begin(modalias: modalias)
        addPairedPhone()
        connect()
        resolve()
    }

    @discardableResult
    func request(_ request: ConsumerSession.LinkRequest, of phone: UInt64 = 1) -> [Line] {
        input { $0.request(request, of: PhoneID(rawValue: phone), at: $1) }
    }

    /// The session subscribes, as sessions do.
    func subscribe(_ name: String = "dev_1", of phone: UInt64 = 1) {
        request(.subscribe(.dataSource), of: phone)
        answer(
            "AcquireNotify \(name)/service0010/char0016", .descriptor(Self.descriptor), .uint16(185)
        )
        request(.subscribe(.notificationSource), of: phone)
        answer("StartNotify \(name)/service0010/char0011")
    }

    /// A phone that was paired before is connected, and its session stands.
    func serve(_ name: String = "dev_1", of phone: UInt64 = 1) {
        addPairedPhone(name)
        connect(name)
        resolve(name)
        subscribe(name, of: phone)
    }

    /// A descriptor that nothing reads.
    static var descriptor: BusDescriptor { BusDescriptor(owning: -1) }
}

extension Bench.Line {
    static func report(_ id: UInt64, _ report: ConsumerSession.LinkReport) -> Bench.Line {
        .phone(id, .service(.link(report)))
    }

    static func available(_ id: UInt64) -> Bench.Line {
        .phone(id, .available(hasControlPoint: true, hasDataSource: true))
    }
}

// The words of the diagrams for what the accessory passes on.
extension PhoneEvent {
    static var waiting: PhoneEvent { .service(.waiting) }
    static var unavailable: PhoneEvent { .service(.unavailable) }
    static var clockRead: PhoneEvent { .service(.clockRead) }
    static var withdrawn: PhoneEvent { .peer(.pairingWithdrawn) }
    static var pairingRefused: PhoneEvent { .peer(.pairingRefused) }

    static func available(hasControlPoint: Bool, hasDataSource: Bool) -> PhoneEvent {
        .service(.available(hasControlPoint: hasControlPoint, hasDataSource: hasDataSource))
    }

    static func clockValue(_ characteristic: BluetoothUUID, _ value: [UInt8]) -> PhoneEvent {
        .service(.clockValue(characteristic, value))
    }

    static func report(_ report: ConsumerSession.LinkReport) -> PhoneEvent {
        .service(.link(report))
    }

    static func named(_ name: String) -> PhoneEvent { .peer(.named(name)) }
    static func keyTrouble(_ trouble: KeyTrouble) -> PhoneEvent { .peer(.keyTrouble(trouble)) }

    static func pairingFailed(_ failure: SecurityFailure) -> PhoneEvent {
        .peer(.securityFailed(failure))
    }

    static func disconnected(_ reason: DisconnectReason) -> PhoneEvent {
        .peer(.disconnected(reason))
    }
}

extension BlueZEvent {
    static var resumed: BlueZEvent { .device(.resumed) }
    static func advertising(_ isOnAir: Bool) -> BlueZEvent { .device(.advertising(isOnAir)) }

    static func pairingWindow(isOpen: Bool) -> BlueZEvent {
        .device(.pairingWindow(isOpen: isOpen))
    }
}

extension [Bench.Line] {
    /// What is called.
    var calls: [String] {
        compactMap { if case .call(let text) = $0 { text } else { nil } }
    }

    /// What is said of phones.
    var phoneEvents: [PhoneEvent] {
        compactMap { if case .event(.phone(_, let event)) = $0 { event } else { nil } }
    }
}

extension [Bench.Line] {
    /// How many calls of bluetoothd were answered.
    var answers: Int { count { if case .answer = $0 { true } else { false } } }
}
