internal import ANCSService
internal import DeviceCommandKit
internal import DBus
internal import HCITransports
internal import OpenSSLSecurity
internal import VirtualBluetooth
internal import VirtualTransports

/// `ancs demo --desktop`: the daemon with its popups, and a virtual phone at a prompt, in one process on one loop.
///
/// The daemon has the default configuration, and of its sinks those that work without one: the desktop, and the bus,
/// for `ancs status`, `list` and `perform` in another terminal. Bonds, muted apps and notifications are in memory.
enum DesktopDemo {
    typealias Settings = DemoStage.Settings

    /// A whole run, at the terminal of the user.
    static func run(_ options: DemoOptions, on loop: EventLoop) async -> ExitStatus {
        let settings: Settings
        do throws(IOError) { settings = try options.settings() } catch {
            return ExitStatus.report(.transport(error))
        }
        let console = PhonePrompt.console(name: settings.phoneName, isJSON: false, on: loop)
        return await run(settings, console, on: loop)
    }

    /// Runs until the phone ends. Fails if there is no desktop.
    static func run(
        _ settings: Settings, _ console: any Console, on loop: EventLoop
    ) async -> ExitStatus {
        await withTaskExecutorPreference(loop) {
            do throws(DesktopSearch.Failure) {
                try await DesktopSearch.findServer(at: settings.bus, on: loop)
            } catch {
                for line in message(of: error) { console.writeError(line) }
                return .unavailable
            }
            let radio = RadioLoop(
                configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(), on: loop)
            defer { radio.close() }
            let daemon = service(settings, on: radio, console, loop)
            for line in opening(settings) { await console.write(line) }
            async let end = run(daemon, settings)
            let status = await runPhone(settings, on: radio, console, loop) { await daemon.stop() }
            // A phone that could not start has not ended the daemon.
            await daemon.stop()
            if let failure = await end { return ExitStatus.report(failure) }
            return status
        }
    }

    // MARK: The phone

    private static func runPhone(
        _ settings: Settings, on radio: RadioLoop, _ console: any Console, _ loop: EventLoop,
        atEnd: @escaping @Sendable () async -> Void
    ) async -> ExitStatus {
        let place = HCIConfiguration(
            .virtual(radio.addController()), capture: settings.phoneCapture)
        do throws(DeviceError) {
            return try await PhonePrompt.run(
                ProviderConfiguration(name: settings.phoneName), at: .hci(place),
                stateDirectory: nil, isJSON: false, isVerbose: false, console: console, on: loop,
                atEnd: atEnd)
        } catch { return ExitStatus.report(error) }
    }

    private static func opening(_ settings: Settings) -> [String] {
        let (phone, desk) = (settings.phoneName, settings.accessoryName)
        return [
            "A virtual phone, '\(phone)', sends its notifications to 'ancs serve' in this process, '\(desk)', "
                + "which shows them on your desktop. Try, once '\(desk)' is connected:",
            "  post Messages \"Ann\" \"Lunch at noon?\"", "  ring \"Ben\"", "  remove all",
            "'help' lists the commands. Control-C ends the demo and closes its popups.",
        ]
    }

    // MARK: The daemon

    private static func service(
        _ settings: Settings, on radio: RadioLoop, _ console: any Console, _ loop: EventLoop
    ) -> NotificationService {
        var configuration = ServiceConfiguration()
        configuration.bluetooth.name = settings.accessoryName
        configuration.bluetooth.adapter = "virtual"
        let environment = NotificationService.Environment(
            makeConsumer: { configuration, selection throws(DeviceError) in
                var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
                consumer.maximumProviders = configuration.bluetooth.phones
                consumer.selection = selection
                let place = HCIConfiguration(
                    .virtual(radio.addController()), capture: settings.accessoryCapture)
                return try NotificationConsumer(consumer, at: .hci(place), on: loop)
            },
            readConfiguration: { () throws(ServiceError) in
                throw ServiceError(.notAllowed, "'ancs demo' has no configuration to read")
            },
            log: { console.writeError("ancs: \(TerminalText.visible($0))") })
        return NotificationService(configuration, on: loop, environment)
    }

    /// Runs the daemon until it is stopped; returns why it ended by itself, if it did.
    private static func run(
        _ daemon: NotificationService, _ settings: Settings
    ) async -> DeviceError? {
        do throws(NotificationService.Failure) {
            try await daemon.run { control in
                [
                    DesktopSink(ServiceConfiguration(), control: control, at: settings.bus),
                    BusSink(at: settings.bus, version: ToolVersion.current, control: control),
                ]
            }
            return nil
        } catch {
            switch error {
            case .permission(let error), .configuration(let error): return error
            }
        }
    }

    // MARK: Without a desktop

    private static func message(of failure: DesktopSearch.Failure) -> [String] {
        switch failure {
        case .noBus(let cause):
            [
                "ancs: the demo cannot show popups: \(TerminalText.visible(cause))",
                "ancs: run it in a terminal of your desktop, as the user of the desktop; without a desktop, "
                    + "run 'ancs demo'",
            ]
        case .noServer(let cause):
            [
                "ancs: the demo cannot show popups, because no notification server answers on the session "
                    + "bus: \(TerminalText.visible(cause))",
                "ancs: start your desktop's, or install one such as dunst or mako; without a desktop, run "
                    + "'ancs demo'",
            ]
        }
    }
}
