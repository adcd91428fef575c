import ANCS
import BluetoothLE
import DBus
import DBusTestKit
import Glibc
import LinuxIO

/// A phone behind a device of the double: the protocol of ANCS is the real one.
final class DoublePhone: @unchecked Sendable {
    // Unchecked: confined to the loop of its double.

    /// How it pairs.
    enum Pairing {
        case justWorks
        /// Both show these digits.
        case compare(UInt32)
        /// The phone shows these digits, which are typed here.
        case passkeyOfPhone(UInt32)
        /// The digits are shown here, and typed on the phone.
        case passkeyOfAccessory(UInt32)
    }

    static let ancs = BluetoothUUID(ANCSUUID.service).text
    /// The app that is installed on each phone.
    static var app: AppIdentifier {
        get throws { try AppIdentifier("com.apple.MobileSMS") }
    }

    let path: ObjectPath
    let identity: String
    var pairing: Pairing
    var isPaired = false
    var isConnected = false
    var session = ProviderSession()
    var store = NotificationStore()
    /// What it was asked to do, and did.
    var performed: [ActionID] = []
    /// Values that did not fit into the socket, as bluetoothd drops them.
    var droppedValues = 0
    /// The answer to `Pair` that is waited for.
    var pairingReply: BusReply?
    /// The answer to the `WriteValue` that is under way.
    var write: BusReply?
    /// bluetoothd's end of the socket of the Data Source.
    var socket: CInt?
    var watch: DescriptorRegistration?
    /// The octets of its time and its zone, if it has a clock.
    var clockValues: (time: [UInt8], zone: [UInt8])?
    /// The programs that are told the values of a characteristic.
    var subscribers: [ObjectPath: Set<String>] = [:]

    init(_ path: ObjectPath, identity: String, pairing: Pairing) {
        self.path = path
        self.identity = identity
        self.pairing = pairing
    }

    var service: ObjectPath { below(path, "service") }
    var source: ObjectPath { below(service, "source") }
    var point: ObjectPath { below(service, "point") }
    var data: ObjectPath { below(service, "data") }
    var clock: ObjectPath { below(path, "clock") }
    var time: ObjectPath { below(clock, "time") }
    var zone: ObjectPath { below(clock, "zone") }

    func below(_ path: ObjectPath, _ name: String) -> ObjectPath {
        ObjectPath("\(path.text)/\(name)") ?? .root
    }

    /// Whether bluetoothd has subscribed to the characteristic whose descriptor this is.
    func isSubscribed(to descriptor: ObjectPath) -> Bool {
        if socket != nil, descriptor.isBelow(data) { return true }
        return subscribers.contains { descriptor.isBelow($0.key) && !$0.value.isEmpty }
    }

    func closeSocket(on loop: EventLoop) {
        if let watch { loop.unregister(watch) }
        if let socket { close(socket) }
        watch = nil
        socket = nil
    }
}

// What a phone does, and what the double makes of it.
extension BlueZDouble {
    static func path(_ name: String) -> ObjectPath {
        ObjectPath("\(adapter.text)/\(name)") ?? .root
    }

    /// A phone that nobody knows connects.
    func connectNewPhone(
        _ name: String = "dev_1", pairing: DoublePhone.Pairing = .justWorks
    ) throws {
        let phone = try makePhone(name, pairing)
        publish(phone, isConnected: true)
        // bluetoothd discovers what it shows to strangers, which is not ANCS, before anyone pairs.
        change(phone.path, .device, ["ServicesResolved": .bool(true)])
    }

    /// A phone has a bond from an earlier run.
    func addPairedPhone(_ name: String = "dev_1") throws {
        let phone = try makePhone(name, .justWorks)
        phone.isPaired = true
        publish(phone, isConnected: false)
    }

    private func makePhone(
        _ name: String, _ pairing: DoublePhone.Pairing
    ) throws -> DoublePhone {
        let number = name.last.map { String($0) } ?? "0"
        let path = Self.path(name)
        let phone = DoublePhone(path, identity: "C0:FF:EE:00:00:0\(number)", pairing: pairing)
        try phone.store.install(DoublePhone.app, displayName: "Messages")
        phones[path] = phone
        return phone
    }

    /// bluetoothd publishes a phone, and its services where it remembers them.
    func publish(_ phone: DoublePhone, isConnected: Bool) {
        phone.isConnected = isConnected
        let address = phone.isPaired ? phone.identity : "5A:00:00:00:00:01"
        let services = phone.isPaired ? [DoublePhone.ancs] : []
        add(
            phone.path, .device,
            [
                "Adapter": .objectPath(Self.adapter), "Address": .string(address),
                "AddressType": .string("random"), "Connected": .bool(isConnected),
                "Name": .string("Anna's iPhone"), "Paired": .bool(phone.isPaired),
                "Trusted": .bool(false), "ServicesResolved": .bool(false),
                "UUIDs": .strings(services),
            ])
        if phone.isPaired { addServices(to: phone) }
        if isConnected { report(phone, .mtuChanged(247)) }
    }

    /// A phone with a bond comes back. bluetoothd subscribes by itself to what programs were subscribed to,
    /// and the phone replays, before the services are said to be resolved.
    func connect(_ path: ObjectPath, isResolved: Bool = true) {
        guard let phone = phones[path] else { return }
        phone.isConnected = true
        change(path, .device, ["Connected": .bool(true)])
        report(phone, .mtuChanged(247))
        if phone.subscribers[phone.source]?.isEmpty == false {
            report(phone, .subscribed(.notificationSource))
        }
        if isResolved { resolve(path) }
    }

