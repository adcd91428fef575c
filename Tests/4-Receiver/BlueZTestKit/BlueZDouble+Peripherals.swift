internal import DBus
internal import DBusTestKit
internal import Glibc
internal import LinuxIO
internal import Octets

// bluetoothd as a Central: devices that a discovery finds, their links, and what programs share of them. The answers
// and their order are those of src/device.c and src/adapter.c.
extension BlueZDouble {
    /// How long it waits for a device that it does not hear.
    static let connectTime = Duration.seconds(20)
    /// How long it takes to end a link (`DISCONNECT_TIMER`).
    static let disconnectTime = Duration.seconds(2)
    /// How long a device is kept that has no bond (`TemporaryTimeout`).
    static let temporaryTime = Duration.seconds(30)
    static let mtu: UInt16 = 185

    /// A device exists, which a discovery may find.
    package func addPeripheral(_ peripheral: DoublePeripheral) {
        peripherals[peripheral.path] = peripheral
        if peripheral.isPaired, connection != nil, objects[peripheral.path] == nil {
            publish(peripheral)
        }
        discover()
    }

    /// The device that an object belongs to.
    func peripheral(of path: ObjectPath) -> DoublePeripheral? {
        peripherals.values.first { $0.path == path || path.isBelow($0.path) }
    }

