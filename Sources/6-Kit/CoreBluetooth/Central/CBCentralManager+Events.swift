internal import ANCSKit
internal import Foundation
internal import LinuxIO

// On the loop: what happens, for the queue.
extension CBCentralManager {
    /// Has everything reported that happens from now on.
    func follow() {
        table.know(StoredPeers.identifiers(in: SharedAdapter.directory).map(UUID.init))
        manager?.run { [calls] manager in
            manager.onLink = { device, isUp in
                let id = UUID(device.identifier)
                calls.post { $0.linkChanged(id, device, isUp: isUp) }
            }
            manager.observe(for: calls) { [weak manager] event in
                // There are no more events once the adapter has ended.
                if let manager {
                    Self.received(event ?? .stateUpdated(.poweredOff), manager, calls)
                }
            }
            Self.received(.stateUpdated(manager.state), manager, calls)
        }
    }

    private static func received(
        _ event: CentralManagerEvent, _ manager: CentralManager,
        _ calls: DelegateQueue<CBCentralManager>
    ) {
        switch event {
        case .stateUpdated(.unknown): break
        case .stateUpdated(let state):
            let reason = manager.assumeOnLoop { $0.stateReason }
            let (bonds, hasEnded) = manager.adapter.assumeOnLoop { ($0.bonds, $0.hasEnded) }
            let devices = manager.assumeOnLoop { $0.connectedPeripherals }
            calls.post { central in
                central.table.know(bonds.map { UUID($0.identifier) })
                let state = hasEnded ? .unsupported : CBManagerState(state)
                central.stateChanged(to: state, because: reason, devices)
            }
        case .discovered(let device, let data, let rssi):
            let (id, name) = device.identity
            calls.post(isValue: true) { $0.didDiscover(id, device, named: name, data, rssi) }
        case .scanningStopped(let error): calls.post { $0.scanEnded(error.message) }
        case .connected(let device):
            let (id, limit) = (UUID(device.identifier), device.writeLimit)
            calls.post { $0.didConnect(id, device, writeLimit: limit) }
        case .disconnected(let device, let error):
            let id = UUID(device.identifier)
            calls.post { $0.didDisconnect(id, error) }
        case .identified(let device, let former):
            let id = UUID(device.identifier)
            calls.post { central in
                central.table.identified(UUID(former), as: id, device)
                let link = central.connected.removeValue(forKey: UUID(former))
                central.connected[id] = link ?? central.connected[id]
            }
        case .valueUpdated(let device, let characteristic, let value):
            let id = UUID(device.identifier)
            calls.post(isValue: true) { $0.table[id]?.notified(characteristic, value) }
        case .notificationsEnded(let device, let characteristic):
            let id = UUID(device.identifier)
            calls.post { $0.table[id]?.unsubscribed(characteristic) }
        case .servicesModified(let device, let services):
            let id = UUID(device.identifier)
            calls.post { $0.table[id]?.modified(services) }
        case .nameUpdated(let device):
            let (id, name) = device.identity
            calls.post { $0.table[id]?.renamed(name) }
        // The peripheral counts what is on its way, and no events are queued here.
        case .isReadyToSendWriteWithoutResponse, .missed: break
        }
    }
}

// On the queue: what the program is told.
extension CBCentralManager {
    /// How long the state waits for the services of devices that are connected already.
    private static var patience: Duration { .seconds(2) }

    /// That Bluetooth is on is told once the services of the devices that are connected are known, for
    /// `retrieveConnectedPeripherals(withServices:)`, but not much later.
    fileprivate func stateChanged(
        to state: CBManagerState, because reason: String?, _ devices: [Peripheral]
    ) {
        if state == .unsupported || state == .unauthorized, let reason {
            Diagnostics.writeOnce("Bluetooth is \(state): \(reason)")
        }
        awaited = state == .poweredOn ? Set(devices.map { UUID($0.identifier) }) : []
        guard !awaited.isEmpty else { return updateState(state) }
        for device in devices { look(at: device) }
        manager?.wait(for: Self.patience) { [calls] in
            calls.post { central in
                // Another state may have come, and this one again.
                guard !central.awaited.isEmpty else { return }
                central.awaited = []
                central.updateState(.poweredOn)
            }
        }
    }

    func updateState(_ state: CBManagerState) {
        guard state != self.state else { return }
        update(state)
        if state != .poweredOn { (isScanning, connected) = (false, [:]) }
        delegate?.centralManagerDidUpdateState(self)
    }

