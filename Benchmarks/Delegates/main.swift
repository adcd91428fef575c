// Measures the processor time that values of a sensor take in a program with the events of a CentralManager, and in one
// with Core Bluetooth's delegates, which is on top of it.
//   delegate-benchmark send CONTROLLER COUNT
//   delegate-benchmark events|tasks|delegates CONTROLLER COUNT
// With `events`, the program runs on the loop of its adapter, and with `tasks` on the threads of Swift, as one does that
// says nothing about it.
internal import ANCSKit
internal import CoreBluetooth
internal import Foundation
internal import Glibc

/// The processor time of this process until now, in microseconds.
func processorTime() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
        $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec)
    }
}

/// Counts values, and ends the program after the last with the microseconds that all of it took.
final class Meter {
    private let count: Int
    private var received = 0

    init(_ count: Int) { self.count = count }

    func receive() {
        received += 1
        guard received == count else { return }
        print(processorTime())
        exit(0)
    }
}

final class Program: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let meter: Meter
    private var central: CBCentralManager?
    private var sensor: CBPeripheral?

    init(_ meter: Meter) {
        self.meter = meter
        super.init()
        central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "program"))
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
        sensor = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { if characteristic.value != nil { meter.receive() } }
}

/// The same with events, on the loop of the adapter or elsewhere.
func receive(at controller: String, _ count: Int, onLoop: Bool) async throws {
    let adapter = try BluetoothAdapter(name: "Program", at: .hci(controller))
    let executor: any TaskExecutor = onLoop ? adapter.loop : globalConcurrentExecutor
    try await Task(executorPreference: executor) {
        let meter = Meter(count)
        // None of the values may be dropped.
        let central = CentralManager(adapter, maximumPendingEvents: count)
        await adapter.start()
        for await event in central.events {
            switch event {
            case .stateUpdated(.poweredOn):
                try await central.scanForPeripherals(withServices: ["180D"])
            case .discovered(let peripheral, _, _):
                await central.stopScan()
                Task(executorPreference: executor) {
                    try await central.connect(peripheral)
                    for service in try await peripheral.discoverServices(["180D"]) {
                        for characteristic in try await peripheral.discoverCharacteristics(
                            nil, for: service)
                        {
                            try await peripheral.setNotifyValue(true, for: characteristic)
                        }
                    }
                }
            case .valueUpdated: meter.receive()
            default: break
            }
        }
    }.value
}

/// A sensor that sends a value each millisecond: none shares a wake-up with another.
func send(at controller: String, _ count: Int) async throws {
    let adapter = try BluetoothAdapter(name: "Pulse", at: .hci(controller))
    let manager = PeripheralManager(adapter)
    let rate = MutableCharacteristic(type: "2A37", properties: .notify, permissions: [])
    let service = MutableService(type: "180D")
    service.characteristics = [rate]
    try await manager.add(service)
    await adapter.start()
    var sent = 0
    for await event in manager.events {
        if case .stateUpdated(.poweredOn) = event {
            try await manager.startAdvertising(AdvertisementData(serviceUUIDs: ["180D"]))
        }
        if case .didUnsubscribe = event { return }
        guard !rate.subscribedCentrals.isEmpty else { continue }
        while sent < count, await manager.updateValue([0, 72], for: rate) {
            sent += 1
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), count > 0 else {
    print("usage: delegate-benchmark send|events|tasks|delegates CONTROLLER COUNT")
    exit(2)
}
switch arguments[1] {
case "send": try await send(at: arguments[2], count)
case "events": try await receive(at: arguments[2], count, onLoop: true)
case "tasks": try await receive(at: arguments[2], count, onLoop: false)
default:
    setenv("CB_LINUX_ADAPTER", arguments[2], 1)
    let program = Program(Meter(count))
    while true { try await Task.sleep(for: .seconds(3600)) }
    withExtendedLifetime(program) {}
}
