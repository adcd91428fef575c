internal import LinuxIO

/// An object of this program that others can call, until the connection is told to cancel it.
public struct BusExport: Hashable, Sendable {
    let path: ObjectPath
    let key: UInt64
}

/// The connection's side of an object.
struct BusExportedObject {
    let key: UInt64
    /// What is said of its interfaces: elements of the *Introspection Data Format*.
    let introspection: String
    let handler: @Sendable (BusMethodCall, BusReply) -> Void
}

extension BusConnection {
    /// Has the calls of an object's methods told to `handler`, those of its properties too, which are methods of
    /// `org.freedesktop.DBus.Properties`. `Peer` and `Introspectable` are answered without it, and so are calls
    /// whose arguments cannot be read. No two objects have the same path. On the loop only.
    ///
    /// - Parameters:
    ///   - path: The object.
    ///   - introspection: Its interfaces, as elements of D-Bus' *Introspection Data Format*: `<interface …>…`.
    ///   - handler: Is told each call, and answers it, now or later.
    /// - Returns: What ``cancel(_:)-(BusExport)`` takes.
    @discardableResult
    public func export(
        _ path: ObjectPath, introspection: String = "",
        handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) -> BusExport {
        loop.checkIsolated()
        precondition(exports[path] == nil, "\(path) is exported already")
        let key = makeKey()
        if handle != nil {
            exports[path] = BusExportedObject(
                key: key, introspection: introspection, handler: handler)
        }
        return BusExport(path: path, key: key)
    }

    /// Takes an object off the bus; its handler is not called again. On the loop only; again does nothing.
    public func cancel(_ export: BusExport) {
        loop.checkIsolated()
        guard exports[export.path]?.key == export.key else { return }
        exports[export.path] = nil
    }

    // MARK: Calls of others

    func receiveCall(_ message: BusMessage) {
        guard let path = message.path else { return }
        if message.interface == "org.freedesktop.DBus.Introspectable",
            message.member == "Introspect"
        {
            return introspect(path, for: message)
        }
        guard let object = exports[path] else { return answer(message, with: noObject(at: path)) }
        do throws(BusError) {
            let call = BusMethodCall(
                from: message.sender, path, message.interface, message.member,
                try message.arguments())
            object.handler(call, BusReply(to: message, on: self))
        } catch {
            answer(message, with: error)
        }
    }

    private func noObject(at path: ObjectPath) -> BusError {
        BusError(BusError.unknownObject, "there is no object \(path)")
    }

    func answer(_ call: BusMessage, with values: [BusValue]) {
        guard handle != nil else { return }
        do throws(BusError) { try send(BusMessage(answering: call, with: values)) } catch {
            // The caller would wait for nothing.
            answer(call, with: BusError(BusError.failed, error.message))
        }
    }

    func answer(_ call: BusMessage, with error: BusError) {
        guard handle != nil else { return }
        let message = try? BusMessage(answering: call, with: error)
        // An error of ours has a valid name, and no message that could be refused.
        guard
            let message = try? message
                ?? BusMessage(answering: call, with: BusError(BusError.failed))
        else { return }
        // It can only fail where the connection is lost, which is told elsewhere.
        _ = try? send(message)
    }

    // MARK: Introspection

    /// Says which objects there are below, and what the object itself says of its interfaces. D-Bus
    /// specification, *Introspection Data Format*.
    private func introspect(_ path: ObjectPath, for message: BusMessage) {
        let below = exports.keys.filter { $0.isBelow(path) }
        guard exports[path] != nil || !below.isEmpty else {
            return answer(message, with: noObject(at: path))
        }
        let start = path == .root ? 1 : path.text.utf8.count + 1
        let children = Set(
            below.map {
                String(decoding: $0.text.utf8.dropFirst(start).prefix { $0 != 0x2F }, as: UTF8.self)
            })
        let nodes = children.sorted().map { "<node name=\"\($0)\"/>" }.joined()
        let interfaces = exports[path]?.introspection ?? ""
        answer(message, with: [.string("<node>\(interfaces)\(nodes)</node>")])
    }
}
