internal import ANCSProvider
internal import ANCS
package import DBus
internal import DBusTestKit
internal import Glibc
internal import LinuxIO
internal import Octets

// What bluetoothd's methods do.
extension BlueZDouble {
    package func answer(_ call: BusMethodCall, _ reply: BusReply) {
        switch (call.interface, call.member) {
        case (.objectManager, "GetManagedObjects"): reply.succeed([.managedObjects(objects)])
        case (.properties, "Get"), (.properties, "GetAll"): read(call, reply)
        case (.properties, "Set"): write(call, reply)
        case ("org.bluez.AgentManager1", "RegisterAgent"):
            guard clients[call.sender]?.agent == nil else {
                return reply.fail(.blueZ("AlreadyExists"))
            }
            clients[call.sender, default: Client()].agent = call.arguments.first?.objectPath
            reply.succeed()
        case ("org.bluez.Adapter1", "RemoveDevice"):
            guard let path = call.arguments.first?.objectPath, let phone = phones[path] else {
                return reply.fail(.blueZ("DoesNotExist"))
            }
            reply.succeed()
            forget(phone)
        case (.advertisingManager, "RegisterAdvertisement"): advertise(call, reply)
        case (.advertisingManager, "UnregisterAdvertisement"):
            clients[call.sender]?.advertisement = nil
            reply.succeed()
            countAdvertisements()
        case ("org.bluez.Adapter1", "SetDiscoveryFilter"), ("org.bluez.Adapter1", "StartDiscovery"),
            ("org.bluez.Adapter1", "StopDiscovery"):
            answerDiscovery(call, reply)
        case (_, _):
            if let peripheral = peripheral(of: call.path) {
                return answer(call, of: peripheral, reply)
            }
            guard let phone = phones.first(where: { $0.key.isOrIsAbove(call.path) })?.value else {
                return reply.fail(BusError(BusError.unknownMethod, call.member))
            }
            answer(call, of: phone, reply)
        }
    }

    private func answer(_ call: BusMethodCall, of phone: DoublePhone, _ reply: BusReply) {
        switch call.member {
        case "Pair", "WriteValue", "ReadValue", "AcquireNotify":
            guard phone.isConnected else { return reply.fail(.blueZ("Failed", "Not connected")) }
        case _: break
        }
        if call.path.isBelow(phone.media) { return answerMedia(call, of: phone, reply) }
        switch call.member {
        case "Pair": pair(phone, call.sender, reply)
        case "CancelPairing":
            reply.succeed()
            phone.pairingReply?.fail(.blueZ("AuthenticationCanceled"))
            phone.pairingReply = nil
        case "Disconnect":
            reply.succeed()
            disconnect(phone.path)
        case "AcquireNotify": afterWrite(to: phone) { $0.acquire(phone, reply) }
        case "StartNotify": afterWrite(to: phone) { $0.start(phone, call, reply) }
        case "StopNotify":
            unsubscribe(phone, call.sender, from: call.path)
            reply.succeed()
        case "WriteValue": write(call, of: phone, reply)
        case "ReadValue" where call.path == phone.time || call.path == phone.zone:
            guard let values = phone.clockValues else { return reply.fail(.blueZ("Failed")) }
            reply.succeed([.octets(call.path == phone.time ? values.time : values.zone)])
        case "StartNotify" where call.path == phone.time: reply.succeed()
        case "ReadValue":
            let isSubscribed = phone.isSubscribed(to: call.path)
            reply.succeed([.octets([isSubscribed ? 1 : 0, 0])])
        case _: reply.fail(BusError(BusError.unknownMethod, call.member))
        }
    }

    // MARK: Properties

    private func read(_ call: BusMethodCall, _ reply: BusReply) {
        let all = objects[call.path]?[call.arguments.first?.string ?? ""] ?? [:]
        guard call.member == "Get" else { return reply.succeed([.options(all)]) }
        guard let value = all[call.arguments.dropFirst().first?.string ?? ""] else {
            return reply.fail(BusError(BusError.unknownProperty))
        }
        reply.succeed([.variant(value)])
    }

    private func write(_ call: BusMethodCall, _ reply: BusReply) {
        guard call.arguments.count == 3, let interface = call.arguments[0].string,
            let name = call.arguments[1].string, case .variant(let value) = call.arguments[2]
        else { return reply.fail(BusError(BusError.invalidArguments)) }
        reply.succeed()
        change(call.path, interface, [name: value])
    }

