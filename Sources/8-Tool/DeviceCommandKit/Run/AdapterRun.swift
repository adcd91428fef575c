package import ANCSKit
package import CommandKit
internal import Glibc

/// The common frame of every command that uses an adapter: opens the controller, watches for signals and the
/// time limit, and reports why the run cannot continue.
package actor AdapterRun: LoopActor {
    /// How a run ended.
    package enum End: Sendable {
        /// The work was done.
        case done
        /// A signal arrived.
        case interrupted
        /// The time limit has passed.
        case timedOut
        /// It has passed, and the controller was never ready.
        case neverReady
        case failed(DeviceError)

        /// The exit status of a command for which a signal or the time limit is a normal end.
        package var status: ExitStatus {
            switch self {
            case .done, .interrupted, .timedOut: .success
            case .neverReady: ExitStatus.reportNoControllerInTime()
            case .failed(let error): ExitStatus.report(error)
            }
        }
    }

    package nonisolated var loop: EventLoop { adapter.loop }

    private let adapter: BluetoothAdapter
    private let report: @Sendable (String) -> Void
    private let console: (any Console)?
    private var end = End.done
    private var wasReady = false
    private var work: Task<Void, Never>?

    private init(
        _ adapter: BluetoothAdapter, _ console: (any Console)?,
        _ report: @escaping @Sendable (String) -> Void
    ) { (self.adapter, self.console, self.report) = (adapter, console, report) }

    /// Runs `work` with an adapter on a loop. The work is cancelled when a signal arrives, the time limit passes
    /// or the adapter fails. Meanwhile, events of the adapter are passed to `observe`, and messages for the user
    /// to `report`. Signals that the console handles are passed on to it.
    package static func run(
        name: String = "ancs", at bluetooth: () throws(IOError) -> Bluetooth,
        appearance: UInt16 = 0, timeout: Duration? = nil, on loop: EventLoop,
        observe: @escaping @Sendable (AdapterEvent) async -> Void = { _ in },
        report: @escaping @Sendable (String) -> Void = StandardStreams.writeError,
        console makeConsole: @Sendable (EventLoop) -> (any Console)? = { _ in nil },
        work: @escaping @Sendable (BluetoothAdapter, (any Console)?) async -> Void
    ) async -> End {
        let adapter: BluetoothAdapter
        let place: Bluetooth
        do throws(IOError) { place = try bluetooth() } catch { return .failed(.transport(error)) }
        do throws(DeviceError) {
            adapter = try BluetoothAdapter(
                name: name, at: place, appearance: appearance, on: loop)
        } catch { return .failed(error) }
        return await AdapterRun(adapter, makeConsole(loop), report).run(
            timeout: timeout, observe: observe, work: work)
    }

    private func run(
        timeout: Duration?, observe: @Sendable (AdapterEvent) async -> Void,
        work: @escaping @Sendable (BluetoothAdapter, (any Console)?) async -> Void
    ) async -> End {
        let loop = adapter.loop
        let requests: EndRequests
        do throws(IOError) {
            requests = try EndRequests(
                on: loop, others: console?.signals ?? [],
                take: { [console] in console?.take($0) ?? false }
            ) { [self] in Task(executorPreference: loop) { await self.stop(.interrupted) } }
        } catch { return .failed(.transport(error)) }
        defer { requests.cancel() }
        let timer = Task(executorPreference: loop) {
            guard let timeout else { return }
            do { try await loop.sleep(for: timeout) } catch { return }
            await self.stop(self.wasReady ? .timedOut : .neverReady)
        }
        defer { timer.cancel() }
        self.work = Task(executorPreference: loop) {
            await work(self.adapter, self.console)
            await self.adapter.stop()
        }
        await adapter.start()
        do throws(DeviceError) {
            for try await event in adapter.events {
                if case .device(.ready) = event { wasReady = true }
                if let notice = Self.notice(of: event) { report(notice) }
                await observe(event)
            }
        } catch { end = .failed(error) }
        self.work?.cancel()
        await self.work?.value
        return end
    }

    private func stop(_ end: End) async {
        self.end = end
        // From here on, the end of its links is expected and not reported.
        work?.cancel()
        await adapter.stop()
    }

    /// The message of an event that concerns the adapter alone; `nil` for what the commands report.
    package static func notice(of event: AdapterEvent) -> String? {
        switch event {
        case .device(.listening(let place)):
            "waiting for a controller at \(TerminalText.visible(place))"
        case .device(.warning(let warning)): "ancs: \(TerminalText.visible(warning.message))"
        case .device(.resetting(let failure)): "ancs: \(TerminalText.visible(failure.message))"
        case .device, .peer: nil
        }
    }
}
