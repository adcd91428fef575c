import ANCSKit
import Glibc
internal import LinuxIO
internal import Printing

/// A program of Core Bluetooth's words, which does what its standard input says and writes what happens, a line each.
/// The same at bluetoothd and at a controller of its own.
///
///     scan SERVICE…       discovered IDENTIFIER NAME
///     stop
///     retrieve SERVICE    retrieved IDENTIFIER…, which are connected to the system
///     know IDENTIFIER     retrieved IDENTIFIER, if the system knows it
///     connect, cancel     the peripheral that was last discovered, retrieved or connected: connected IDENTIFIER,
///                         gone IDENTIFIER REASON
///     discover            service UUID, characteristic UUID, for each
///     read UUID           read UUID OCTETS TEXT
///     write UUID OCTETS   wrote UUID; with a response
///     send UUID OCTETS    sent UUID; without one
///     notify UUID, silence UUID
///     lengths             lengths WITH-RESPONSE WITHOUT-RESPONSE
///     rssi
///     bind, unbind
///
/// `connect` also writes `linked` when it is done, with a link that was there too. A command that fails writes
/// `failed COMMAND: MESSAGE`. A pairing for which the peripheral needs digits writes `type DIGITS`.
actor App: LoopActor {
    nonisolated let loop: EventLoop
    private let adapter: BluetoothAdapter
    private let manager: CentralManager
    private let binding: AccessoryBinding?
    private var peripheral: Peripheral?
    private var characteristics: [BluetoothUUID: Characteristic] = [:]

    init(at bluetooth: Bluetooth, state: String, binds service: BluetoothUUID?) throws {
        adapter = try BluetoothAdapter(name: "App", at: bluetooth)
        let manager = CentralManager(adapter)
        self.manager = manager
        loop = manager.loop
        binding = try service.map {
            try AccessoryBinding(
                .init(
                    app: "org.example.app", services: [$0],
                    store: BindingStore(directory: state)),
                manager: manager)
        }
    }

    /// Runs until standard input ends.
    func run() async {
        let input = InputLines(on: loop)
        Task(executorPreference: loop) { await self.report() }
        Task(executorPreference: loop) { await self.reportPairing() }
        if let binding { Task(executorPreference: loop) { await self.report(binding) } }
        await adapter.start()
        await binding?.launch()
        for await line in input.lines {
            let words = line.split(separator: " ").map(String.init)
            // A request to connect may last; the next commands do not wait.
            Task(executorPreference: loop) { await self.carryOut(words) }
        }
        await adapter.stop()
    }

    private func say(_ words: String...) {
        print(words.map { TerminalText.visible($0) }.joined(separator: " "))
        fflush(nil)
    }

    // MARK: What happens

    private func report() async {
        for await event in manager.events {
            switch event {
            case .stateUpdated(let state): say("state", "\(state)")
            case .discovered(let found, _, _):
                peripheral = found
                say("discovered", found.identifier.text, await found.name ?? "")
            case .scanningStopped(let error): say("scanning stopped:", error.message)
            case .connected(let connected):
                peripheral = connected
                say("connected", connected.identifier.text)
            case .disconnected(let disconnected, let error):
                say("gone", disconnected.identifier.text, error?.message ?? "cancelled")
            case .valueUpdated(_, let characteristic, let value):
                say("value", characteristic.uuid.text, hexadecimal(value), text(value))
            case .servicesModified(_, let invalidated):
                say("modified", invalidated.map(\.uuid.text).joined(separator: " "))
            case .notificationsEnded(_, let characteristic): say("silent", characteristic.uuid.text)
            case .isReadyToSendWriteWithoutResponse: say("ready to send")
            case .nameUpdated(let named): say("named", await named.name ?? "")
            case .identified(let known, let former):
                say("identified", known.identifier.text, "formerly", former.text)
            case .missed(let count): say("missed", "\(count)")
            }
        }
        say("ended")
    }

    private func reportPairing() async {
        do {
            for try await event in adapter.events {
                guard case .peer(_, .pairing(.display(let display))) = event else { continue }
                say("type", "\(display.passkey)")
            }
        } catch {
            say("the adapter has ended:", error.message)
        }
    }

    private func report(_ binding: AccessoryBinding) async {
        for await event in binding.events {
            switch event {
            case .stateChanged: break
            case .bound(let identifier, _): say("bound", identifier.text)
            case .unbound: say("unbound")
            case .justUnbound: say("just unbound")
            case .accessoryUnknown(let identifier): say("unknown", identifier.text)
            case .warning(let warning): say("warning", warning.message)
            case .missed(let count): say("missed", "\(count)")
            }
        }
    }

    // MARK: Commands

    private func carryOut(_ words: [String]) async {
        guard let command = words.first else { return }
        do {
            switch command {
            case "scan":
                try await manager.scanForPeripherals(withServices: try uuids(words.dropFirst()))
            case "stop": await manager.stopScan()
            case "retrieve":
                let found = await manager.retrieveConnectedPeripherals(
                    withServices: try uuids(words.dropFirst()))
                retrieved(found)
            case "know":
                let identifier = words.dropFirst().first.flatMap { PeerIdentifier(text: $0) }
                retrieved(
                    await manager.retrievePeripherals(
                        withIdentifiers: identifier.map { [$0] } ?? []))
            case "connect":
                try await manager.connect(try theOne())
                say("linked")
            case "cancel": await manager.cancelPeripheralConnection(try theOne())
            case "discover": try await discover(try theOne())
            case "rssi": say("rssi", "\(try await theOne().readRSSI())")
            case "lengths":
                let (one, other) = (
                    try await theOne().maximumWriteValueLength(for: .withResponse),
                    try await theOne().maximumWriteValueLength(for: .withoutResponse)
                )
                say("lengths", "\(one)", "\(other)")
            case "bind": try await binding?.bind()
            case "unbind": try await binding?.unbind()
            default: try await access(words)
            }
        } catch let error as BluetoothError {
            say("failed", words.joined(separator: " ") + ":", error.message)
        } catch {
            say("failed", words.joined(separator: " ") + ":", "\(error)")
        }
    }

    private func access(_ words: [String]) async throws {
        guard words.count > 1, let uuid = BluetoothUUID(text: words[1]) else { throw Fault.unknown }
        guard let characteristic = characteristics[uuid] else { throw Fault.undiscovered }
        let peripheral = try theOne()
        let value = octets(words.count > 2 ? words[2] : "")
        switch words[0] {
        case "read":
            let value = try await peripheral.readValue(for: characteristic)
            say("read", uuid.text, "\(value.count)", hexadecimal(value), text(value))
        case "write":
            try await peripheral.writeValue(value, for: characteristic, type: .withResponse)
            say("wrote", uuid.text)
        case "send":
            try await peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
            say("sent", uuid.text)
        case "notify", "silence":
            try await peripheral.setNotifyValue(words[0] == "notify", for: characteristic)
            say(words[0] == "notify" ? "subscribed" : "unsubscribed", uuid.text)
        default: throw Fault.unknown
        }
    }

    private func discover(_ peripheral: Peripheral) async throws {
        characteristics = [:]
        for service in try await peripheral.discoverServices(nil) {
            say("service", service.uuid.text)
            for characteristic in try await peripheral.discoverCharacteristics(nil, for: service) {
                characteristics[characteristic.uuid] = characteristic
                say("characteristic", characteristic.uuid.text)
            }
        }
        say("discovered everything")
    }

    private func retrieved(_ found: [Peripheral]) {
        if let first = found.first { peripheral = first }
        say("retrieved", found.map(\.identifier.text).joined(separator: " "))
    }

    // MARK: Words

    private enum Fault: Error { case unknown, undiscovered, nobody }

    private func theOne() throws -> Peripheral {
        guard let peripheral else { throw Fault.nobody }
        return peripheral
    }

    private func uuids(_ words: some Sequence<String>) throws -> [BluetoothUUID] {
        try words.map { word in
            guard let uuid = BluetoothUUID(text: word) else { throw Fault.unknown }
            return uuid
        }
    }

    private func octets(_ word: String) -> [UInt8] {
        var digits = word[...]
        var octets: [UInt8] = []
        while let octet = UInt8(digits.prefix(2), radix: 16) {
            octets.append(octet)
            digits = digits.dropFirst(2)
        }
        return octets
    }

    private func hexadecimal(_ value: [UInt8]) -> String {
        value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func text(_ value: [UInt8]) -> String {
        String(decoding: value.filter { 32..<127 ~= $0 }.prefix(32), as: UTF8.self)
    }
}