    // MARK: The adapter

    /// An adapter is plugged in.
    package func addAdapter(isPowered: Bool = true) {
        add(
            Self.adapter, .adapter,
            [
                "Address": .string("00:1A:7D:DA:71:13"), "Powered": .bool(isPowered),
                "Pairable": .bool(true),
            ])
        add(Self.adapter, .advertisingManager, ["ActiveInstances": .byte(0)])
    }

    /// It is pulled out, and everything below it goes first.
    package func removeAdapter() {
        for phone in phones.values { unlink(phone) }
        for path in objects.keys.sorted(by: { $0.text > $1.text }) where path != Self.manager {
            remove(path)
        }
    }

    /// Bluetooth is switched on or off.
    package func setPower(_ isOn: Bool) {
        if !isOn {
            for phone in phones.values where phone.isConnected { disconnect(phone.path) }
            for peripheral in peripherals.values { linkDown(peripheral) }
            for name in clients.keys { clients[name]?.advertisement = nil }
            countAdvertisements()
        }
        change(Self.adapter, .adapter, ["Powered": .bool(isOn)])
    }

    private func advertise(_ call: BusMethodCall, _ reply: BusReply) {
        guard let path = call.arguments.first?.objectPath else {
            return reply.fail(BusError(BusError.invalidArguments))
        }
        guard clients[call.sender]?.advertisement == nil else {
            return reply.fail(.blueZ("AlreadyExists"))
        }
        let question = BusCall(
            call.sender, path, .properties, "GetAll", [.string("org.bluez.LEAdvertisement1")])
        self.call(question) { double, result in
            guard case .success(let values) = result, let properties = values.first?.properties
            else { return reply.fail(.blueZ("Failed", "no properties")) }
            double.clients[call.sender, default: Client()].advertisement = properties
            reply.succeed()
            double.countAdvertisements()
        }
    }

    /// Says how many are on air, where that has changed.
    package func countAdvertisements() {
        let count = BusValue.byte(UInt8(clients.values.count { $0.advertisement != nil }))
        guard let told = objects[Self.adapter]?[.advertisingManager]?["ActiveInstances"],
            told != count
        else { return }
        change(Self.adapter, .advertisingManager, ["ActiveInstances": count])
    }

    // MARK: Pairing

    private func pair(_ phone: DoublePhone, _ client: String, _ reply: BusReply) {
        guard phone.pairingReply == nil else { return reply.fail(.blueZ("InProgress")) }
        guard !phone.isPaired else { return reply.fail(.blueZ("AlreadyExists")) }
        guard let agent = clients[client]?.agent else {
            return reply.fail(.blueZ("AuthenticationFailed"))
        }
        phone.pairingReply = reply
        let device = BusValue.objectPath(phone.path)
        let (member, arguments): (String, [BusValue]) =
            switch phone.pairing {
            case .justWorks: ("RequestAuthorization", [])
            case .compare(let number): ("RequestConfirmation", [.uint32(number)])
            case .passkeyOfPhone: ("RequestPasskey", [])
            case .passkeyOfAccessory(let number):
                ("DisplayPasskey", [.uint32(number), .uint16(0)])
            }
        let question = BusCall(client, agent, "org.bluez.Agent1", member, [device] + arguments)
        call(question) { double, result in double.agentAnswered(result, phone) }
    }

    private func agentAnswered(_ result: Result<[BusValue], BusError>, _ phone: DoublePhone) {
        // The phone may have gone meanwhile.
        guard phone.pairingReply != nil else { return }
        switch (phone.pairing, result) {
        case (.justWorks, .success), (.compare, .success): paired(phone)
        case (.passkeyOfPhone(let number), .success(let values)):
            if values.first?.integer == Int(number) { return paired(phone) }
            failPairing(phone, "AuthenticationFailed")
        // The user types it when the test says so.
        case (.passkeyOfAccessory, .success): break
        case (_, .failure(.blueZ("Rejected", "Rejected"))):
            failPairing(phone, "AuthenticationRejected")
        case (_, .failure): failPairing(phone, "AuthenticationCanceled")
        }
    }

