// swift-format-ignore-file
import CoreBluetooth
import Foundation

let heartRateService = CBUUID(string: "180D")
let measurementUUID = CBUUID(string: "2A37")
let locationUUID = CBUUID(string: "2A38")

final class Monitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var central: CBCentralManager!
    var monitor: CBPeripheral?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn: central.scanForPeripherals(withServices: [heartRateService])
        case .poweredOff: print("Bluetooth is off")
        case .unauthorized: print("not allowed")
        case .unsupported: print("no Bluetooth")
        default: break
        }
    }

    func centralManager(_ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
                        advertisementData: [String: Any], rssi RSSI: NSNumber) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "?"
        print("found \(name), \(RSSI) dBm, \(peripheral.identifier)")
        monitor = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([heartRateService])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        print("disconnected", error?.localizedDescription ?? "")
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] where service.uuid == heartRateService {
            peripheral.discoverCharacteristics([measurementUUID, locationUUID], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard let data = characteristic.value else { return }
        switch characteristic.uuid {
        case measurementUUID:
            let value = data[0] & 1 == 0 ? Int(data[1]) : Int(data[1]) | Int(data[2]) << 8
            print("\(value) bpm")
        case locationUUID:
            print("sensor location \(data[0])")
        default: break
        }
    }
}

let monitor = Monitor()
RunLoop.main.run()

