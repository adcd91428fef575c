package import DBus

/// Reads from a bus, with calls that start no program and have a time limit.
package struct BusLook: Sendable {
    package let connection: BusConnection
    package let loop: EventLoop
    private let patience: Duration

    package init(_ bus: BusConnection.Bus, on loop: EventLoop, patience: Duration) throws(IOError) {
        connection = try BusConnection(bus, on: loop)
        self.loop = loop
        self.patience = patience
        loop.execute { [connection] in
            // Pending calls fail.
            connection.open { _ in }
        }
    }

    package func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) async -> BusResult {
        let call = BusCall(destination, path, interface, member, arguments, startsProgram: false)
        return await withCheckedContinuation { continuation in
            loop.execute { [connection, patience] in
                connection.call(call, within: patience) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls the bus itself.
    package func bus(_ member: String, _ arguments: [BusValue] = []) async -> BusResult {
        await call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member,
            arguments)
    }

    /// All properties of an interface of an object.
    package func properties(
        of destination: String, at path: ObjectPath, _ interface: String
    ) async -> Result<[String: BusValue], BusError> {
        await call(
            destination, path, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface)]
        ).map { $0.first?.properties ?? [:] }
    }

    /// The objects of a program, and the properties of their interfaces.
    package func objects(
        of destination: String, at path: ObjectPath
    ) async -> Result<BusObjects, BusError> {
        await call(
            destination, path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
        ).map { values in
            (values.first?.dictionary ?? [:]).compactMap { path, interfaces in
                guard let path = path.objectPath else { return nil }
                var found: [String: [String: BusValue]] = [:]
                for (name, properties) in interfaces.dictionary ?? [:] {
                    guard let name = name.string else { continue }
                    found[name] = properties.properties ?? [:]
                }
                return (path, found)
            }.sorted(byText: \.path.text)
        }
    }

    package func close() { loop.execute { [connection] in connection.close() } }
}

extension BusError {
    /// Whether the called name has no owner.
    var isNobodyThere: Bool { name == Self.serviceUnknown || name == Self.nameHasNoOwner }
}

/// The objects of a program, sorted by path.
package typealias BusObjects = [(path: ObjectPath, interfaces: [String: [String: BusValue]])]

extension FactsReader {
    func lookAtSystemBus(
        on loop: EventLoop
    ) async -> (bluetoothd: Seen<Facts.Bluetoothd>, daemon: Seen<Facts.Daemon?>) {
        switch await open(places.systemBus, on: loop) {
        case .failure(let reason): return (.unseen(because: reason.text), .seen(nil))
        case .success(let look):
            defer { look.close() }
            async let daemon = isSystem ? readDaemon(look) : .seen(nil)
            async let bluetoothd = readBluetoothd(look)
            return await (.seen(bluetoothd), daemon)
        }
    }

    /// The state of bluetoothd alone; `nil` without a system bus.
    func bluetoothd() async -> Facts.Bluetoothd? {
        guard let loop = try? EventLoop(name: "ancs-look") else { return nil }
        defer { loop.shutdown() }
        guard case .success(let look) = await open(places.systemBus, on: loop) else { return nil }
        defer { look.close() }
        return await readBluetoothd(look)
    }

    func lookAtSessionBus(
        on loop: EventLoop
    ) async -> (desktop: Seen<Facts.Desktop>, daemon: Seen<Facts.Daemon?>) {
        guard !isSystem else { return (.unseen(because: "a gateway has no desktop"), .seen(nil)) }
        switch await open(places.sessionBus, on: loop) {
        case .failure(let reason): return (.unseen(because: reason.text), .seen(nil))
        case .success(let look):
            defer { look.close() }
            async let daemon = readDaemon(look)
            async let desktop = readDesktop(look)
            return await (desktop, daemon)
        }
    }

    private struct Reason: Error { var text: String }

