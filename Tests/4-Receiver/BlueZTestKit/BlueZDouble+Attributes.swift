package import DBus
internal import DBusTestKit
internal import Glibc
internal import LinuxIO
internal import Octets

// The attributes of devices, as src/gatt-client.c passes them on.
extension BlueZDouble {
    func answerAttribute(
        _ call: BusMethodCall, of peripheral: DoublePeripheral, _ reply: BusReply
    ) {
        guard let index = peripheral.index(at: call.path) else {
            return reply.fail(BusError(BusError.unknownMethod, call.member))
        }
        let path = call.path
        switch call.member {
        case "StopNotify":
            // Of whichever program it is.
            if hasSocket(path, of: peripheral) {
                peripheral.kept[path] = nil
                closeSocket(path, of: peripheral)
                return reply.succeed()
            }
            guard peripheral.subscribers[path]?.remove(call.sender) != nil else {
                return reply.fail(.blueZ("Failed", "No notify session started"))
            }
            reply.succeed()
            tellNotifying(path, of: peripheral)
            return
        case "StartNotify":
            guard !peripheral.isDisconnecting else { return reply.fail(.blueZ("NotConnected")) }
            guard !hasSocket(path, of: peripheral) else {
                return reply.fail(.blueZ("NotPermitted", "Notify acquired"))
            }
            // On a dead link it succeeds, and the next one has the subscription.
            guard peripheral.isConnected else {
                peripheral.subscribers[path, default: []].insert(call.sender)
                return reply.succeed()
            }
        case "AcquireNotify":
            guard peripheral.isConnected else {
                return reply.fail(.blueZ("Failed", "Not connected"))
            }
            guard !hasSocket(path, of: peripheral) else {
                return reply.fail(.blueZ("NotPermitted", "Notify acquired"))
            }
            guard peripheral.subscribers[path, default: []].isEmpty else {
                return reply.fail(.blueZ("InProgress", "In Progress"))
            }
        case "WriteValue":
            guard peripheral.isConnected else {
                return reply.fail(.blueZ("Failed", "Not connected"))
            }
            let isWriting = peripheral.requests.contains {
                $0.call.member == "WriteValue" && $0.call.path == path
            }
            guard !isWriting else { return reply.fail(.blueZ("InProgress", "In Progress")) }
        case _:
            guard peripheral.isConnected else {
                return reply.fail(.blueZ("Failed", "Not connected"))
            }
        }
        guard peripheral.characteristics[index].canNotify || !call.member.hasSuffix("Notify")
        else { return reply.fail(.blueZ("NotSupported")) }
        peripheral.requests.append(DoublePeripheral.Request(call: call, reply: reply))
        if !peripheral.isRequesting { requestNext(of: peripheral) }
    }

    /// Whether there is a socket, or a program waits for one.
    private func hasSocket(_ path: ObjectPath, of peripheral: DoublePeripheral) -> Bool {
        peripheral.sockets[path] != nil || peripheral.kept[path] != nil
            || peripheral.requests.contains {
                $0.call.member == "AcquireNotify" && $0.call.path == path
            }
    }

    /// Makes the first request of the device. One that is refused for want of security stays until there is a bond.
    func requestNext(of peripheral: DoublePeripheral) {
        guard let request = peripheral.requests.first, peripheral.isConnected,
            let index = peripheral.index(at: request.call.path)
        else {
            peripheral.isRequesting = false
            return
        }
        peripheral.isRequesting = true
        let characteristic = peripheral.characteristics[index]
        guard !characteristic.isProtected || peripheral.isPaired else { return }
        let link = peripheral.link
        later(peripheral.requestTime) { double in
            guard peripheral.link == link, !peripheral.requests.isEmpty else { return }
            peripheral.requests.removeFirst()
            double.carryOut(request, index, of: peripheral)
            double.requestNext(of: peripheral)
        }
    }

    private func carryOut(
        _ request: DoublePeripheral.Request, _ index: Int, of peripheral: DoublePeripheral
    ) {
        let (call, reply) = (request.call, request.reply)
        switch call.member {
        case "ReadValue":
            let value = peripheral.characteristics[index].value
            // Each value that is read is broadcast.
            change(call.path, .characteristic, ["Value": .octets(value)])
            reply.succeed([.octets(value)])
        case "WriteValue":
            let value = call.arguments.first?.octets ?? []
            peripheral.written.append(value)
            peripheral.characteristics[index].value = value
            reply.succeed()
        case "StartNotify":
            peripheral.subscribers[call.path, default: []].insert(call.sender)
            tellNotifying(call.path, of: peripheral)
            reply.succeed()
        case _: acquire(request, of: peripheral)
        }
    }

    private func acquire(_ request: DoublePeripheral.Request, of peripheral: DoublePeripheral) {
        let path = request.call.path
        guard let (ours, theirs) = try? makeSocketPair() else {
            return request.reply.fail(.blueZ("Failed", "no sockets"))
        }
        let watch = try? loop.register(ours, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.closeSocket(path, of: peripheral) }
        }
        peripheral.sockets[path] = DoublePeripheral.Socket(
            descriptor: ours, watch: watch, client: request.call.sender)
        change(path, .characteristic, ["NotifyAcquired": .bool(true)])
        request.reply.succeed([.descriptor(BusDescriptor(owning: theirs)), .uint16(Self.mtu)])
    }

    func closeSocket(_ path: ObjectPath, of peripheral: DoublePeripheral) {
        guard let socket = peripheral.sockets.removeValue(forKey: path) else { return }
        if let watch = socket.watch { loop.unregister(watch) }
        close(socket.descriptor)
        if objects[path] != nil {
            change(path, .characteristic, ["NotifyAcquired": .bool(false)])
        }
    }

    private func tellNotifying(_ path: ObjectPath, of peripheral: DoublePeripheral) {
        let isNotifying = peripheral.subscribers[path]?.isEmpty == false
        change(path, .characteristic, ["Notifying": .bool(isNotifying)])
    }

    /// Another program has subscribed to a characteristic by signals.
    package func subscribe(_ client: String, to path: ObjectPath, of peripheral: DoublePeripheral) {
        peripheral.subscribers[path, default: []].insert(client)
        tellNotifying(path, of: peripheral)
    }

    /// A device notifies a value to all that have subscribed.
    package func notify(_ value: [UInt8], of uuid: String, by peripheral: DoublePeripheral) {
        guard peripheral.isConnected,
            let characteristic = peripheral.characteristics.first(where: { $0.uuid == uuid })
        else { return }
        let path = peripheral.path(of: characteristic)
        if let socket = peripheral.sockets[path] {
            _ = send(
                socket.descriptor, value, value.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
        } else if peripheral.subscribers[path]?.isEmpty == false {
            change(path, .characteristic, ["Value": .octets(value)])
        }
    }

    /// Whether any program is subscribed to a characteristic of a device.
    package func isSubscribed(to uuid: String, of peripheral: DoublePeripheral) -> Bool {
        peripheral.characteristics.filter { $0.uuid == uuid }.contains { characteristic in
            let path = peripheral.path(of: characteristic)
            return peripheral.sockets[path] != nil
                || peripheral.subscribers[path]?.isEmpty == false
        }
    }

    /// A program has gone.
    func programEnded(_ client: String) {
        discoverers.remove(client)
        filters[client] = nil
        for peripheral in peripherals.values {
            for path in peripheral.subscribers.keys
            where peripheral.subscribers[path]?.remove(client) != nil {
                tellNotifying(path, of: peripheral)
            }
            for (path, socket) in peripheral.sockets where socket.client == client {
                closeSocket(path, of: peripheral)
            }
        }
    }
}