    fileprivate func didDiscover(
        _ id: UUID, _ device: Peripheral, named name: String?, _ data: AdvertisementData,
        _ rssi: Int?
    ) {
        // The program may have stopped the scan meanwhile.
        guard isScanning else { return }
        let (peripheral, rssi) = (object(id, device, named: name), NSNumber(value: rssi ?? 127))
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: data.cb, rssi: rssi)
    }

    func didConnect(_ id: UUID, _ device: Peripheral, writeLimit: Int?) {
        // The program may have cancelled it meanwhile; its end follows.
        guard let peripheral = table[id], peripheral.state != .disconnecting else { return }
        peripheral.connected(device, writeLimit: writeLimit)
        delegate?.centralManager(self, didConnect: peripheral)
    }

    /// An attempt to connect ended. The program may have begun another one since.
    func didNotConnect(_ id: UUID, _ attempt: Int, _ error: BluetoothError) {
        guard let peripheral = table[id], peripheral.state == .connecting else { return }
        if attempt == peripheral.attempt { peripheral.disconnected() }
        guard error.code != .operationCancelled else { return tellEnd(of: peripheral, nil) }
        delegate?.centralManager(self, didFailToConnect: peripheral, error: error.cb)
    }

    fileprivate func didDisconnect(_ id: UUID, _ error: BluetoothError?) {
        // The link may have been that of an object which the program has dropped.
        guard let peripheral = table[id], peripheral.isLinked else { return }
        // The program may have asked for another link already.
        let isAwaited = peripheral.state == .connecting
        peripheral.disconnected()
        let reconnects = peripheral.reconnects && error != nil && state == .poweredOn
        if reconnects || isAwaited { peripheral.state = .connecting }
        tellEnd(of: peripheral, error, reconnects: reconnects)
        if reconnects, peripheral.state == .connecting { begin(peripheral) }
    }

    private func tellEnd(
        of peripheral: CBPeripheral, _ error: BluetoothError?, reconnects: Bool = false
    ) {
        delegate?.centralManager(
            self, didDisconnectPeripheral: peripheral, timestamp: CFAbsoluteTimeGetCurrent(),
            isReconnecting: reconnects, error: error?.cb)
    }

    private func object(_ id: UUID, _ device: Peripheral, named name: String?) -> CBPeripheral {
        let peripheral = table.object(id) { CBPeripheral(id, of: self) }
        peripheral.found(device, named: name)
        return peripheral
    }

    // MARK: Links of anybody

    fileprivate func linkChanged(_ id: UUID, _ device: Peripheral, isUp: Bool) {
        table.know([id])
        guard isUp else {
            let services = connected.removeValue(forKey: id)?.services ?? []
            return occurred(.peerDisconnected, id, device, services)
        }
        connected[id] = (device, [])
        // Its identifier may be all that the program asks for.
        occurred(.peerConnected, id, device, [])
        if asksForConnected || wantedEvents != nil { look(at: device) }
    }

    /// Finds the services of a device with a link.
    func look(at device: Peripheral) {
        manager?.run { [calls] manager in
            manager.findServices(of: device) { services in
                let (id, services) = (UUID(device.identifier), services.map(CBUUID.init))
                calls.post { $0.found(services, id, device) }
            }
        }
    }

    private func found(_ services: [CBUUID], _ id: UUID, _ device: Peripheral) {
        let isNews = connected[id]?.services.isEmpty ?? false
        connected[id] = (device, services)
        if awaited.remove(id) != nil, awaited.isEmpty { return updateState(.poweredOn) }
        if isNews, wantedEvents?.contains(id, []) == false {
            occurred(.peerConnected, id, device, services)
        }
    }

    private func occurred(
        _ event: CBConnectionEvent, _ id: UUID, _ device: Peripheral, _ services: [CBUUID]
    ) {
        guard wantedEvents?.contains(id, services) == true else { return }
        let peripheral = object(id, device, named: nil)
        delegate?.centralManager(self, connectionEventDidOccur: event, for: peripheral)
    }
}

extension AdvertisementData {
    /// The dictionary of Core Bluetooth.
    fileprivate var cb: [String: Any] {
        var data: [String: Any] = [:]
        data[CBAdvertisementDataLocalNameKey] = localName
        data[CBAdvertisementDataManufacturerDataKey] = manufacturerData.map { Data($0) }
        data[CBAdvertisementDataTxPowerLevelKey] = txPowerLevel.map { NSNumber(value: $0) }
        data[CBAdvertisementDataIsConnectable] = isConnectable.map { NSNumber(value: $0) }
        for (key, services) in [
            (CBAdvertisementDataServiceUUIDsKey, serviceUUIDs),
            (CBAdvertisementDataOverflowServiceUUIDsKey, overflowServiceUUIDs),
            (CBAdvertisementDataSolicitedServiceUUIDsKey, solicitedServiceUUIDs),
        ] where !services.isEmpty {
            data[key] = services.map(CBUUID.init)
        }
        if !serviceData.isEmpty {
            data[CBAdvertisementDataServiceDataKey] = Dictionary(
                uniqueKeysWithValues: serviceData.map { (CBUUID($0), Data($1)) })
        }
        return data
    }
}