    /// Connects to a bus and waits until the bus has answered `Hello`.
    private func open(
        _ bus: BusConnection.Bus, on loop: EventLoop
    ) async -> Result<BusLook, Reason> {
        let look: BusLook
        do throws(IOError) { look = try BusLook(bus, on: loop, patience: places.patience) } catch {
            return .failure(Reason(text: error.message))
        }
        switch await look.bus("GetId") {
        case .success: return .success(look)
        case .failure(let error):
            look.close()
            return .failure(Reason(text: error.message))
        }
    }

    // MARK: The daemon

    private func readDaemon(_ look: BusLook) async -> Seen<Facts.Daemon?> {
        switch await look.objects(of: BusNames.service, at: BusNames.root) {
        case .failure(let error) where error.isNobodyThere: return .seen(nil)
        case .failure(let error) where error.name == BusError.accessDenied:
            return .unseen(because: "the bus does not let this user call the daemon")
        case .failure(let error) where error.name == BusError.noReply:
            return .unseen(because: "the daemon is running, but does not answer")
        case .failure(let error):
            return .unseen(because: "the daemon answers with an error: \(error.message)")
        case .success(let objects):
            var daemon = Facts.Daemon()
            daemon.phones = objects.compactMap { object in
                object.interfaces[BusNames.phone].map { PhoneStatus($0) }
            }
            await readManager(look, &daemon)
            return .seen(daemon)
        }
    }

    private func readManager(_ look: BusLook, _ daemon: inout Facts.Daemon) async {
        let answer = await look.properties(
            of: BusNames.service, at: BusNames.root, BusNames.manager)
        let properties = (try? answer.get()) ?? [:]
        daemon.version = properties["Version"]?.string ?? ""
        daemon.name = properties["Name"]?.string ?? ""
        daemon.message = properties["Message"]?.string ?? ""
        daemon.phase =
            properties["State"]?.string.flatMap { ServiceState.Phase(rawValue: $0) } ?? .running
        let sinks = await look.call(BusNames.service, BusNames.root, BusNames.manager, "Sinks")
        daemon.sinks = ((try? sinks.get())?.first?.array ?? []).compactMap {
            ServiceStatus.SinkEntry($0)
        }
    }

    // MARK: The desktop

    /// Desktop Notifications Specification, *D-Bus Protocol*.
    private func readDesktop(_ look: BusLook) async -> Seen<Facts.Desktop> {
        func ask(_ member: String) async -> BusResult {
            await look.call(DesktopCalls.service, DesktopCalls.path, DesktopCalls.service, member)
        }
        var desktop = Facts.Desktop()
        switch await ask("GetServerInformation") {
        case .failure(let error) where error.isNobodyThere:
            let names = (try? await look.bus("ListActivatableNames").get())?.first?.strings ?? []
            desktop.server = names.contains(DesktopCalls.service) ? .startable : .none
        case .failure(let error):
            return .unseen(because: "the notification server does not answer: \(error.message)")
        case .success(let values):
            desktop.name = values.first?.string ?? ""
            desktop.version = values.count > 2 ? values[2].string ?? "" : ""
            desktop.capabilities = (try? await ask("GetCapabilities").get())?.first?.strings ?? []
            desktop.isPaused = await isPaused(look, desktop.name)
        }
        return .seen(desktop)
    }

    /// Whether the user has paused notifications, for the servers that report it: dunst and Plasma. Others
    /// are not asked.
    private func isPaused(_ look: BusLook, _ server: String) async -> Bool? {
        let property: (interface: String, name: String)
        switch server.lowercased() {
        case "dunst": property = ("org.dunstproject.cmd0", "paused")
        case "plasma": property = (DesktopCalls.service, "Inhibited")
        case _: return nil
        }
        let answer = await look.call(
            DesktopCalls.service, DesktopCalls.path, "org.freedesktop.DBus.Properties", "Get",
            [.string(property.interface), .string(property.name)])
        return (try? answer.get())?.first?.bool
    }
}
