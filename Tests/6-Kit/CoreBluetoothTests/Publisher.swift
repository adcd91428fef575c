import CoreBluetooth

/// A heart-rate sensor as one writes it on a Mac: what it is told, in order.
final class Publisher: NSObject, CBPeripheralManagerDelegate {
    var told: [String] = []
    var written: [[UInt8]] = []
    var (next, last) = (0, 0)
    var manager: CBPeripheralManager?
    var whenRead: ((CBATTRequest) -> CBATTError.Code)?
    let rate = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.notify, .read], value: nil,
        permissions: .readable)
    let location = CBMutableCharacteristic(
        type: CBUUID(string: "2A38"), properties: .read, value: Data([1]), permissions: .readable)
    let control = CBMutableCharacteristic(
        type: CBUUID(string: "2A39"), properties: [.write, .writeWithoutResponse], value: nil,
        permissions: .writeable)
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)

    func start(on queue: DispatchQueue = DispatchQueue(label: "publisher")) {
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    /// Sends the numbers up to `last`, as far as there is room.
    func send() {
        while next < last,
            manager?.updateValue(
                Data([1, UInt8(next & 0xFF), UInt8(next >> 8)]), for: rate,
                onSubscribedCentrals: nil)
                == true
        {
            next += 1
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        told.append("state \(peripheral.state)")
        guard peripheral.state == .poweredOn else { return }
        control.descriptors = [
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Control")
        ]
        service.characteristics = [rate, location, control]
        peripheral.add(service)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
        told.append("added \(service.uuid) \(error == nil)")
        guard error == nil, !peripheral.isAdvertising else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Pulse",
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager, error: (any Error)?
    ) { told.append("advertising \(peripheral.isAdvertising) \((error as NSError?)?.code ?? -1)") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        told.append("subscribed \(characteristic === rate) \(rate.subscribedCentrals?.count ?? -1)")
        send()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) { told.append("unsubscribed \(rate.subscribedCentrals?.count ?? -1)") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
    ) {
        told.append("read \(request.characteristic.uuid)")
        let result = whenRead?(request) ?? .success
        peripheral.respond(to: request, withResult: result)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
    ) {
        written += requests.map { $0.value.map(Array.init) ?? [] }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) { told.append("channel \((error as? CBError)?.code == .operationNotSupported)") }
}
