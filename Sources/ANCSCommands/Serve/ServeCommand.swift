internal import ANCSKit
internal import ANCSService
internal import CLinux
internal import DBus
internal import Glibc
internal import JSONText
internal import LinuxIO

/// `ancs serve`: the daemon.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitStatus {
        guard let configuration = options.configuration.read() else { return .usage }
        if options.isCheck {
            let path = TerminalText.visible(options.configuration.path)
            StandardStreams.writeLine("\(path): nothing is wrong with it")
            return .success
        }
        // What it holds in memory is nobody else's, and not for a file.
        clinux_forbid_dumps()
        let loop: EventLoop
        let mutes: MuteList
        do throws(IOError) {
            mutes = try MuteFile(directory: options.stateDirectory).read()
            loop = try EventLoop()
        } catch { return ExitStatus.report(.transport(error)) }
        return await withTaskExecutorPreference(loop) {
            await run(options, configuration, mutes, on: loop)
        }
    }

    private static func run(
        _ options: ServeOptions, _ configuration: ServiceConfiguration, _ mutes: MuteList,
        on loop: EventLoop
    ) async -> ExitStatus {
        defer { loop.shutdown() }
        let service = NotificationService(
            configuration, mutes: mutes, on: loop, environment(options, on: loop))
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
            ) { Task { await service.stop() } }
        } catch { return ExitStatus.report(.transport(error)) }
        defer { requests.cancel() }
        do throws(NotificationService.Failure) {
            try await service.run { control in
                sinks(options, configuration, control)
            }
        } catch {
            await service.stop()
            switch error {
            case .permission(let error):
                _ = ExitStatus.report(error)
                return .unavailable
            case .configuration(let error):
                _ = ExitStatus.report(error)
                return .usage
            }
        }
        return .success
    }

    /// Where records go: a line for each place.
    private static func sinks(
        _ options: ServeOptions, _ configuration: ServiceConfiguration,
        _ control: any ServiceManagement
    ) -> [any Sink] {
        let bus: BusConnection.Bus = options.isSystem ? .system : .session
        let desktop: [any Sink] =
            options.isSystem ? [] : [DesktopSink(configuration, control: control)]
        return desktop + [
            SystemdSink(on: control.loop),
            BusSink(at: bus, version: Tool.version, control: control),
            HistorySink(
                control: control, directory: options.stateDirectory,
                configuration: configuration.history),
            HooksSink(control: control),
            MQTTSink(
                control: control, directory: options.stateDirectory, configuration: configuration,
                version: Tool.version),
        ]
    }

    private static func environment(
        _ options: ServeOptions, on loop: EventLoop
    ) -> NotificationService.Environment {
        let mutes = MuteFile(directory: options.stateDirectory)
        let log: @Sendable (String) -> Void = { message in
            StandardStreams.writeError("ancs: \(TerminalText.visible(message))")
        }
        return NotificationService.Environment(
            makeConsumer: { configuration, selection throws(DeviceError) in
                try consumer(configuration, options, selection, on: loop)
            },
            readConfiguration: { () throws(ServiceError) in
                do throws(ConfigurationFaults) {
                    return try options.configuration.parsed()
                } catch {
                    let lines = error.lines.joined(separator: "; ")
                    throw ServiceError(
                        .invalidArguments, "the configuration stays as it was: \(lines)")
                }
            },
            saveMutes: { list in
                do throws(IOError) { try mutes.write(list) } catch {
                    log("what is muted is forgotten at the next start: \(error.message)")
                }
            }, log: log)
    }

    private static func consumer(
        _ configuration: ServiceConfiguration, _ options: ServeOptions,
        _ selection: @escaping NotificationService.FetchSelection, on loop: EventLoop
    ) throws(DeviceError) -> NotificationConsumer {
        var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
        consumer.maximumProviders = configuration.bluetooth.phones
        consumer.memory = MemoryStore(directory: options.stateDirectory)
        consumer.selection = selection
        return try NotificationConsumer(
            consumer,
            at: Bluetooth(
                configuration.bluetooth, store: BondStore(directory: options.stateDirectory)),
            on: loop)
    }
}

extension Bluetooth {
    /// Where the configuration says that it is. Phones pair only when the user says so, with 'ancs pair': there is
    /// nobody to ask otherwise.
    init(_ section: ServiceConfiguration.BluetoothSection, store: BondStore) {
        let adapter = section.adapter
        if adapter == "bluez" || adapter.hasPrefix("bluez:") {
            let name = adapter.dropFirst("bluez:".count)
            self = .bluez(
                name.isEmpty ? "any" : String(name), ability: .keyboardDisplay, window: .closed)
        } else {
            self = .hci(
                adapter, store: store,
                pairing: PairingOptions(ability: .keyboardDisplay, window: .closed))
        }
    }
}

/// The file of the apps that are muted by hand, mode 0600.
struct MuteFile: Sendable {
    private let path: String

    init(directory: String) { path = directory + "/mutes.json" }

    /// What it says; nothing where there is none, or where it is something else, which is set aside.
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
