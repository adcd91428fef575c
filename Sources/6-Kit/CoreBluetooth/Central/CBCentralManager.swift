internal import ANCSKit
public import Foundation
internal import LinuxIO

/// Scans for peripherals and connects to them.
///
/// All managers of the process share one adapter: that of bluetoothd, or the one that `CB_LINUX_ADAPTER` in the
/// environment names, such as `hci-socket:1` or `hci0`. The delegate is called on the queue of the manager, and that is
/// where the program should use the manager and its peripherals. What can be read of them, such as ``CBPeripheral/state``
/// or ``CBCharacteristic/value``, is what the delegate was told: it changes on the queue, just before the call.
open class CBCentralManager: CBManager {
    /// Receives what happens.
    open weak var delegate: (any CBCentralManagerDelegate)?
    /// Whether the manager scans.
    open internal(set) var isScanning = false

    /// The manager that does the work; `nil` if there is no adapter.
    let manager: CentralManager?
    let calls: DelegateQueue<CBCentralManager>
    let table = PeripheralObjects()
    /// What `registerForConnectionEvents(options:)` asked for.
    var wantedEvents: ConnectionEventFilter?
    /// The peripherals with a link of any program, and their services, as far as they were looked for.
    var connected: [UUID: (device: Peripheral, services: [CBUUID])] = [:]
    /// The devices whose services are awaited before the program is told that Bluetooth is on.
    var awaited: Set<UUID> = []
    /// Whether the program has asked for connected peripherals.
    var asksForConnected = false

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil) }

    /// A manager that calls its delegate on a queue; `nil` is the main queue. Options have no effect on Linux.
    public init(
        delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        self.delegate = delegate
        let adapter = SharedAdapter.get()
        let loop = try? adapter.get().loop
        calls = DelegateQueue(queue ?? .main, on: loop)
        manager = (try? adapter.get()).map { CentralManager($0, maximumPendingEvents: 0) }
        super.init(.unknown)
        calls.owner = self
        if options?[CBCentralManagerOptionRestoreIdentifierKey] != nil {
            Diagnostics.ignored(
                "restoration", because: "Linux does not relaunch a program for Bluetooth")
        }
        if case .failure(let error) = adapter {
            Diagnostics.writeOnce("there is no Bluetooth: \(error.message)")
            calls.post { $0.updateState(.unsupported) }
        } else {
            follow()
        }
    }

    /// What special abilities the controller has: none that Core Bluetooth has a name for.
    public class func supports(_ features: Feature) -> Bool { features.isEmpty }

    /// Special abilities of a controller.
    public struct Feature: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Abilities, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Extended scanning and connecting.
        public static let extendedScanAndConnect = Self(rawValue: 1)
    }

    // MARK: Scanning

    /// Scans until ``stopScan()`` for peripherals that advertise one of the services, or for all if there are none. A
    /// second call replaces the first.
    open func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil
    ) {
        guard isOn(for: "scanForPeripherals(withServices:options:)"), let manager else { return }
        let repeats = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
        let scan = ScanOptions(
            allowsDuplicates: repeats, solicitedServices: (solicited ?? []).map(\.value))
        let services = serviceUUIDs?.map(\.value)
        isScanning = true
        manager.run { [calls] manager in
            do throws(BluetoothError) {
                try manager.scanForPeripherals(withServices: services, options: scan)
            } catch { calls.post { $0.scanEnded(error.message) } }
        }
    }

    /// Stops scanning.
    open func stopScan() {
        guard isOn(for: "stopScan()"), let manager else { return }
        isScanning = false
        manager.run { $0.stopScan() }
    }

    func scanEnded(_ reason: String) {
        isScanning = false
        Diagnostics.write("scanning has ended: \(reason)")
    }

    // MARK: Connecting

    /// Connects a peripheral, and waits for it without a limit, also while Bluetooth is off. The delegate is told the
    /// outcome. The program has to keep the peripheral.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        let method = "connect(_:options:)"
        guard isOn(for: method), owns(peripheral, in: method) else { return }
        peripheral.reconnects =
            options?[CBConnectPeripheralOptionEnableAutoReconnect] as? Bool ?? false
        for option in (options ?? [:]).keys.sorted()
        where option != CBConnectPeripheralOptionEnableAutoReconnect {
            Diagnostics.ignored(
                "the option \(option)", because: "Linux has neither background nor ANCS for it")
        }
        if peripheral.state != .connected { peripheral.state = .connecting }
        begin(peripheral)
    }

    /// Begins to connect a peripheral.
    func begin(_ peripheral: CBPeripheral) {
        peripheral.attempt += 1
        let (id, attempt) = (peripheral.identifier, peripheral.attempt)
        manager?.run { [calls] manager in
            guard let device = manager.retrieve(id) else {
                let error = BluetoothError(.unknownDevice)
                return calls.post { $0.didNotConnect(id, attempt, error) }
            }
            let wasConnected = device.assumeOnLoop { $0.state } == .connected
            manager.beginConnecting(device, timeout: nil, waiter: manager.makeWaiter()) { error in
                if let error {
                    calls.post { $0.didNotConnect(id, attempt, error) }
                } else if wasConnected {
                    calls.post { $0.didConnect(id, device, writeLimit: nil) }
                }
            }
        }
    }

    /// Ends the connection of a peripheral for this manager, or the attempt to connect it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        // Also while Bluetooth is off, because an attempt outlasts that.
        guard owns(peripheral, in: "cancelPeripheralConnection(_:)"), let manager else { return }
        peripheral.reconnects = false
        switch peripheral.state {
        case .disconnected, .disconnecting: return
        case .connected: peripheral.state = .disconnecting
        case .connecting: break
        }
        manager.cancel(peripheral.identifier)
    }

    // MARK: Retrieving

    /// The known peripherals with these identifiers: those that are bonded, that this program has connected in this run
    /// or an earlier one, or that it has discovered in this run.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isOn(for: "retrievePeripherals(withIdentifiers:)") else { return [] }
        return identifiers.filter(table.knows).map { retrieved($0) }
    }

    /// The peripherals with a link that have one of these services. Any program may have connected them; this manager
    /// still has to.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isOn(for: "retrieveConnectedPeripherals(withServices:)") else { return [] }
        if !asksForConnected {
            asksForConnected = true
            for link in connected.values where link.services.isEmpty { look(at: link.device) }
        }
        return connected.filter { $0.value.services.contains(where: serviceUUIDs.contains) }.keys
            .sorted { $0.uuidString < $1.uuidString }.map { retrieved($0) }
    }

    /// Calls `centralManager(_:connectionEventDidOccur:for:)` from now on when a peripheral that the options name gets a
    /// link or loses it; `nil` ends that.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isOn(for: "registerForConnectionEvents(options:)") else { return }
        wantedEvents = options.map(ConnectionEventFilter.init)
    }

    private func retrieved(_ id: UUID) -> CBPeripheral {
        let peripheral = table.object(id) { CBPeripheral(id, of: self) }
        manager?.run { [calls] manager in
            guard let device = manager.retrieve(id) else { return }
            let name = device.assumeOnLoop { $0.name }
            calls.post { $0.table[id]?.found(device, named: name) }
        }
        return peripheral
    }

    private func owns(_ peripheral: CBPeripheral, in method: String) -> Bool {
        if peripheral.central === self { return true }
        Diagnostics.write("\(method) has no effect: the peripheral is of another manager")
        return false
    }
}
