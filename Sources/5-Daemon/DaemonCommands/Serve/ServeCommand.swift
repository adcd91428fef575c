internal import ANCSMedia
package import ANCSReceiver
internal import ANCSService
internal import CLinux
package import CommandKit
internal import DBus
internal import Glibc

/// `ancs serve`: the daemon.
package enum ServeCommand {
    /// The Bluetooth of a controller that the daemon has for itself, by its moniker, with its state in a directory.
    /// The daemon knows no host of its own: the program that links one passes it.
    package typealias HostStack =
        @Sendable (
            _ moniker: String, _ stateDirectory: String, RequiredProtection.Authentication
        ) -> Bluetooth

    package static func run(
        _ options: ServeOptions, host: @escaping HostStack, on loop: EventLoop
    ) async -> ExitStatus {
        guard let configuration = options.configuration.read() else { return .usage }
        let review = ConfigurationReview(configuration, path: options.configuration.path)
        if options.isCheck { return check(review, of: options.configuration.path) }
        for fault in review.faults { log(fault.line) }
        // The memory of the daemon holds private content, which must not be written to a core file.
        clinux_forbid_dumps()
        let lock: FileLock
        let mutes: MuteList
        do throws(IOError) {
            // What this daemon removes, such as a history that it is not to keep, may be that of another.
            lock = try FileLock(of: options.stateDirectory + "/serve")
            mutes = try MuteFile(directory: options.stateDirectory).read()
        } catch {
            guard error.code == .busy else { return ExitStatus.report(.transport(error)) }
            let message =
                "another 'ancs serve' uses \(options.stateDirectory): end it, or name another (--state)"
            return CommandFailure(status: .unavailable, message: message).report()
        }
        defer { lock.release() }
        return await run(options, configuration, mutes, host, on: loop)
    }

    /// Prints what was found in a valid configuration.
    private static func check(_ review: ConfigurationReview, of path: String) -> ExitStatus {
        for line in review.lines { StandardStreams.writeError(line) }
        guard review.faults.isEmpty else { return .failure }
        let isThere = access(path, F_OK) == 0
        StandardStreams.writeLine(
            "\(TerminalText.visible(path)): "
                + (isThere
                    ? "no faults" : "there is no such file, so every setting has its default"))
        return .success
    }

    @Sendable private static func log(_ message: String) {
        StandardStreams.writeError("ancs: \(TerminalText.visible(message))")
    }

    private static func run(
        _ options: ServeOptions, _ configuration: ServiceConfiguration, _ mutes: MuteList,
        _ host: @escaping HostStack, on loop: EventLoop
    ) async -> ExitStatus {
        let service = NotificationService(
            configuration, mutes: mutes, on: loop, environment(options, host, on: loop))
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(
                on: loop, others: [SIGHUP],
                take: { number in
                    guard number == SIGHUP else { return false }
                    SignalSource.forgetRequest()
                    service.reload { _ in }
                    return true
                }
            ) { Task(executorPreference: loop) { await service.stop() } }
        } catch { return ExitStatus.report(.transport(error)) }
        defer { requests.cancel() }
        do throws(NotificationService.Failure) {
            try await service.run { control in sinks(options, configuration, control) }
        } catch {
            await service.stop()
            switch error {
            case .permission(let error):
                _ = ExitStatus.report(error)
                return .unavailable
            case .configuration(let error):
                // As with every other command; whatever else it is, it does not pass by a restart.
                let status = ExitStatus.report(error)
                return status == .failure ? .usage : status
            }
        }
        return .success
    }

    /// The destinations of records.
    private static func sinks(
        _ options: ServeOptions, _ configuration: ServiceConfiguration,
        _ control: any ServiceManagement
    ) -> [any Sink] {
        let bus: BusConnection.Bus = options.isSystem ? .system : .session
        let desktop: [any Sink] =
            options.isSystem
            ? []
            : [
                DesktopSink(configuration, control: control),
                MediaSink(configuration, control: control, directory: options.stateDirectory),
            ]
        return desktop + [
            SystemdSink(on: control.loop),
            BusSink(at: bus, version: ToolVersion.current, control: control),
            HistorySink(
                control: control, directory: options.stateDirectory,
                configuration: configuration.history),
            HooksSink(control: control),
            MQTTSink(
                control: control, directory: options.stateDirectory, configuration: configuration,
                version: ToolVersion.current),
        ]
    }

    private static func environment(
        _ options: ServeOptions, _ host: @escaping HostStack, on loop: EventLoop
    ) -> NotificationService.Environment {
        let mutes = MuteFile(directory: options.stateDirectory)
        return NotificationService.Environment(
            makeConsumer: { configuration, selection throws(DeviceError) in
                try consumer(configuration, options, selection, host, on: loop)
            },
            readConfiguration: { () throws(ServiceError) in
                do throws(ConfigurationFaults) {
                    let configuration = try options.configuration.parsed()
                    let path = options.configuration.path
                    for fault in ConfigurationReview(configuration, path: path).faults {
                        log(fault.line)
                    }
                    return configuration
                } catch {
                    let lines = error.faults.map(\.text).joined(separator: "; ")
                    throw ServiceError(
                        .invalidArguments, "the previous configuration stays in use: \(lines)")
                }
            },
            saveMutes: { list in
                do throws(IOError) { try mutes.write(list) } catch {
                    log("muted apps will not be remembered after a restart: \(error.message)")
                }
            },
            obstacles: { await FactsReader.obstaclesToPairing(ownName: $0) },
            battery: { await FactsReader.battery(of: $0) }, log: log)
    }

    private static func consumer(
        _ configuration: ServiceConfiguration, _ options: ServeOptions,
        _ selection: @escaping NotificationService.FetchSelection, _ host: HostStack,
        on loop: EventLoop
    ) throws(DeviceError) -> NotificationConsumer {
        var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
        consumer.showsNameAlways = !configuration.bluetooth.givenName.isEmpty
        consumer.face = configuration.bluetooth.face
        consumer.maximumProviders = configuration.bluetooth.phones
        consumer.memory = MemoryStore(directory: options.stateDirectory)
        consumer.selection = selection
        if configuration.asksForMedia { consumer.media = .init() }
        let history = HistoryFiles(directory: options.stateDirectory)
        consumer.earlierPhones = { HistoryStore.phones(in: history) }
        return try NotificationConsumer(
            consumer,
            at: Bluetooth(
                configuration.bluetooth, standardBonds: options.standardBonds,
                stateDirectory: options.stateDirectory, host),
            on: loop)
    }
}

