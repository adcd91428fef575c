internal import ANCSService
package import CommandKit
internal import DBus
internal import Glibc

/// A command's connection to the daemon over a message bus.
package actor ServiceClient: LoopActor {
    /// Why the daemon cannot be reached, or the error that it returned.
    package typealias Failure = CommandFailure

    package nonisolated var loop: EventLoop { bus.loop }
    private nonisolated let bus: BusLook

    private init(_ bus: BusLook) { self.bus = bus }

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
        } catch { return error.report() }
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
            guard let bus = try? BusLook(place, on: loop, patience: .seconds(25)) else { continue }
            hasBus = true
            let answer = await bus.bus("NameHasOwner", [.string(BusNames.service)])
            if (try? answer.get())?.first?.bool == true { return ServiceClient(bus) }
            bus.close()
        }
        let names = places.map(\.name).joined(separator: " or the ")
        throw Failure(
            status: .unavailable,
            message: hasBus
                ? "'ancs serve' is not running: \(BusNames.service) is not on the \(names) bus; start it "
                    + "with \(start)"
                : "'ancs serve' cannot be asked: the \(names) bus is not there; 'ancs doctor' says what is missing"
        )
    }

    func close() { bus.connection.close() }

    // MARK: Calls

    /// Calls a method of the daemon.
    func call(
        _ member: String, _ arguments: [BusValue] = [], of interface: String = BusNames.manager,
        at path: ObjectPath = BusNames.root
    ) async throws(Failure) -> [BusValue] {
        try await bus.call(BusNames.service, path, interface, member, arguments)
            .mapError(Failure.init).get()
    }

    /// All objects with an interface, and their properties.
    func objects(
        of interface: String
    ) async throws(Failure) -> [(path: ObjectPath, properties: [String: BusValue])] {
        try await bus.objects(of: BusNames.service, at: BusNames.root).mapError(Failure.init).get()
            .compactMap { object in
                object.interfaces[interface].map { (object.path, $0) }
            }
    }

    /// The phones that it knows.
    func phones() async throws(Failure) -> [PhoneStatus] {
        try await objects(of: BusNames.phone).map { PhoneStatus($0.properties) }
    }

    /// The properties of the daemon itself.
    func properties() async throws(Failure) -> [String: BusValue] {
        try await bus.properties(of: BusNames.service, at: BusNames.root, BusNames.manager)
            .mapError(Failure.init).get()
    }

    /// The signals of the daemon's objects, until the task is cancelled; `nil` once the daemon has ended.
    func signals(_ interface: String, _ member: String? = nil) -> AsyncStream<BusSignal?> {
        // The queue stays short: signals are small, and content is read separately.
        let (stream, continuation) = AsyncStream<BusSignal?>.makeStream(
            bufferingPolicy: .bufferingOldest(20_000))
        let match = BusMatch(sender: BusNames.service, interface: interface, member: member)
        bus.connection.signals(match) { continuation.yield($0) }
        bus.connection.watch(name: BusNames.service) { owner in
            guard owner == nil else { return }
            continuation.yield(nil)
            continuation.finish()
        }
        return stream
    }
}

extension CommandFailure {
    fileprivate init(_ error: BusError) {
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
