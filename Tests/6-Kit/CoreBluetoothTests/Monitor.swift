import CoreBluetooth

/// A program as one writes it on a Mac: what it is told, in order, and what it then does.
final class Monitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// What it was told, in words.
    var told: [String] = []
    var values: [Int] = []
    var peripheral: CBPeripheral?
    var advertisement: [String: Any] = [:]
    /// How far it goes by itself.
    var subscribes = true
    var connects = true
    var reconnects = false
    var whenConnected: (() -> Void)?
    var whenUpdated: (() -> Void)?
    var central: CBCentralManager?

    func start(on queue: DispatchQueue = DispatchQueue(label: "monitor")) {
        central = CBCentralManager(delegate: self, queue: queue)
    }

    subscript(_ uuid: String) -> CBCharacteristic? {
        peripheral?.services?.lazy.compactMap(\.characteristics).joined()
            .first { $0.uuid == CBUUID(string: uuid) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        told.append("state \(central.state)")
        whenUpdated?()
        if central.state == .poweredOn {
            central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil || self.peripheral === peripheral else { return }
        if self.peripheral == nil { told.append("discovered \(peripheral.name ?? "?")") }
        advertisement.merge(advertisementData) { $1 }
        self.peripheral = peripheral
        peripheral.delegate = self
        guard connects else { return }
        central.stopScan()
        let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]
        central.connect(peripheral, options: reconnects ? options : nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        told.append("connected \(peripheral.state == .connected)")
        whenConnected?()
        if subscribes { peripheral.discoverServices([CBUUID(string: "180D")]) }
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { told.append("failed \((error as? CBError)?.code.rawValue ?? -1)") }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        let error = error.map { "\(($0 as NSError).domain) \(($0 as NSError).code)" }
        told.append("disconnected \(peripheral.state == .disconnected) \(error ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        told.append("services \(peripheral.services?.map(\.uuid.uuidString) ?? [])")
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        told.append("characteristics \(service.characteristics?.map(\.uuid.uuidString) ?? [])")
        for characteristic in service.characteristics ?? []
        where characteristic.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { told.append("descriptors \(characteristic.descriptors?.map(\.uuid.uuidString) ?? [])") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { told.append("notifying \(characteristic.isNotifying)") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error = error as? CBATTError {
            told.append("refused \(error.errorCode) \((error as NSError).domain)")
        } else if characteristic.uuid == CBUUID(string: "2A37"), let data = characteristic.value {
            values.append(Int(data[1]) | Int(data[2]) << 8)
        } else {
            told.append("value \(characteristic.value.map(Array.init) ?? [])")
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) { told.append("descriptor \(descriptor.value ?? "-")") }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { told.append("written \(error == nil)") }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        told.append("rssi \(error == nil && RSSI != 127)")
    }

    func peripheral(
        _ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        told.append("channel \((error as? CBError)?.code == .operationNotSupported)")
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        told.append("ready \(peripheral.canSendWriteWithoutResponse)")
    }
}