extension Bluetooth {
    /// The Bluetooth of the configuration. Phones pair only while 'ancs pair' runs, because otherwise there
    /// is no user to confirm it.
    init(
        _ section: ServiceConfiguration.BluetoothSection, standardBonds: BondPolicy,
        stateDirectory: String, _ host: ServeCommand.HostStack
    ) {
        let adapter = section.adapter
        let authentication: RequiredProtection.Authentication =
            switch section.require {
            case .authentication: .inPairing
            case .none: .none
            }
        if adapter == "bluez" || adapter.hasPrefix("bluez:") {
            let name = adapter.dropFirst("bluez:".count)
            self = .bluez(
                name.isEmpty ? "any" : String(name), ability: .keyboardDisplay, window: .closed,
                authentication: authentication, textsOnBus: section.allowsTextsOnBus,
                bonds: section.bonds ?? standardBonds, state: stateDirectory)
        } else {
            self = host(adapter, stateDirectory, authentication)
        }
    }
}

/// The file of manually muted apps, mode 0600.
struct MuteFile: Sendable {
    private let path: String

    init(directory: String) { path = directory + "/mutes.json" }

    /// The muted apps; empty if there is no file. A file of another form is moved aside.
    func read() throws(IOError) -> MuteList {
        guard let octets = try PrivateFile.read(path: path) else { return MuteList() }
        if let json = try? JSONValue(parsing: octets), let list = MuteList(json: json) {
            return list
        }
        StandardStreams.writeError(
            "ancs: \(path) cannot be read as a list of muted apps; it is now \(path).damaged, and no app is "
                + "muted")
        rename(path, path + ".damaged")
        return MuteList()
    }

    func write(_ list: MuteList) throws(IOError) {
        try PrivateFile.write(path: path, contents: Array((list.json.text + "\n").utf8))
    }
}
