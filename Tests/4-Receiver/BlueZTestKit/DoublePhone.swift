package import ANCS
package import ANCSProvider
internal import BluetoothLE
package import DBus
internal import DBusTestKit
internal import Glibc
package import LinuxIO
internal import Octets

/// A phone behind a device of the double: the protocol of ANCS is the real one.
package final class DoublePhone: @unchecked Sendable {
    // Unchecked: confined to the loop of its double.

    /// How it pairs.
    package enum Pairing {
        case justWorks
        /// Both show these digits.
        case compare(UInt32)
        /// The phone shows these digits, which are typed here.
        case passkeyOfPhone(UInt32)
        /// The digits are shown here, and typed on the phone.
        case passkeyOfAccessory(UInt32)
    }

    package static let ancs = BluetoothUUID(ANCSUUID.service).text
    /// The app that is installed on each phone.
    package static var app: AppIdentifier {
        get throws { try AppIdentifier("com.apple.MobileSMS") }
    }

    package let path: ObjectPath
    package let identity: String
    package var pairing: Pairing
    package var isPaired = false
    package var isConnected = false
    package var session = ProviderSession()
    package var store = NotificationStore()
    /// What it was asked to do, and did.
    package var performed: [ActionID] = []
    /// Values that did not fit into the socket, as bluetoothd drops them.
    package var droppedValues = 0
    /// The answer to `Pair` that is waited for.
    package var pairingReply: BusReply?
    /// The answer to the `WriteValue` that is under way.
    package var write: BusReply?
    /// What has to wait for that.
    package var waiting: [@Sendable (isolated BlueZDouble) -> Void] = []
    /// Whether another program's command is being written, so that ours gets `InProgress`.
    package var isWrittenByOther = false
    /// bluetoothd's end of the socket of the Data Source.
    package var socket: CInt?
    package var watch: DescriptorRegistration?
    /// The octets of its time and its zone, if it has a clock.
    package var clockValues: (time: [UInt8], zone: [UInt8])?
    /// bluetoothd's ends of the sockets of its media, and what was written to them.
    package var mediaSockets: [ObjectPath: CInt] = [:]
    package var mediaWrites: [[UInt8]] = []
    /// The programs that are told the values of a characteristic.
    package var subscribers: [ObjectPath: Set<String>] = [:]

    package init(_ path: ObjectPath, identity: String, pairing: Pairing) {
        self.path = path
        self.identity = identity
        self.pairing = pairing
    }

    package var service: ObjectPath { below(path, "service0010") }
    package var source: ObjectPath { below(service, "char0011") }
    package var point: ObjectPath { below(service, "char0014") }
    package var data: ObjectPath { below(service, "char0016") }
    package var clock: ObjectPath { below(path, "service0020") }
    package var time: ObjectPath { below(clock, "char0021") }
    package var zone: ObjectPath { below(clock, "char0024") }

    package func below(_ path: ObjectPath, _ name: String) -> ObjectPath {
        ObjectPath("\(path.text)/\(name)") ?? .root
    }

    /// Whether bluetoothd has subscribed to the characteristic whose descriptor this is.
    package func isSubscribed(to descriptor: ObjectPath) -> Bool {
        if socket != nil, descriptor.isBelow(data) { return true }
        return subscribers.contains { descriptor.isBelow($0.key) && !$0.value.isEmpty }
    }

    package func closeSocket(on loop: EventLoop) {
        if let watch { loop.unregister(watch) }
        if let socket { close(socket) }
        watch = nil
        socket = nil
    }
}

// What a phone does, and what the double makes of it.
extension BlueZDouble {
    package static func path(_ name: String) -> ObjectPath {
        ObjectPath("\(adapter.text)/\(name)") ?? .root
    }

    /// A phone that nobody knows connects.
    package func connectNewPhone(
        _ name: String = "dev_1", pairing: DoublePhone.Pairing = .justWorks
    ) throws {
        let phone = try makePhone(name, pairing)
        publish(phone, isConnected: true)
        // bluetoothd discovers what it shows to strangers, which is not ANCS, before anyone pairs.
        change(phone.path, .device, ["ServicesResolved": .bool(true)])
    }

    /// A phone has a bond from an earlier run.
    @discardableResult
    package func addPairedPhone(_ name: String = "dev_1") throws -> DoublePhone {
        let phone = try makePhone(name)
        phone.isPaired = true
        publish(phone, isConnected: false)
        return phone
    }

    /// A phone that bluetoothd has not heard yet.
    package func makePhone(
        _ name: String, _ pairing: DoublePhone.Pairing = .justWorks
    ) throws -> DoublePhone {
        let number = name.last.map { String($0) } ?? "0"
        let path = Self.path(name)
        let phone = DoublePhone(path, identity: "C0:FF:EE:00:00:0\(number)", pairing: pairing)
        try phone.store.install(DoublePhone.app, displayName: "Messages")
        phones[path] = phone
        return phone
    }

