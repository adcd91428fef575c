internal import LinuxIO

/// An exported object, until it is cancelled.
public struct BusExport: Equatable, Sendable {
    package let path: ObjectPath
    package let key: UInt64

    package init(path: ObjectPath, key: UInt64) {
        self.path = path
        self.key = key
    }
}

/// The connection's state of an exported object.
struct BusExportedObject {
    let key: UInt64
    /// The description of its interfaces: elements of the *Introspection Data Format*.
    let introspection: String
    let handler: @Sendable (BusMethodCall, BusReply) -> Void
}

extension BusConnection {
    /// Exports an object: calls of its methods go to `handler`, including those of
    /// `org.freedesktop.DBus.Properties`. `Peer` and `Introspectable` are answered by the connection, as are
    /// calls with malformed arguments. Each path can be exported once. On the loop only.
    ///
    /// - Parameters:
    ///   - path: The path of the object.
    ///   - introspection: Its interfaces, as elements of D-Bus' *Introspection Data Format*: `<interface
    ///     …>…`.
    ///   - handler: Is called for each method call, and replies at once or later.
    /// - Returns: The value for ``cancel(_:)-(BusExport)``.
    @discardableResult public func export(
        _ path: ObjectPath, introspection: String = "",
        handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) -> BusExport {
        loop.checkIsolated()
        precondition(exports[path] == nil, "\(path) is already exported")
        let key = makeKey()
        if handle != nil {
            exports[path] = BusExportedObject(
                key: key, introspection: introspection, handler: handler)
        }
        return BusExport(path: path, key: key)
    }

    /// Removes an exported object; its handler is not called again. On the loop only; further calls do
    /// nothing.
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
        } catch { answer(message, with: error) }
    }

    private func noObject(at path: ObjectPath) -> BusError {
        BusError(BusError.unknownObject, "there is no object \(path)")
    }

    func answer(_ call: BusMessage, with values: [BusValue]) {
        guard handle != nil else { return }
        do throws(BusError) { try send(BusMessage(answering: call, with: values)) } catch {
            // Otherwise the caller would wait for nothing.
            answer(call, with: BusError(BusError.failed, error.message))
        }
    }

    func answer(_ call: BusMessage, with error: BusError) {
        guard handle != nil else { return }
        let message = try? BusMessage(answering: call, with: error)
        // Our own errors have valid names and messages.
        guard
            let message = try? message
                ?? BusMessage(answering: call, with: BusError(BusError.failed))
        else { return }
        // This fails only if the connection is lost, which is reported elsewhere.
        _ = try? send(message)
    }

    // MARK: Introspection

    /// Describes an object: the objects below it, and its own interfaces. D-Bus specification, *Introspection
    /// Data Format*.
    private func introspect(_ path: ObjectPath, for message: BusMessage) {
        let below = exports.keys.filter { $0.isBelow(path) }
        guard exports[path] != nil || !below.isEmpty else {
            return answer(message, with: noObject(at: path))
        }
        let start = path == .root ? 1 : path.text.utf8.count + 1
        let children = below.map {
            String(decoding: $0.text.utf8.dropFirst(start).prefix { $0 != 0x2F }, as: UTF8.self)
        }
        var nodes = ""
        var last = ""
        for child in children.sorted(byText: { $0 }) where child != last {
            nodes += "<node name=\"\(child)\"/>"
            last = child
        }
        let interfaces = exports[path]?.introspection ?? ""
        answer(message, with: [.string("<node>\(interfaces)\(nodes)</node>")])
    }
}
