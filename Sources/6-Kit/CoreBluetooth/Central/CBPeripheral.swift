internal import ANCSKit
internal import Foundation
internal import LinuxIO

/// A device that a ``CBCentralManager`` discovered, or retrieved. The program has to keep it: the connection of a
/// peripheral that nobody holds any more is cancelled.
open class CBPeripheral: CBPeer {
    /// Receives what happens.
    open weak var delegate: (any CBPeripheralDelegate)?
    /// The name, as last received; `nil` if there was none.
    open internal(set) var name: String?
    /// Whether it is connected for its manager.
    open internal(set) var state = CBPeripheralState.disconnected
    /// The services that were discovered since it is connected; `nil` before.
    open internal(set) var services: [CBService]?
    /// Whether the device may receive this machine's notifications, which Linux offers to none.
    open var ancsAuthorized: Bool { false }

    weak var central: CBCentralManager?
    /// The peripheral that does the work, once it was found.
    var device: Peripheral?
    /// The number of links and ends so far: nothing of an earlier link is reported.
    var link = 0
    /// Whether it is connected as far as the manager was told, whatever the program has asked for since.
    var isLinked = false
    /// The number of attempts to connect so far.
    var attempt = 0
    /// Whether the manager connects again when a link is lost.
    var reconnects = false
    var writeLimit = 20
    /// That for values without a response.
    var room = Room()
    private var serviceObjects: [ObjectIdentifier: CBService] = [:]
    private var characteristicObjects: [ObjectIdentifier: CBCharacteristic] = [:]

    init(_ identifier: UUID, of central: CBCentralManager) {
        self.central = central
        super.init(identifier)
    }

    deinit {
        guard state != .disconnected, let manager = central?.manager else { return }
        Diagnostics.write(
            "the connection of the peripheral \(identifier) is cancelled: the program does not hold it any more"
        )
        manager.cancel(identifier)
    }

    /// The identifier and the state, because a name from a device is untrusted.
    open override var description: String { "CBPeripheral(\(identifier), \(state))" }

    // MARK: What happens to it

    func found(_ device: Peripheral, named name: String?) {
        self.device = device
        self.name = name ?? self.name
    }

    func connected(_ device: Peripheral, writeLimit: Int?) {
        self.device = device
        self.writeLimit = writeLimit ?? self.writeLimit
        if !isLinked { link += 1 }
        (state, isLinked) = (.connected, true)
    }

    func disconnected() {
        (state, isLinked, services) = (.disconnected, false, nil)
        room = Room()
        link += 1
        for characteristic in characteristicObjects.values { characteristic.isNotifying = false }
        // Services may include each other.
        for service in serviceObjects.values { service.includedServices = nil }
        (serviceObjects, characteristicObjects) = ([:], [:])
    }

    func renamed(_ name: String?) {
        self.name = name
        delegate?.peripheralDidUpdateName(self)
    }

    func notified(_ characteristic: Characteristic, _ value: [UInt8]) {
        guard let object = self[characteristic] else { return }
        object.value = Data(value)
        delegate?.peripheral(self, didUpdateValueFor: object, error: nil)
    }

    func subscribed(_ isNotifying: Bool, _ object: CBCharacteristic, _ error: (any Error)?) {
        if error == nil { object.isNotifying = isNotifying }
        delegate?.peripheral(self, didUpdateNotificationStateFor: object, error: error)
    }

    func unsubscribed(_ characteristic: Characteristic) {
        if let object = self[characteristic] { subscribed(false, object, nil) }
    }

    func modified(_ invalidated: [Service]) {
        let objects = invalidated.compactMap {
            serviceObjects.removeValue(forKey: ObjectIdentifier($0))
        }
        services?.removeAll { service in objects.contains { $0 === service } }
        for service in objects {
            service.includedServices = nil
            for characteristic in service.characteristics ?? [] {
                characteristic.isNotifying = false
                characteristic.origin.map { characteristicObjects[ObjectIdentifier($0)] = nil }
            }
        }
        delegate?.peripheral(self, didModifyServices: objects)
    }

    // MARK: Objects

    subscript(characteristic: Characteristic) -> CBCharacteristic? {
        characteristicObjects[ObjectIdentifier(characteristic)]
    }

    subscript(service: Service) -> CBService? { serviceObjects[ObjectIdentifier(service)] }

    func objects(of services: [Service]) -> [CBService] {
        services.map { service in
            if let known = self[service] { return known }
            let object = CBService(service, of: self)
            serviceObjects[ObjectIdentifier(service)] = object
            return object
        }
    }

    func objects(of characteristics: [Characteristic], in service: CBService) -> [CBCharacteristic]
    {
        characteristics.map { characteristic in
            if let known = self[characteristic] { return known }
            let object = CBCharacteristic(characteristic, of: service)
            characteristicObjects[ObjectIdentifier(characteristic)] = object
            return object
        }
    }
}
