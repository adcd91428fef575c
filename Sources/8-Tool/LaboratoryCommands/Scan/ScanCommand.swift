package import CommandKit
internal import DeviceCommandKit
internal import Glibc

/// `ancs scan`: lists nearby devices.
package actor ScanCommand {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        central.loop.asUnownedSerialExecutor()
    }

    /// The interval between redraws of the table while devices are heard.
    private static let frameInterval = Duration.milliseconds(250)
    /// The longest interval between redraws, for devices that are no longer heard.
    private static let maximumFrameInterval = Duration.seconds(1)

    private let options: ScanCommandOptions
    private let central: CentralManager
    private let notices: ScanNotices
    private let printer: LinePrinter
    private let screen: LiveScreen?
    private var table: ScanTable
    private var hasNews = true
    /// New devices that have not been logged yet.
    private var unwritten: [(sighting: Sighting, heardAt: MonotonicInstant)] = []
    /// The task that shows the devices, once scanning has begun.
    private var showing: Task<Void, Never>?
    private var isScanning = false

    /// Runs the whole command.
    package static func run(_ options: ScanCommandOptions, on loop: EventLoop) async -> ExitStatus {
        let notices = ScanNotices()
        let end = await AdapterRun.run(
            at: options.bluetooth, timeout: options.timeout, on: loop, report: notices.report
        ) { adapter, _ in
            await ScanCommand(options, CentralManager(adapter), notices).run()
        }
        return end.status
    }

    private init(_ options: ScanCommandOptions, _ central: CentralManager, _ notices: ScanNotices) {
        (self.options, self.central, self.notices) = (options, central, notices)
        printer = LinePrinter(isJSON: options.isJSON)
        screen = options.isJSON ? nil : LiveScreen()
        table = ScanTable(order: options.order)
    }

    private func run() async {
        for await event in central.events { await handle(event) }
        // A cancelled run receives no event that scanning has ended.
        await scanningChanged(to: false)
        showing?.cancel()
        await showing?.value
    }

    // MARK: What happens

    private func handle(_ event: CentralManagerEvent) async {
        switch event {
        case .stateUpdated(.poweredOn): await scan()
        case .stateUpdated: await scanningChanged(to: false)
        case .discovered(let peripheral, let data, let rssi):
            await discovered(peripheral, data, rssi)
        case .scanningStopped(let error):
            notices.report("ancs: \(TerminalText.visible(error.message))")
            await scanningChanged(to: false)
        case .missed(let count):
            notices.report("ancs: \(count) devices were not reported: queue full")
        case .connected, .disconnected, .valueUpdated, .notificationsEnded, .servicesModified,
            .isReadyToSendWriteWithoutResponse, .nameUpdated, .identified:
            break
        }
    }

    private func scan() async {
        // The table follows the signal strength, so it needs every advertisement.
        let scanOptions = ScanOptions(
            allowsDuplicates: options.allowsDuplicates || screen != nil,
            solicitedServices: options.solicitedServices)
        do throws(BluetoothError) {
            try await central.scanForPeripherals(
                withServices: options.services, options: scanOptions)
        } catch { return notices.report("ancs: \(TerminalText.visible(error.message))") }
        await scanningChanged(to: true)
        guard showing == nil else { return }
        showing = Task(executorPreference: central.loop) { await self.show() }
    }

    private func show() async { if let screen { await draw(on: screen) } else { await writeLog() } }

    private func scanningChanged(to isScanning: Bool) async {
        guard exchange(&self.isScanning, with: isScanning) != isScanning, options.isJSON else {
            return
        }
        await printer.printed(Line("scanning", ["on": .boolean(isScanning)])).show()
    }

    private func isNear(_ rssi: Int?) -> Bool {
        guard let minimum = options.minimumStrength else { return true }
        return rssi.map { $0 >= minimum } ?? false
    }

    private func discovered(
        _ peripheral: Peripheral, _ data: AdvertisementData, _ rssi: Int?
    ) async {
        guard let address = await peripheral.address, isNear(rssi) else { return }
        let sighting = Sighting(
            address: address, identifier: peripheral.identifier, data: data, rssi: rssi,
            knownName: await peripheral.name)
        if options.isJSON || (screen == nil && options.allowsDuplicates) {
            await printer.printed(sighting.line).show()
        } else if table.hear(sighting, at: central.loop.now), screen == nil {
            // With a slow reader, devices are written early rather than queued beyond this limit.
            if unwritten.count == Self.maximumUnwritten { await writeLines { _ in true } }
            unwritten.append((sighting, central.loop.now))
        } else if let index = unwritten.firstIndex(where: { $0.sighting.address == address }) {
            unwritten[index].sighting = sighting
        }
        hasNews = true
    }

    // MARK: The log

    /// How long to wait for the scan response of a new device.
    private static let patience = Duration.milliseconds(500)
    private static let maximumUnwritten = 256

    private func writeLog() async {
        while !Task.isCancelled {
            await writeLines { $0 + Self.patience <= central.loop.now }
            do { try await central.loop.sleep(for: Self.frameInterval) } catch { break }
        }
        await writeLines { _ in true }
    }

    private func writeLines(of isDue: (MonotonicInstant) -> Bool) async {
        while let first = unwritten.first, isDue(first.heardAt) {
            unwritten.removeFirst()
            await printer.printed(first.sighting.line).show()
        }
    }

    // MARK: The table

    private func draw(on screen: LiveScreen) async {
        notices.hold()
        await screen.open()
        var drawnAt = central.loop.now
        while !Task.isCancelled {
            if hasNews || central.loop.now >= drawnAt + Self.maximumFrameInterval {
                hasNews = false
                drawnAt = central.loop.now
                await screen.show { columns, rows in lines(columns: columns, rows: rows) }
            }
            do { try await central.loop.sleep(for: Self.frameInterval) } catch { break }
        }
        await screen.close { columns in lines(columns: columns, rows: nil) }
        notices.release()
    }

    private func lines(columns: Int, rows: Int?) -> [String] {
        table.lines(
            columns: columns, rows: rows, at: central.loop.now,
            notice: rows == nil ? nil : notices.last,
            paint: TerminalPaint(isColored: StandardStreams.isColored))
    }
}
