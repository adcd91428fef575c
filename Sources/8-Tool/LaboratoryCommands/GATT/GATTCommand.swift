package import CommandKit
internal import DeviceCommandKit

/// `ancs gatt`: shows the attributes of a peer, and reads, writes and follows their values.
package actor GATTCommand: LoopActor {
    package nonisolated var loop: EventLoop { central.loop }

    private let options: GATTCommandOptions
    private let central: CentralManager
    private let console: (any Console)?
    private let user: PairingUser

    /// Runs the whole command.
    package static func run(_ options: GATTCommandOptions, on loop: EventLoop) async -> ExitStatus {
        let user = PairingUser(isJSON: options.isJSON)
        let result = Lock(ExitStatus.failure)
        let end = await AdapterRun.run(
            at: options.bluetooth, on: loop, observe: user.observe,
            console: { options.console(on: $0) }
        ) { adapter, console in
            if let console { await user.attend(console) } else { await user.attend(adapter) }
            let status = await GATTCommand(options, adapter, console, user).run()
            result.withLock { $0 = status }
            await user.leave()
        }
        return switch end {
        case .done: result.withLock { $0 }
        // Interrupting is the normal way to end following values; an interrupted listing is incomplete, which
        // is a failure.
        case .interrupted where options.isOpenEnded: .success
        case .interrupted, .timedOut: .failure
        case .neverReady, .failed: end.status
        }
    }

    private init(
        _ options: GATTCommandOptions, _ adapter: BluetoothAdapter, _ console: (any Console)?,
        _ user: PairingUser
    ) {
        (self.options, self.console, self.user) = (options, console, user)
        central = CentralManager(adapter)
    }

    private func run() async -> ExitStatus {
        let deadline = central.loop.now + options.timeout
        guard let peripheral = await find() else {
            if Task.isCancelled || hasAdapterEnded { return .failure }
            guard wasReady else { return ExitStatus.reportNoControllerInTime() }
            fail(notFound)
            return .failure
        }
        do throws(BluetoothError) {
            try await central.connect(peripheral, timeout: deadline - central.loop.now)
        } catch {
            if !Task.isCancelled { fail(error.message) }
            return .failure
        }
        let report = GATTReport(
            isJSON: options.isJSON, width: StandardStreams.columns,
            isColored: StandardStreams.isColored)
        let session = GATTSession(central, peripheral, report) { [console] line in
            if let console {
                await console.write(line)
            } else {
                await StandardStreams.deliver(line)
            }
        }
        let status = await work(in: session)
        await session.finish()
        return status
    }

    private func work(in session: GATTSession) async -> ExitStatus {
        do throws(GATTSession.Failure) {
            try await session.begin()
            switch options.work {
            case .operation(let operation):
                try await session.carryOut(operation)
                guard await session.isSubscribed else { return .success }
                await session.waitForEnd()
                if let end = await session.end { throw .bluetooth(end) }
                return .success
            case .prompt:
                guard let console else { return .failure }
                let prompt = GATTPrompt(session: session, console: console, user: user)
                return await prompt.run() ? .success : .failure
            }
        } catch {
            if !Task.isCancelled { fail(error.message) }
            return .failure
        }
    }

    private func fail(_ message: String) {
        StandardStreams.writeError("ancs: \(TerminalText.visible(message))")
    }

    // MARK: Finding the device

    private var hasHeardUnconnectable = false
    private var wasReady = false
    /// Whether the adapter has ended, for a reason that is said elsewhere.
    private var hasAdapterEnded = false

    private var notFound: String {
        hasHeardUnconnectable
            ? "\(options.peer) does not accept connections" : "\(options.peer) was not heard"
    }

    /// Returns the peer that the user means: one already known, or the first advertiser that matches within
    /// the time limit.
    private func find() async -> Peripheral? {
        let loop = central.loop
        let search = Task(executorPreference: loop) { await self.search() }
        let timer = Task(executorPreference: loop) { [timeout = options.timeout] in
            do { try await loop.sleep(for: timeout) } catch { return }
            search.cancel()
        }
        let found = await withTaskCancellationHandler {
            await search.value
        } onCancel: {
            search.cancel()
        }
        timer.cancel()
        return found
    }

    private func search() async -> Peripheral? {
        for await event in central.events {
            switch event {
            case .stateUpdated(.poweredOn):
                wasReady = true
                if let known = await known() { return known }
                do throws(BluetoothError) {
                    try await central.scanForPeripherals(withServices: nil)
                } catch { fail(error.message) }
            case .discovered(let peripheral, let data, _):
                guard await isMeant(peripheral) else { continue }
                guard data.isConnectable != false else {
                    hasHeardUnconnectable = true
                    continue
                }
                await central.stopScan()
                return peripheral
            case .stateUpdated, .scanningStopped, .connected, .disconnected, .valueUpdated,
                .notificationsEnded, .servicesModified, .isReadyToSendWriteWithoutResponse,
                .nameUpdated, .identified,
                .missed:
                break
            }
        }
        hasAdapterEnded = !Task.isCancelled
        return nil
    }

    private func known() async -> Peripheral? {
        guard let identifier = PeerIdentifier(text: options.peer) else { return nil }
        return await central.retrievePeripherals(withIdentifiers: [identifier]).first
    }

    /// Whether the device matches by address, identity address, identifier or exact name.
    private func isMeant(_ peripheral: Peripheral) async -> Bool {
        let identity = await peripheral.identityAddress?.text
        if identity == options.peer.uppercased() { return true }
        return PeerWords.name(
            options.peer, address: await peripheral.address, identifier: peripheral.identifier,
            name: await peripheral.name)
    }
}
