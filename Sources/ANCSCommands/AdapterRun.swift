internal import ANCSService
internal import ANCSKit
internal import Glibc
internal import LinuxIO

/// What every command at an adapter does around its own work: it opens the controller, heeds signals and
/// the time, and says why it cannot go on.
actor AdapterRun {
    /// How a run ended.
    enum End: Sendable {
        /// The work was done.
        case done
        /// A signal came.
        case interrupted
        /// The time is over.
        case timedOut
        case failed(DeviceError)

        /// What it means where nothing in particular was to be achieved.
        var status: ExitStatus {
            switch self {
            case .done, .interrupted, .timedOut: .success
            case .failed(let error): ExitStatus.report(error)
            }
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        adapter.loop.asUnownedSerialExecutor()
    }

    private let adapter: BluetoothAdapter
    private let tell: @Sendable (String) -> Void
    private let console: (any Console)?
    private var end = End.done
    private var work: Task<Void, Never>?

    private init(
        _ adapter: BluetoothAdapter, _ console: (any Console)?,
        _ tell: @escaping @Sendable (String) -> Void
    ) {
        self.adapter = adapter
        self.console = console
        self.tell = tell
    }

    /// Has `work` done at an adapter. It is cancelled when a signal comes, the time is over or the adapter
    /// fails; what happens at the adapter is told to `observe` meanwhile, and what the user should know to
    /// `tell`. The signals that the console wants are passed on to it.
    static func run(
        name: String = "ancs", at bluetooth: Bluetooth, appearance: UInt16 = 0,
        timeout: Duration? = nil,
        observe: @escaping @Sendable (AdapterEvent) async -> Void = { _ in },
        tell: @escaping @Sendable (String) -> Void = StandardStreams.writeError,
        console makeConsole: @Sendable (EventLoop) -> (any Console)? = { _ in nil },
        work: @escaping @Sendable (BluetoothAdapter, (any Console)?) async -> Void
    ) async -> End {
        let adapter: BluetoothAdapter
        do throws(DeviceError) {
            adapter = try BluetoothAdapter(name: name, at: bluetooth, appearance: appearance)
        } catch { return .failed(error) }
        // Continuations resume where the task prefers to run: on the loop, not by way of a pool.
        return await withTaskExecutorPreference(adapter.loop) {
            await AdapterRun(adapter, makeConsole(adapter.loop), tell).run(
                timeout: timeout, observe: observe, work: work)
        }
    }

    private func run(
        timeout: Duration?, observe: @Sendable (AdapterEvent) async -> Void,
        work: @escaping @Sendable (BluetoothAdapter, (any Console)?) async -> Void
    ) async -> End {
        defer { adapter.loop.shutdown() }
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(
                on: adapter.loop, others: console?.signals ?? [],
                take: { [console] in console?.take($0) ?? false }
            ) { [self] in Task { await self.stop(.interrupted) } }
        } catch { return .failed(.transport(error)) }
        defer { requests.cancel() }
        let timer = Task {
            guard let timeout else { return }
            do { try await adapter.loop.sleep(for: timeout) } catch { return }
            await stop(.timedOut)
        }
        defer { timer.cancel() }
        self.work = Task {
            await work(adapter, console)
            await adapter.stop()
        }
        await adapter.start()
        do throws(DeviceError) {
            for try await event in adapter.events {
                warn(of: event)
                await observe(event)
            }
        } catch { end = .failed(error) }
        self.work?.cancel()
        await self.work?.value
        return end
    }

    private func stop(_ end: End) async {
        self.end = end
        // That its links end is no news to it.
        work?.cancel()
        await adapter.stop()
    }

    private func warn(of event: AdapterEvent) {
        switch event {
        case .listening(let place):
            tell("waiting for a controller at \(TerminalText.visible(place))")
        case .warning(let warning): tell("ancs: \(TerminalText.visible(warning.message))")
        case .stateChanged(.resetting, let trouble?):
            tell("ancs: \(TerminalText.visible(trouble.message))")
        default: break
        }
    }
}