    /// bluetoothd has found the services.
    func resolve(_ path: ObjectPath) {
        change(path, .device, ["ServicesResolved": .bool(true)])
    }

    /// The link of a phone ends.
    func disconnect(_ path: ObjectPath) {
        guard let phone = phones[path] else { return }
        unlink(phone)
        change(path, .device, ["ServicesResolved": .bool(false)])
        change(path, .device, ["Connected": .bool(false)])
    }

    /// bluetoothd forgets the phone: its link ends, then it is no device any more.
    func forget(_ phone: DoublePhone) {
        disconnect(phone.path)
        for path in objects.keys.sorted(by: { $0.text > $1.text })
        where path == phone.path || path.isBelow(phone.path) {
            remove(path)
        }
        phones[phone.path] = nil
    }

    /// What a link had is gone with it.
    func unlink(_ phone: DoublePhone) {
        phone.isConnected = false
        phone.closeSocket(on: loop)
        phone.session.disconnected()
        drain(phone)
        phone.write?.fail(.blueZ("Failed", "Not connected"))
        phone.write = nil
        phone.pairingReply?.fail(.blueZ("AuthenticationCanceled"))
        phone.pairingReply = nil
    }

    func addServices(to phone: DoublePhone) {
        add(
            phone.service, "org.bluez.GattService1",
            ["UUID": .string(DoublePhone.ancs), "Device": .objectPath(phone.path)])
        for (path, uuid) in [
            (phone.source, ANCSUUID.notificationSource), (phone.point, ANCSUUID.controlPoint),
            (phone.data, ANCSUUID.dataSource),
        ] {
            add(
                path, .characteristic,
                [
                    "UUID": .string(BluetoothUUID(uuid).text),
                    "Service": .objectPath(phone.service),
                ])
        }
        for path in [phone.source, phone.data] {
            add(
                phone.below(path, "configuration"), "org.bluez.GattDescriptor1",
                [
                    "UUID": .string(BluetoothUUID(0x2902 as UInt16).text),
                    "Characteristic": .objectPath(path),
                ])
        }
    }

    /// A phone has a clock, which bluetoothd has found.
    func addClock(time: [UInt8], zone: [UInt8], to path: ObjectPath) {
        guard let phone = phones[path] else { return }
        phone.clockValues = (time, zone)
        add(
            phone.clock, "org.bluez.GattService1",
            [
                "UUID": .string(BluetoothUUID.currentTimeService.text),
                "Device": .objectPath(phone.path),
            ])
        for (path, uuid) in [
            (phone.time, BluetoothUUID.currentTime), (phone.zone, .localTimeInformation),
        ] {
            add(
                path, .characteristic,
                ["UUID": .string(uuid.text), "Service": .objectPath(phone.clock)])
        }
    }

    /// The phone withdraws ANCS.
    func removeServices(of path: ObjectPath) {
        guard let phone = phones[path] else { return }
        phone.closeSocket(on: loop)
        phone.subscribers = [:]
        phone.session.disconnected()
        drain(phone)
        for path in objects.keys.sorted(by: { $0.text > $1.text })
        where path == phone.service || path.isBelow(phone.service) {
            remove(path)
        }
    }

    // MARK: Notifications

    /// Posts notifications on a phone.
    func post(_ notifications: [ProviderNotification], on path: ObjectPath) throws(StoreError) {
        guard let phone = phones[path] else { return }
        for notification in notifications {
            phone.session.storeChanged(try phone.store.post(notification))
        }
        drain(phone)
    }

    /// Removes everything that a phone shows.
    func removeAll(on path: ObjectPath) throws(StoreError) {
        guard let phone = phones[path] else { return }
        for id in phone.store.ids { phone.session.storeChanged(try phone.store.remove(id)) }
        drain(phone)
    }

    /// The accessory did something on the link of a phone.
    func report(_ phone: DoublePhone, _ report: ProviderSession.LinkReport) {
        phone.session.receive(report, store: phone.store, at: loop.now)
        drain(phone)
    }

    func drain(_ phone: DoublePhone) {
        while let output = phone.session.pollOutput(from: phone.store) {
            switch output {
            case .link(.notify(.notificationSource, let value)):
                broadcast(value, of: phone.source, phone)
            case .link(.notify(.dataSource, let value)): sendData(value, of: phone)
            case .link(.respond(let error)): respond(error, phone)
            case .perform(let request):
                phone.performed.append(request.actionID)
                phone.session.actionFinished(request, performed: true)
            case .started, .ended, .commandReceived, .answered, .dropLink: break
            }
        }
    }

    private func respond(_ error: ControlPointError?, _ phone: DoublePhone) {
        guard let reply = phone.write else { return }
        phone.write = nil
        guard let error else { return reply.succeed() }
        let code = String(error.rawValue, radix: 16)
        reply.fail(.blueZ("Failed", "Operation failed with ATT error: 0x\(code)"))
    }

    private func sendData(_ value: [UInt8], of phone: DoublePhone) {
        guard let socket = phone.socket else { return broadcast(value, of: phone.data, phone) }
        let count = send(
            socket, value, value.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
        if count != value.count { phone.droppedValues += 1 }
    }

    private func broadcast(_ value: [UInt8], of path: ObjectPath, _ phone: DoublePhone) {
        guard phone.subscribers[path]?.isEmpty == false else { return }
        change(path, .characteristic, ["Value": .octets(value)])
    }
}