    private func failPairing(_ phone: DoublePhone, _ error: String) {
        phone.pairingReply?.fail(.blueZ(error))
        phone.pairingReply = nil
    }

    /// Both agree: the property changes, then `Pair` returns, then the services are found.
    package func paired(_ phone: DoublePhone) {
        phone.isPaired = true
        change(
            phone.path, .device,
            [
                "Paired": .bool(true), "Address": .string(phone.identity),
                "UUIDs": .strings([DoublePhone.ancs]),
            ])
        phone.pairingReply?.succeed()
        phone.pairingReply = nil
        addServices(to: phone)
        change(phone.path, .device, ["ServicesResolved": .bool(true)])
    }

    // MARK: Values

    /// Does something that needs a request to the phone: ATT has one at a time. Core Vol 3, Part F, 3.3.2.
    private func afterWrite(
        to phone: DoublePhone, _ body: @escaping @Sendable (isolated BlueZDouble) -> Void
    ) {
        guard phone.write != nil else { return body(self) }
        phone.waiting.append(body)
    }

    /// The command is written, or its link or service is gone.
    func writeEnded(_ phone: DoublePhone) {
        phone.write = nil
        for body in exchange(&phone.waiting, with: []) { body(self) }
    }

    private func acquire(_ phone: DoublePhone, _ reply: BusReply) {
        // The link may have ended meanwhile.
        guard phone.isConnected else { return reply.fail(.blueZ("Failed", "Not connected")) }
        guard phone.socket == nil else {
            return reply.fail(.blueZ("NotPermitted", "Notify acquired"))
        }
        guard let (ours, theirs) = try? makeSocketPair() else {
            return reply.fail(.blueZ("Failed", "no sockets"))
        }
        reply.succeed([.descriptor(BusDescriptor(owning: theirs)), .uint16(247)])
        phone.socket = ours
        phone.watch = try? loop.register(ours, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.hungUp(phone) }
        }
        report(phone, .subscribed(.dataSource))
    }

    /// The program has closed its end.
    private func hungUp(_ phone: DoublePhone) {
        phone.closeSocket(on: loop)
        report(phone, .unsubscribed(.dataSource))
    }

    private func start(_ phone: DoublePhone, _ call: BusMethodCall, _ reply: BusReply) {
        let isData = call.path == phone.data
        guard !isData || phone.socket == nil else {
            return reply.fail(.blueZ("NotPermitted", "Notify acquired"))
        }
        guard phone.subscribers[call.path, default: []].insert(call.sender).inserted else {
            return reply.fail(.blueZ("InProgress"))
        }
        reply.succeed()
        // bluetoothd remembers it for the next link.
        guard phone.isConnected else { return }
        report(phone, .subscribed(isData ? .dataSource : .notificationSource))
    }

    private func unsubscribe(_ phone: DoublePhone, _ client: String, from path: ObjectPath) {
        guard phone.subscribers[path]?.remove(client) != nil,
            phone.subscribers[path]?.isEmpty == true
        else { return }
        // bluetoothd passes on nothing more, whenever the phone learns of it.
        afterWrite(to: phone) { double in
            let characteristic: NotifyingCharacteristic =
                path == phone.data ? .dataSource : .notificationSource
            double.report(phone, .unsubscribed(characteristic))
        }
    }

    /// A program has gone.
    package func unsubscribe(_ phone: DoublePhone, _ client: String) {
        for path in [phone.source, phone.data] { unsubscribe(phone, client, from: path) }
    }

    private func write(_ call: BusMethodCall, of phone: DoublePhone, _ reply: BusReply) {
        guard let value = call.arguments.first?.octets,
            call.arguments.last?.properties?["type"]?.string == "request"
        else { return reply.fail(.blueZ("InvalidArguments")) }
        guard phone.write == nil, !phone.isWrittenByOther else {
            return reply.fail(.blueZ("InProgress"))
        }
        phone.write = reply
        let delay = writeDelay(phone)
        guard delay > .zero else { return report(phone, .controlPointWritten(value)) }
        LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { double in
                // The link, or the service, may be gone meanwhile.
                if phone.write === reply { double.report(phone, .controlPointWritten(value)) }
            }
        }.deadline = loop.now + delay
    }
}

extension ObjectPath {
    fileprivate func isOrIsAbove(_ path: ObjectPath) -> Bool { self == path || path.isBelow(self) }
}
