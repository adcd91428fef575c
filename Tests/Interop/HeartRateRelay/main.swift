// swift-format-ignore-file
// A program for a Mac that is both at once: it listens to a heart-rate sensor, and is one. In Swift 5, with a queue of its
// own and without a word about Linux.
import CoreBluetooth

private let heartRate = CBUUID(string: "180D")
private let measurement = CBUUID(string: "2A37")
private let queue = DispatchQueue(label: "relay")

class Relay: NSObject {
    private var central: CBCentralManager!
    private var peripheral: CBPeripheralManager!
    private var sensor: CBPeripheral?
    private var waiting: [Data] = []
    private let values = CBMutableCharacteristic(
        type: measurement, properties: .notify, value: nil, permissions: [])

    override init() {
        super.init()
        peripheral = CBPeripheralManager(delegate: self, queue: queue)
    }

    private func send() {
        while let value = waiting.first,
            peripheral.updateValue(value, for: values, onSubscribedCentrals: nil)
        {
            waiting.removeFirst()
        }
    }
}

extension Relay: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return print("relay: \(peripheral.state)") }
        let service = CBMutableService(type: heartRate, primary: true)
        service.characteristics = [values]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Relay",
            CBAdvertisementDataServiceUUIDsKey: [heartRate],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        print("advertising", error?.localizedDescription ?? "")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        print("subscribed")
        // Only now, so that no value is missed.
        self.central = CBCentralManager(delegate: self, queue: queue)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }
}

extension Relay: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(
            withServices: [heartRate],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
        guard sensor == nil, peripheral.name == "Pulse" else { return }
        sensor = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }
}

extension Relay: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == heartRate }) else {
            return
        }
        peripheral.discoverCharacteristics([measurement], for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
    ) {
        service.characteristics?.forEach { peripheral.setNotifyValue(true, for: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let value = characteristic.value { waiting.append(value) }
        send()
    }
}

let relay = Relay()
dispatchMain()
