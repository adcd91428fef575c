internal import ANCSService
internal import CommandKit
internal import DBus
internal import Glibc

/// A command's connection to the daemon over a message bus.
package actor ServiceClient: LoopActor {
    /// Why the daemon cannot be reached, or the error that it returned, for the user.
    package struct Failure: Error, Equatable, Sendable {
        var status: ExitStatus
        var message: String
    }

    nonisolated let loop: EventLoop
    private let bus: BusConnection

    private init(_ bus: BusConnection, on loop: EventLoop) {
        self.bus = bus
        self.loop = loop
    }

    /// Runs a command with a connection to the daemon, and reports errors.
    ///
    /// - Parameters:
    ///   - usesSystemBus: Whether to use the system-wide daemon; `nil` for the user's own daemon if it runs,
    ///     else the system-wide one.
    ///   - loop: The loop of the command.
    ///   - body: The command.
    /// - Returns: The exit status.
    static func run(
        usesSystemBus: Bool?, on loop: EventLoop,
        _ body: @Sendable (ServiceClient) async throws(Failure) -> ExitStatus
    ) async -> ExitStatus {
        do throws(Failure) {
            let client = try await connect(usesSystemBus: usesSystemBus, on: loop)
            let status = try await body(client)
            await client.close()
            return status
        } catch { return report(error) }
    }

    private static func report(_ failure: Failure) -> ExitStatus {
        StandardStreams.writeError("ancs: \(TerminalText.visible(failure.message))")
        return failure.status
    }

    /// What starts the daemon, for the user.
    private static let start = "'systemctl --user start ancs' or 'ancs serve'"
    /// The daemon has ended during a command.
    static let ended =
        "'ancs serve' has ended: start it again with \(start), then repeat this command"

    static func connect(
        usesSystemBus: Bool?, on loop: EventLoop
    ) async throws(Failure) -> ServiceClient {
        let places: [(place: BusConnection.Bus, name: String)] =
            switch usesSystemBus {
            case true?: [(.system, "system")]
            case false?: [(.session, "user's")]
            case nil: [(.session, "user's"), (.system, "system")]
            }
        var hasBus = false
        for (place, _) in places {
            guard let client = await connect(to: place, on: loop) else { continue }
            hasBus = true
            if await client.isDaemonThere { return client }
            await client.close()
        }
        let names = places.map(\.name).joined(separator: " or the ")
        throw Failure(
            status: .unavailable,
            message: hasBus
                ? "'ancs serve' is not running: \(BusNames.service) is not on the \(names) bus; start it "
                    + "with \(start)"
                : "'ancs serve' cannot be asked: there is no \(names) bus; 'ancs doctor' says what is missing"
        )
    }

    private static func connect(
        to place: BusConnection.Bus, on loop: EventLoop
    ) async -> ServiceClient? {
        await withCheckedContinuation { continuation in
            loop.execute {
                do throws(IOError) {
                    let bus = try BusConnection(place, on: loop)
                    bus.open { _ in }
                    continuation.resume(returning: ServiceClient(bus, on: loop))
                } catch { continuation.resume(returning: nil) }
            }
        }
    }

    func close() { bus.close() }

    // MARK: Calls

    private var isDaemonThere: Bool {
        get async {
            let result = await answer(to: .bus("NameHasOwner", [.string(BusNames.service)]))
            return (try? result.get())?.first?.bool == true
        }
    }

    private func answer(to call: BusCall) async -> Result<[BusValue], BusError> {
        await withCheckedContinuation { continuation in
            bus.call(call, within: .seconds(25)) { continuation.resume(returning: $0) }
        }
    }

    /// Calls a method of the daemon.
    func call(
        _ member: String, _ arguments: [BusValue] = [], of interface: String = BusNames.manager,
        at path: ObjectPath = BusNames.root
    ) async throws(Failure) -> [BusValue] {
        let call = BusCall(
            BusNames.service, path, interface, member, arguments, startsProgram: false)
        switch await answer(to: call) {
        case .success(let values): return values
        case .failure(let error): throw Failure(error)
        }
    }

    /// All objects with an interface, and their properties.
    func objects(
        of interface: String
    ) async throws(Failure) -> [(path: ObjectPath, properties: [String: BusValue])] {
        let values = try await call(
            "GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager")
        let objects = (values.first?.dictionary ?? [:]).compactMap { path, interfaces in
            path.objectPath.flatMap { path in
                interfaces.dictionary?[.string(interface)]?.properties.map { (path, $0) }
            }
        }
        return objects.sorted(byText: \.0.text)
    }

    /// The properties of the daemon itself.
    func properties() async throws(Failure) -> [String: BusValue] {
        let values = try await call(
            "GetAll", [.string(BusNames.manager)], of: "org.freedesktop.DBus.Properties")
        return values.first?.properties ?? [:]
    }

    /// The signals of the daemon's objects, until the task is cancelled; `nil` once the daemon has ended.
    func signals(_ interface: String, _ member: String? = nil) -> AsyncStream<BusSignal?> {
        // The queue stays short: signals are small, and content is read separately.
        let (stream, continuation) = AsyncStream<BusSignal?>.makeStream(
            bufferingPolicy: .bufferingOldest(20_000))
        let match = BusMatch(sender: BusNames.service, interface: interface, member: member)
        bus.signals(match) { continuation.yield($0) }
        bus.watch(name: BusNames.service) { owner in
            guard owner == nil else { return }
            continuation.yield(nil)
            continuation.finish()
        }
        return stream
    }
}

extension ServiceClient.Failure {
    init(_ error: BusError) {
        if let error = ServiceError(error) {
            self.init(
                status: error.code == .invalidArguments ? .usage : .failure, message: error.message)
        } else if error.name == BusError.accessDenied {
            self.init(
                status: .unavailable,
                message: "this user may not use the gateway: ask its administrator to add you "
                    + "to the group 'ancs'")
        } else {
            self.init(status: .failure, message: error.message.isEmpty ? error.name : error.message)
        }
    }
}