    /// Something happens later, if bluetoothd still runs.
    func later(
        _ delay: Duration, _ body: @escaping @Sendable (isolated BlueZDouble) -> Void
    ) {
        let run = runs
        LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { double in if double.runs == run { body(double) } }
        }.deadline = loop.now + delay
    }

    // MARK: Discovery

    func answerDiscovery(_ call: BusMethodCall, _ reply: BusReply) {
        guard objects[Self.adapter]?[.adapter]?["Powered"] == .bool(true) else {
            return reply.fail(.blueZ("NotReady", "Resource Not Ready"))
        }
        switch call.member {
        case "SetDiscoveryFilter":
            filters[call.sender] = call.arguments.first?.properties?["UUIDs"]?.strings ?? []
            reply.succeed()
        case "StartDiscovery":
            guard discoverers.insert(call.sender).inserted else {
                return reply.fail(.blueZ("InProgress", "Operation already in progress"))
            }
            reply.succeed()
        case _:
            guard discoverers.remove(call.sender) != nil else {
                return reply.fail(.blueZ("Failed", "No discovery started"))
            }
            reply.succeed()
        }
        discover()
    }

    /// Publishes what any program looks for.
    package func discover() {
        let wanted = discoverers.map { filters[$0] ?? [] }
        for peripheral in peripherals.values.sorted(by: { $0.path.text < $1.path.text })
        where peripheral.isInRange && !peripheral.isConnected {
            let isWanted = wanted.contains {
                $0.isEmpty
                    || $0.contains { $0.lowercased() == peripheral.serviceUUID.lowercased() }
            }
            guard isWanted else { continue }
            if objects[peripheral.path] == nil {
                publish(peripheral, isHeard: true)
            } else {
                change(peripheral.path, .device, ["RSSI": .int16(-55)])
            }
        }
    }

    private func publish(_ peripheral: DoublePeripheral, isHeard: Bool = false) {
        var properties: Properties = [
            "Adapter": .objectPath(Self.adapter), "Address": .string(peripheral.address),
            "AddressType": .string("random"), "Connected": .bool(peripheral.isConnected),
            "Paired": .bool(peripheral.isPaired), "ServicesResolved": .bool(false),
            "UUIDs": .strings([peripheral.serviceUUID]),
        ]
        if isHeard { properties["RSSI"] = .int16(-55) }
        add(peripheral.path, .device, properties)
        // What it knows of a bonded device outlives the link.
        if peripheral.isPaired { addAttributes(of: peripheral) }
        expire(peripheral)
    }

    private func addAttributes(of peripheral: DoublePeripheral) {
        for (path, interface, properties) in peripheral.attributes(mtu: Self.mtu)
        where objects[path] == nil {
            add(path, interface, properties)
        }
    }

    /// A device without a bond is forgotten some time after its link.
    private func expire(_ peripheral: DoublePeripheral) {
        guard !peripheral.isPaired, !peripheral.isConnected else { return }
        let link = peripheral.link
        later(Self.temporaryTime) { double in
            guard !peripheral.isPaired, !peripheral.isConnected, peripheral.link == link,
                peripheral.connectReply == nil
            else { return }
            double.withdraw(peripheral)
        }
    }

    private func withdraw(_ peripheral: DoublePeripheral) {
        for path in objects.keys.sorted(by: { $0.text > $1.text })
        where path == peripheral.path || path.isBelow(peripheral.path) {
            remove(path)
        }
        peripheral.kept = [:]
    }

    // MARK: Links

    func answer(_ call: BusMethodCall, of peripheral: DoublePeripheral, _ reply: BusReply) {
        switch call.member {
        case "Connect": connect(peripheral, reply)
        case "Disconnect": disconnect(peripheral, call.sender, reply)
        case "Pair": pair(peripheral, reply)
        case "ReadValue", "WriteValue", "AcquireNotify", "StartNotify", "StopNotify":
            answerAttribute(call, of: peripheral, reply)
        case _: reply.fail(BusError(BusError.unknownMethod, call.member))
        }
    }

    private func connect(_ peripheral: DoublePeripheral, _ reply: BusReply) {
        guard peripheral.connectReply == nil, peripheral.pairingReply == nil else {
            return reply.fail(.blueZ("InProgress", "In Progress"))
        }
        guard !peripheral.isConnected else { return reply.succeed() }
        peripheral.connectReply = reply
        guard peripheral.isInRange else {
            return later(Self.connectTime) { double in
                guard peripheral.connectReply === reply else { return }
                peripheral.connectReply = nil
                reply.fail(.blueZ("Failed", "le-connection-abort-by-local"))
                double.expire(peripheral)
            }
        }
        later(.milliseconds(50)) { double in
            guard peripheral.connectReply === reply else { return }
            peripheral.connectReply = nil
            double.linkUp(peripheral)
            reply.succeed()
        }
    }

    /// A link comes up: by a program, or because a bonded device is back.
    package func linkUp(_ peripheral: DoublePeripheral) {
        guard !peripheral.isConnected, connection != nil else { return }
        peripheral.isConnected = true
        peripheral.link += 1
        let link = peripheral.link
        if objects[peripheral.path] == nil { publish(peripheral) }
        change(peripheral.path, .device, ["Connected": .bool(true)])
        later(.milliseconds(100)) { double in
            guard peripheral.link == link, peripheral.isConnected else { return }
            double.addAttributes(of: peripheral)
            double.change(peripheral.path, .device, ["ServicesResolved": .bool(true)])
        }
    }

    private func disconnect(
        _ peripheral: DoublePeripheral, _ client: String, _ reply: BusReply
    ) {
        peripheral.connectReply?.fail(.blueZ("Failed", "br-connection-canceled"))
        peripheral.connectReply = nil
        guard peripheral.isConnected else { return reply.succeed() }
        peripheral.enders.append(client)
        guard !exchange(&peripheral.isDisconnecting, with: true) else { return reply.succeed() }
        let link = peripheral.link
        later(Self.disconnectTime) { double in
            if peripheral.link == link { double.linkDown(peripheral, reason: "Local") }
            reply.succeed()
        }
    }

    /// The link of a device ends, for a reason that is reported since 5.83.
    package func linkDown(_ peripheral: DoublePeripheral, reason: String? = "Remote") {
        guard peripheral.isConnected else { return }
        unlink(peripheral)
        change(peripheral.path, .device, ["ServicesResolved": .bool(false)])
        if let reason {
            emit(
                peripheral.path, .device, "Disconnected",
                [.string("org.bluez.Reason.\(reason)"), .string("")])
        }
        change(peripheral.path, .device, ["Connected": .bool(false)])
        expire(peripheral)
    }

    /// What a link had is gone with it. The subscriptions of `StartNotify` remain.
    func unlink(_ peripheral: DoublePeripheral) {
        peripheral.isConnected = false
        peripheral.isDisconnecting = false
        peripheral.link += 1
        for path in peripheral.sockets.keys.sorted(by: { $0.text < $1.text }) {
            closeSocket(path, of: peripheral)
        }
        peripheral.isRequesting = false
        for request in exchange(&peripheral.requests, with: []) {
            if peripheral.keepsSockets, request.call.member == "AcquireNotify" {
                peripheral.kept[request.call.path] = request.reply
                continue
            }
            request.reply.fail(.blueZ("Failed", "Operation failed"))
        }
        peripheral.pairingReply?.fail(.blueZ("AuthenticationCanceled"))
        peripheral.pairingReply = nil
    }

    /// bluetoothd ends, or its adapter.
    func unlinkPeripherals() {
        discoverers = []
        filters = [:]
        for peripheral in peripherals.values {
            peripheral.connectReply?.fail(.blueZ("NotReady"))
            peripheral.connectReply = nil
            unlink(peripheral)
        }
    }

    /// bluetoothd has begun again, and knows the devices that have bonds.
    func publishPeripherals() {
        for peripheral in peripherals.values {
            peripheral.subscribers = [:]
            peripheral.kept = [:]
            if peripheral.isPaired { publish(peripheral) }
        }
    }

    // MARK: Pairing

    private func pair(_ peripheral: DoublePeripheral, _ reply: BusReply) {
        guard peripheral.pairingReply == nil, peripheral.connectReply == nil else {
            return reply.fail(.blueZ("InProgress"))
        }
        guard !peripheral.isPaired else { return reply.fail(.blueZ("AlreadyExists")) }
        guard peripheral.isConnected else { return reply.fail(.blueZ("Failed", "Not connected")) }
        peripheral.pairingReply = reply
        later(.milliseconds(200)) { double in
            guard peripheral.pairingReply === reply else { return }
            peripheral.pairingReply = nil
            peripheral.isPaired = true
            double.change(peripheral.path, .device, ["Paired": .bool(true)])
            reply.succeed()
            // What was refused is repeated.
            double.requestNext(of: peripheral)
        }
    }
}