    /// bluetoothd publishes a phone, and its services where it remembers them.
    package func publish(_ phone: DoublePhone, isConnected: Bool) {
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
    package func connect(_ path: ObjectPath, isResolved: Bool = true) {
        guard let phone = phones[path] else { return }
        phone.isConnected = true
        change(path, .device, ["Connected": .bool(true)])
        report(phone, .mtuChanged(247))
        for (path, characteristic) in [
            (phone.data, NotifyingCharacteristic.dataSource), (phone.source, .notificationSource),
        ] where phone.subscribers[path]?.isEmpty == false {
            report(phone, .subscribed(characteristic))
        }
        if isResolved { resolve(path) }
    }

    /// A phone comes back, if Bluetooth is on. bluetoothd may have forgotten one that was not paired.
    package func comeBack(_ phone: DoublePhone) {
        guard connection != nil, !phone.isConnected,
            objects[Self.adapter]?[.adapter]?["Powered"] == .bool(true)
        else { return }
        phones[phone.path] = phone
        if objects[phone.path] != nil { return connect(phone.path, isResolved: false) }
        publish(phone, isConnected: true)
    }

    /// bluetoothd has found the services.
    package func resolve(_ path: ObjectPath) {
        change(path, .device, ["ServicesResolved": .bool(true)])
    }

    /// The link of a phone ends.
    package func disconnect(_ path: ObjectPath) {
        guard let phone = phones[path], phone.isConnected else { return }
        unlink(phone)
        change(path, .device, ["ServicesResolved": .bool(false)])
        change(path, .device, ["Connected": .bool(false)])
        guard !phone.isPaired else { return }
        // `TemporaryTimeout`: a device without a bond is forgotten after 30 s.
        LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { double in
                guard !phone.isPaired, !phone.isConnected else { return }
                double.remove(phone.path)
            }
        }.deadline = loop.now + .seconds(30)
    }

    /// bluetoothd forgets the phone: its link ends, then it is no device any more.
    package func forget(_ phone: DoublePhone) {
        disconnect(phone.path)
        for path in objects.keys.sorted(by: { $0.text > $1.text })
        where path == phone.path || path.isBelow(phone.path) {
            remove(path)
        }
        phones[phone.path] = nil
    }

    /// What a link had is gone with it.
    package func unlink(_ phone: DoublePhone) {
        phone.isConnected = false
        phone.closeSocket(on: loop)
        phone.session.disconnected()
        drain(phone)
        phone.write?.fail(.blueZ("Failed", "Not connected"))
        writeEnded(phone)
        phone.pairingReply?.fail(.blueZ("AuthenticationCanceled"))
        phone.pairingReply = nil
    }

    package func addServices(to phone: DoublePhone) {
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
        for (path, name) in [(phone.source, "desc0013"), (phone.data, "desc0018")] {
            add(
                phone.below(path, name), "org.bluez.GattDescriptor1",
                [
                    "UUID": .string(BluetoothUUID(0x2902 as UInt16).text),
                    "Characteristic": .objectPath(path),
                ])
        }
    }

    /// A phone has a clock, which bluetoothd has found.
    package func addClock(time: [UInt8], zone: [UInt8], to path: ObjectPath) {
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
    package func removeServices(of path: ObjectPath) {
        guard let phone = phones[path] else { return }
        // Nothing answers it any more.
        writeEnded(phone)
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
    package func post(_ notifications: [ProviderNotification], on path: ObjectPath)
        throws(StoreError)
    {
        guard let phone = phones[path] else { return }
        for notification in notifications {
            phone.session.storeChanged(try phone.store.post(notification))
        }
        drain(phone)
    }

    /// What a phone holds has changed.
    package func storeChanged(_ change: StoreChange, at phone: DoublePhone) {
        phone.session.storeChanged(change)
        drain(phone)
    }

    /// Removes everything that a phone shows.
    package func removeAll(on path: ObjectPath) throws(StoreError) {
        guard let phone = phones[path] else { return }
        for id in phone.store.ids { phone.session.storeChanged(try phone.store.remove(id)) }
        drain(phone)
    }

    /// The accessory did something on the link of a phone.
    package func report(_ phone: DoublePhone, _ report: ProviderSession.LinkReport) {
        phone.session.receive(report, store: phone.store, at: loop.now)
        drain(phone)
    }

    package func drain(_ phone: DoublePhone) {
        while let output = phone.session.pollOutput(from: phone.store) {
            observer?(phone, output)
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
        defer { writeEnded(phone) }
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
