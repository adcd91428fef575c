internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// `ancs gatt`: prints what a peer has.
actor GATTCommand {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        central.loop.asUnownedSerialExecutor()
    }

    private let options: GATTCommandOptions
    private let adapter: BluetoothAdapter
    private let central: CentralManager
    private var report: GATTReport
    private var status = ExitStatus.failure

    /// The whole run.
    static func run(_ options: GATTCommandOptions) async -> ExitStatus {
        let bluetooth: Bluetooth
        do throws(IOError) { bluetooth = try options.bluetooth() } catch {
            return ExitStatus.report(.transport(error))
        }
        let user = PairingUser(isJSON: options.isJSON)
        let result = Lock(ExitStatus.failure)
        let end = await AdapterRun.run(at: bluetooth, observe: user.observe) { adapter in
            await user.attend(adapter)
            let status = await GATTCommand(options, adapter).run()
            result.withLock { $0 = status }
            await user.leave()
        }
        return switch end {
        case .done: result.withLock { $0 }
        // Whoever reads what was told must not take it for the whole table.
        case .interrupted, .timedOut: .failure
        case .failed: end.status
        }
    }

    private init(_ options: GATTCommandOptions, _ adapter: BluetoothAdapter) {
        self.options = options
        self.adapter = adapter
        central = CentralManager(adapter)
        report = GATTReport(
            isJSON: options.isJSON, width: StandardStreams.columns,
            isColored: StandardStreams.isColored)
    }

    private func run() async -> ExitStatus {
        let deadline = central.loop.now + options.timeout
        guard let peripheral = await find() else {
            if !Task.isCancelled { fail(notFound) }
            return .failure
        }
        do throws(BluetoothError) {
            try await central.connect(peripheral, timeout: deadline - central.loop.now)
            try await show(peripheral)
            return .success
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

    private var notFound: String {
        hasHeardUnconnectable
            ? "\(options.peer) takes no connections" : "\(options.peer) was not heard"
    }

    /// The device that is meant: a known one, or the first that is heard to be it within the time.
    private func find() async -> Peripheral? {
        let search = Task { await self.search() }
        let timer = Task { [loop = central.loop, timeout = options.timeout] in
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
                if let known = await known() { return known }
                do throws(BluetoothError) {
                    try await central.scanForPeripherals(withServices: nil)
                } catch { fail(error.message) }
            case .discovered(let peripheral, let data, _):
                guard await isMeant(peripheral) else { continue }
                guard data.isConnectable == true else {
                    hasHeardUnconnectable = true
                    continue
                }
                await central.stopScan()
                return peripheral
            default: break
            }
        }
        return nil
    }

    private func known() async -> Peripheral? {
        guard let identifier = PeerIdentifier(text: options.peer) else { return nil }
        return await central.retrievePeripherals(withIdentifiers: [identifier]).first
    }

    /// By its address, its identity address, its identifier or its exact name.
    private func isMeant(_ peripheral: Peripheral) async -> Bool {
        let identity = await peripheral.identityAddress?.text
        if identity == options.peer.uppercased() { return true }
        return PeerWords.name(
            options.peer, address: await peripheral.address, identifier: peripheral.identifier,
            name: await peripheral.name)
    }

    // MARK: What it has

    private func show(_ peripheral: Peripheral) async throws(BluetoothError) {
        await StandardStreams.deliver(
            report.connected(
                await peripheral.address, peripheral.identifier, name: await peripheral.name))
        let table = try await PeerTable.discover(peripheral)
        report.layOut(table)
        for item in table.items {
            let reading = try await read(item, from: peripheral)
            await StandardStreams.deliver(report.line(of: item, reading))
        }
    }

    /// What is refused is worth a line; a link that ended is the end.
    private func read(
        _ item: PeerTable.Item, from peripheral: Peripheral
    ) async throws(BluetoothError) -> GATTReport.Reading {
        guard item.isReadable else { return .none }
        do throws(BluetoothError) {
            return .value(try await item.read(from: peripheral))
        } catch {
            guard case .attribute(let code) = error.code else { throw error }
            return .refused(code)
        }
    }
}
