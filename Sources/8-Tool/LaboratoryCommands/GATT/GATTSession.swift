internal import DeviceCommandKit

/// The session of `ancs gatt` with a connected peer.
actor GATTSession: LoopActor {
    nonisolated var loop: EventLoop { central.loop }
    /// Why an operation failed.
    enum Failure: Error, Equatable {
        /// The user's input is wrong.
        case fault(PromptFault)
        /// The peer refused, or the link failed.
        case bluetooth(BluetoothError)

        var message: String {
            switch self {
            case .fault(let fault): fault.message
            case .bluetooth(let error): error.message
            }
        }
    }

    private let central: CentralManager
    private let peripheral: Peripheral
    private var report: GATTReport
    private let write: @Sendable (String) async -> Void
    private(set) var table = PeerTable()
    /// The characteristics to which the session is subscribed.
    private var subscribed: Set<AttributeHandle> = []
    /// The tasks that wait for the end of the link.
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter: UInt64 = 0
    private var following: Task<Void, Never>?
    /// Why the link ended.
    private(set) var end: BluetoothError?

    /// Creates a session whose lines are passed to `write`.
    init(
        _ central: CentralManager, _ peripheral: Peripheral, _ report: GATTReport,
        write: @escaping @Sendable (String) async -> Void
    ) {
        (self.central, self.peripheral, self.report) = (central, peripheral, report)
        self.write = write
    }

    /// Shows the identity of the device, and discovers its services.
    func begin() async throws(Failure) {
        following = Task(executorPreference: loop) { await self.follow() }
        await write(
            report.connected(
                await peripheral.address, peripheral.identifier, name: await peripheral.name))
        table = try await attempt { peripheral throws(BluetoothError) in
            try await PeerTable.discover(peripheral)
        }
        report.layOut(table)
    }

    /// Stops following events of the peer.
    func finish() { following?.cancel() }

    // MARK: What the user wants

    func carryOut(_ operation: GATTOperation) async throws(Failure) {
        switch operation {
        case .list: try await list()
        case .read(let attribute):
            let item = try item(attribute)
            let reading = try await value(of: item)
            guard case .refused(let code) = reading else {
                return await write(report.line(of: item, reading))
            }
            if report.isJSON { await write(report.line(of: item, reading)) }
            throw .bluetooth(BluetoothError(.attribute(code)))
        case .write(let attribute, let value, let isConfirmed):
            try await put(value, into: try item(attribute), isConfirmed: isConfirmed)
        case .subscribe(let attribute): try await subscribe(true, attribute)
        case .unsubscribe(let attribute): try await subscribe(false, attribute)
        case .rssi:
            let strength = try await attempt { peripheral throws(BluetoothError) in
                try await peripheral.readRSSI()
            }
            await write(report.strength(strength))
        // Standard output has nothing but JSON then.
        case .help where report.isJSON: for line in Self.help { StandardStreams.writeError(line) }
        case .help: for line in Self.help { await write(line) }
        // Handled by the prompt.
        case .quit: break
        }
    }

    /// Whether the peer may send values.
    var isSubscribed: Bool { !subscribed.isEmpty }

    /// Waits until the link ends or the task is cancelled.
    func waitForEnd() async {
        lastWaiter += 1
        let waiter = lastWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if end == nil, !Task.isCancelled {
                    waiters[waiter] = continuation
                } else {
                    continuation.resume()
                }
            }
        } onCancel: {
            Task(executorPreference: loop) { await self.wake(waiter) }
        }
    }

    private func wake(_ waiter: UInt64) { waiters.removeValue(forKey: waiter)?.resume() }

    private static var help: [String] {
        let width = (GATTOperation.forms.map(\.form.count).max() ?? 0) + 2
        return GATTOperation.forms.map { "  " + TerminalText.padded($0.form, to: width) + $0.help }
            + GATTOperation.legend.split(separator: "\n").map { "  " + $0 }
    }

    // MARK: Values

    private func item(_ attribute: String) throws(Failure) -> PeerTable.Item {
        do throws(PromptFault) { return try table.item(attribute) } catch { throw .fault(error) }
    }

    private func attempt<Value: Sendable>(
        _ body: (Peripheral) async throws(BluetoothError) -> Value
    ) async throws(Failure) -> Value {
        do throws(BluetoothError) { return try await body(peripheral) } catch {
            throw .bluetooth(error)
        }
    }

    private func list() async throws(Failure) {
        for item in table.items {
            let reading = item.isReadable ? try await value(of: item) : .none
            await write(report.line(of: item, reading))
        }
    }

    /// Reads a value. A refusal is shown in its line; only the end of the link is thrown.
    private func value(of item: PeerTable.Item) async throws(Failure) -> GATTReport.Reading {
        do throws(BluetoothError) {
            return .value(try await item.read(from: peripheral))
        } catch {
            guard case .attribute(let code) = error.code else { throw .bluetooth(error) }
            return .refused(code)
        }
    }

    private func put(
        _ value: [UInt8], into item: PeerTable.Item, isConfirmed: Bool
    ) async throws(Failure) {
        switch item {
        case .service: break
        case .characteristic(let characteristic):
            try await attempt { peripheral throws(BluetoothError) in
                try await peripheral.writeValue(
                    value, for: characteristic,
                    type: isConfirmed ? .withResponse : .withoutResponse)
            }
        case .descriptor(let descriptor):
            guard isConfirmed else {
                throw .fault(
                    PromptFault(
                        message: "descriptors cannot be sent without a response; use 'write'"))
            }
            try await attempt { peripheral throws(BluetoothError) in
                try await peripheral.writeValue(value, for: descriptor)
            }
        }
        await write(report.written(item, value))
    }

    private func subscribe(_ isWanted: Bool, _ attribute: String) async throws(Failure) {
        let item = try item(attribute)
        guard let characteristic = item.characteristic else {
            throw .fault(
                PromptFault(
                    message: "cannot subscribe to a descriptor: name its characteristic"))
        }
        // The peer may send a value before it responds.
        if isWanted { subscribed.insert(item.handle) }
        do throws(Failure) {
            try await attempt { peripheral throws(BluetoothError) in
                try await peripheral.setNotifyValue(isWanted, for: characteristic)
            }
        } catch {
            if isWanted, !characteristic.isNotifying { subscribed.remove(item.handle) }
            throw error
        }
        if !isWanted { subscribed.remove(item.handle) }
        await write(report.subscription(item, isSubscribed: isWanted))
    }

    // MARK: What the peer does

    /// Discovers the services again after the peer has changed them.
    private func discoverAgain() async {
        await write(report.modified)
        // If discovery fails, the link has ended, which is reported.
        guard let table = try? await PeerTable.discover(peripheral) else { return }
        self.table = table
        report.layOut(table)
        subscribed.formIntersection(
            table.items.filter { $0.characteristic?.isNotifying ?? false }.map(\.handle))
    }

    /// bluetoothd has ended the notifications of a value.
    private func ended(_ characteristic: Characteristic) async {
        let item = table.items.first { $0.characteristic == characteristic }
        guard let item, subscribed.remove(item.handle) != nil else { return }
        await write(report.subscription(item, isSubscribed: false))
        guard subscribed.isEmpty, !waiters.isEmpty else { return }
        end = BluetoothError(.unknown, "bluetoothd has ended the notifications")
        for waiter in exchange(&waiters, with: [:]).values { waiter.resume() }
    }

    private func follow() async {
        for await event in central.events {
            switch event {
            case .valueUpdated(_, let characteristic, let value):
                await write(report.pushed(.characteristic(characteristic), value))
            case .disconnected(_, let error):
                let reason = error ?? BluetoothError(.notConnected)
                end = reason
                if let line = report.disconnected(reason.message) { await write(line) }
                for waiter in exchange(&waiters, with: [:]).values { waiter.resume() }
            case .servicesModified: await discoverAgain()
            case .missed(let count): await write(report.missed(count))
            case .notificationsEnded(_, let characteristic): await ended(characteristic)
            case .stateUpdated, .discovered, .scanningStopped, .connected,
                .isReadyToSendWriteWithoutResponse, .nameUpdated, .identified:
                break
            }
        }
    }
}
