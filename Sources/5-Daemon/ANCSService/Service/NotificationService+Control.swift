package import AMS
package import ANCS
internal import ANCSMedia
internal import LinuxIO

// Calls of sinks and commands to the daemon, on the loop's thread.
extension NotificationService: ServiceManagement {
    package nonisolated var records: [Record] { assumeOnLoop { $0.keeper.records } }
    package nonisolated var phones: [PhoneStatus] { assumeOnLoop { $0.keeper.phones } }
    package nonisolated var calls: [(record: Record, isActive: Bool)] {
        assumeOnLoop { $0.keeper.calls }
    }
    package nonisolated var status: ServiceStatus { assumeOnLoop { $0.currentStatus } }
    package nonisolated var apps: [SeenApp] { assumeOnLoop { $0.tally.seen } }
    package nonisolated var mutes: [Mute] {
        assumeOnLoop { $0.rules.mutes.entries(at: $0.environment.time()) }
    }

    package nonisolated func log(_ message: String) { environment.log(message) }

    package nonisolated func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) { start(reply) { service throws(ServiceError) in try await service.perform(action, on: id) } }

    private func perform(_ action: ActionID, on id: RecordID) async throws(ServiceError) {
        let target = try keeper.target(of: id)
        guard let consumer else { throw .noAdapter() }
        do throws(RequestError) {
            try await consumer.perform(action, on: target.uid, in: target.session)
        } catch { throw ServiceError(error) }
        keeper.performed(action, on: id, at: loop.now)
        drain()
    }

    /// Begins what takes a while, and replies on the loop's thread when it has ended.
    private nonisolated func start(
        _ reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void,
        _ body: @escaping @Sendable (NotificationService) async throws(ServiceError) -> Void
    ) {
        Task(executorPreference: loop) {
            do throws(ServiceError) { reply(.success(try await body(self))) } catch {
                reply(.failure(error))
            }
        }
    }

    package nonisolated func send(
        _ command: RemoteCommandID, to digest: String,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) { Task(executorPreference: loop) { await self.carryOut(command, at: digest, reply) } }

    private func carryOut(
        _ command: RemoteCommandID, at digest: String,
        _ reply: @Sendable (Result<Void, ServiceError>) -> Void
    ) async {
        do throws(MediaError) {
            guard let consumer, let phone = keeper.link(to: digest) else { throw .notConnected }
            try await consumer.send(command, to: phone.id)
            reply(.success(()))
        } catch { reply(.failure(ServiceError(error))) }
    }

    package nonisolated func battery(of digest: String, reply: @escaping @Sendable (Int?) -> Void) {
        let address = assumeOnLoop { service in
            service.configuration.bluetooth.isAtBluetoothd
                ? service.keeper.link(to: digest)?.address : nil
        }
        Task(executorPreference: loop) { [environment] in
            guard let address else { return reply(nil) }
            reply(await environment.battery(address))
        }
    }

    package nonisolated func forget(
        _ digest: String, reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) { start(reply) { service throws(ServiceError) in try await service.forget(digest) } }

    private func forget(_ digest: String) async throws(ServiceError) {
        guard let consumer else { throw .noAdapter("; the adapter has the bond") }
        do throws(DeviceError) { try await consumer.forget(digest) } catch {
            throw ServiceError(.refused, error.message)
        }
        keeper.forget(digest)
        rules.forget(digest)
        drain()
    }

    package nonisolated func mute(_ app: String, _ term: MuteTerm) throws(ServiceError) -> String {
        try assumeOnLoop { service in
            Result { () throws(ServiceError) in try service.change(muteOf: app, to: term) }
        }.get()
    }

    /// The muted apps are known too, so that a mute can be ended by what is listed.
    private func knownApps(at time: CaptureTime) -> KnownApps {
        let seen = tally.seen.map { (identifier: $0.identifier, name: $0.displayName) }
        let known = Set(seen.map(\.identifier))
        let muted = rules.mutes.entries(at: time).filter { !known.contains($0.app) }
        return KnownApps(
            seen + muted.map { ($0.app, "") },
            unknown: "has sent a notification since 'ancs serve' started, or is muted by that name")
    }

    private func change(muteOf text: String, to term: MuteTerm) throws(ServiceError) -> String {
        let now = environment.time()
        let app = try knownApps(at: now).identifier(of: text)
        do throws(Rules.UsageError) {
            switch term {
            case .off: _ = rules.unmute(app: app, at: now)
            case .always: try rules.mute(app: app, until: nil, at: now)
            case .today: try rules.mute(app: app, until: LocalTime.midnight(after: now), at: now)
            case .lasting(let duration): try rules.mute(app: app, until: now + duration, at: now)
            }
        } catch { throw .invalid("\(MuteList.maximumCount) apps are muted; that is the limit") }
        environment.saveMutes(rules.mutes)
        return app
    }

    package nonisolated func reload(
        _ reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        do throws(ServiceError) {
            let configuration = try environment.readConfiguration()
            Task(executorPreference: loop) { await self.take(configuration, reply) }
        } catch {
            // The previous configuration remains in use.
            log(error.message)
            loop.execute { [self] in
                assumeOnLoop {
                    $0.rejections = [SinkStatus(isWorking: false, message: error.message)]
                }
                reply(.failure(error))
            }
        }
    }

    private func take(
        _ configuration: ServiceConfiguration,
        _ reply: @Sendable (Result<Void, ServiceError>) -> Void
    ) async {
        rejections = []
        await reconfigure(configuration)
        log("the configuration was reloaded")
        reply(.success(()))
    }

    private var currentStatus: ServiceStatus {
        ServiceStatus(
            name: configuration.bluetooth.name, state: state, isPairingWindowOpen: isWindowOpen,
            face: isWindowOpen ? configuration.bluetooth.face : .solicitation,
            sinks: sinks.map { .init(name: $0.name, status: $0.status) }
                + rejections.map { .init(name: "configuration", status: $0) })
    }
}

extension ServiceError {
    /// The player of a phone did not take a command.
    fileprivate init(_ error: MediaError) {
        let code: Code =
            switch error {
            case .notConfigured, .notConnected, .notAvailable, .ended: .notConnected
            case .notSupported: .actionUnavailable
            case .tooManyCommands, .refused: .refused
            }
        self.init(code, error.message)
    }

    /// A request to the phone failed.
    init(_ error: RequestError) {
        let code: Code =
            switch error.code {
            case .notConnected, .sessionEnded: .notConnected
            case .removed: .unknownRecord
            case .actionUnavailable, .alreadyPerformed: .actionUnavailable
            case .timedOut: .timedOut
            case .refused, .notPerformed, .evicted, .tooManyRequests, .responseTooLong,
                .contentUnavailable, .invalidRequest:
                .refused
            }
        self.init(code, error.message)
    }
}
