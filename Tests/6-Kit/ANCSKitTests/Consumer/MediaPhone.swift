import AMS
import BluetoothLE
import LinuxIO
import Octets

@testable import ANCSKit

/// The Apple Media Service on the adapter of a phone, for one accessory: octets, as an imitation might send them.
final class MediaPhone: @unchecked Sendable {
    // Unchecked: used on the loop's thread only.

    /// What an accessory did, in octets: `cp`, `eu` or `ea` with what was written; `read`; `sub`.
    private(set) var seen: [String] = []
    /// The values, by entity and attribute.
    var values: [[UInt8]: [UInt8]] = [:]
    /// What the next writes are refused with.
    var refusal: ATTErrorCode?
    /// Called when an attribute was written to Entity Attribute.
    var selected: (() -> Void)?

    let manager: PeripheralManager
    let service = MutableService(type: BluetoothUUID(AMSUUID.service))
    let command: MutableCharacteristic
    let update: MutableCharacteristic
    let attribute: MutableCharacteristic
    private var registered: Set<[UInt8]> = []
    private var central: Central?
    private var selection: [UInt8] = []
    private var waiting: [(MutableCharacteristic, [UInt8])] = []

    /// A service on the adapter of a phone; it is published by ``publish()``.
    init(on phone: NotificationProvider, hasConfiguration: Bool = true, hasAttribute: Bool = true) {
        manager = PeripheralManager(phone.adapter)
        let notify: Characteristic.Properties = hasConfiguration ? .notify : []
        command = Self.make(AMSUUID.remoteCommand, [.write, .notify], .writeEncryptionRequired)
        update = Self.make(
            AMSUUID.entityUpdate, Characteristic.Properties.write.union(notify),
            .writeEncryptionRequired)
        attribute = Self.make(
            AMSUUID.entityAttribute, [.write, .read],
            [.writeEncryptionRequired, .readEncryptionRequired])
        service.characteristics = [command, update] + (hasAttribute ? [attribute] : [])
        manager.assumeOnLoop { $0.observe { [weak self] in self?.receive($0) } }
    }

    private static func make(
        _ uuid: UInt128, _ properties: Characteristic.Properties,
        _ permissions: MutableCharacteristic.Permissions
    ) -> MutableCharacteristic {
        MutableCharacteristic(
            type: BluetoothUUID(uuid), properties: properties, permissions: permissions)
    }

    func publish() throws { try manager.assumeOnLoop { try $0.add(service) } }

    func remove() { manager.assumeOnLoop { $0.remove(service) } }

    /// Sets a value, and reports it if it was registered for.
    func set(_ entity: UInt8, _ id: UInt8, _ text: String) { set(entity, id, Array(text.utf8)) }

    func set(_ entity: UInt8, _ id: UInt8, _ value: [UInt8]) {
        values[[entity, id]] = value
        report([entity, id])
    }

    /// Sends anything.
    func notify(_ characteristic: MutableCharacteristic, _ value: [UInt8]) {
        waiting.append((characteristic, value))
        flush()
    }

    private func flush() {
        while let (characteristic, value) = waiting.first,
            manager.assumeOnLoop({ $0.updateValue(value, for: characteristic) })
        { waiting.removeFirst() }
    }

    private func report(_ key: [UInt8]) {
        guard registered.contains(key), let value = values[key], let central else { return }
        let room = central.maximumUpdateValueLength - 3
        notify(update, key + [value.count > room ? 1 : 0] + value.prefix(room))
    }

    private func receive(_ event: PeripheralManagerEvent) {
        switch event {
        case .didSubscribe(let central, let characteristic):
            self.central = central
            seen.append("sub \(characteristic === command ? "cp" : "eu")")
            if characteristic === command { notify(command, [0, 1, 3]) }
        case .didUnsubscribe: (registered, waiting) = ([], [])
        case .isReadyToUpdateSubscribers: flush()
        case .didReceiveWrite(let requests): for request in requests { write(request) }
        case .didReceiveRead(let request):
            seen.append("read")
            request.value = values[selection]
            respond(request, nil)
        default: break
        }
    }

    private func respond(_ request: ATTRequest, _ error: ATTErrorCode?) {
        manager.assumeOnLoop { $0.respond(to: request, withResult: error ?? .success) }
    }

    private func write(_ request: ATTRequest) {
        let value = request.value ?? []
        central = request.central
        let name =
            request.characteristic === command
            ? "cp" : request.characteristic === update ? "eu" : "ea"
        seen.append("\(name) \(Hexadecimal.text(value))")
        respond(request, refusal)
        guard refusal == nil else { return }
        if request.characteristic === update {
            let keys = value.dropFirst().map { [value[0], $0] }
            registered = registered.filter { $0[0] != value[0] }.union(keys)
            for key in keys { report(key) }
        } else if request.characteristic === attribute {
            selection = value
            selected?()
        }
    }
}
