internal import ANCSReceiver
internal import BlueZ

/// The objects of bluetoothd: doc/org.bluez.*.rst in its source.
extension FactsReader {
    /// The maximum number of devices: a desktop that scans in a crowded place knows hundreds. Paired phones
    /// are never left out.
    private static let limit = 64

    func readBluetoothd(_ look: BusLook) async -> Facts.Bluetoothd {
        var bluetoothd = Facts.Bluetoothd()
        switch await look.objects(of: ObjectTree.service, at: .root) {
        case .success(let objects):
            bluetoothd.adapters = objects.compactMap { object in
                var adapter = Self.adapter(object.path, object.interfaces)
                adapter?.socketEnds = socketEnds(
                    object.interfaces[AdapterObject.interface]?["Modalias"]?.string ?? "")
                return adapter
            }
            bluetoothd.devices = Self.devices(of: objects).map(withLink)
        case .failure(let error): bluetoothd.answer = Self.answer(error)
        }
        return bluetoothd
    }

    /// The charge of the battery of a phone, by its address; `nil` if bluetoothd does not know it.
    package static func battery(of address: String, places: Places = Places()) async -> Int? {
        let reader = FactsReader(isSystem: true, configuration: nil, state: nil, places: places)
        return await reader.bluetoothd()?.devices.first {
            $0.address == address && $0.isConnected && $0.battery != nil
        }?.battery
    }

    private func withLink(_ device: Facts.Device) -> Facts.Device {
        guard places.asksKernel, device.isConnected, device.adapter.hasPrefix("hci"),
            let index = UInt16(device.adapter.dropFirst(3))
        else { return device }
        var device = device
        device.isEncrypted = KernelLink.isLinkEncrypted(from: device.address, to: index)
        return device
    }

    private func socketEnds(_ modalias: String) -> Seen<Int> {
        guard let state else { return .seen(0) }
        let selinux = SELinux.state(root: places.selinux)
        do throws(DaemonEndsTrouble) {
            switch try DaemonMemory(directory: state).verdict(modalias: modalias, selinux) {
            case .mayAsk: return .seen(0)
            case .endsDaemon(let count): return .seen(count)
            }
        } catch { return .unseen(because: error.message) }
    }

    private static func answer(_ error: BusError) -> Facts.Bluetoothd.Answer {
        switch error.name {
        case BusError.serviceUnknown, BusError.nameHasNoOwner: .notRunning
        case BusError.accessDenied: .denied
        case BusError.noReply: .noAnswer
        case _: .refused(error.message)
        }
    }

    private static func adapter(
        _ path: ObjectPath, _ interfaces: [String: [String: BusValue]]
    ) -> Facts.Adapter? {
        guard let properties = interfaces[AdapterObject.interface] else { return nil }
        let adapter = AdapterObject(properties)
        let advertising = interfaces[AdvertisingManagerObject.interface]
        var facts = Facts.Adapter(
            name: String(path.lastElement), address: adapter.address, isPowered: adapter.isPowered,
            canAdvertise: advertising != nil, roles: properties["Roles"]?.strings ?? [],
            activeAdvertisements: AdvertisingManagerObject(advertising ?? [:]).activeInstances,
            freeAdvertisements: advertising?["SupportedInstances"]?.integer ?? 0,
            version: BlueZVersion(modalias: adapter.modalias))
        facts.isDiscoverable = adapter.isDiscoverable && adapter.hasBasicRate
        return facts
    }

    // MARK: Devices

    private static func devices(of objects: BusObjects) -> [Facts.Device] {
        var devices: [ObjectPath: Facts.Device] = [:]
        for object in objects {
            guard let properties = object.interfaces[DeviceObject.interface] else { continue }
            var device = device(properties)
            device.isBondedOverLowEnergy =
                object.interfaces["org.bluez.Bearer.LE1"]?["Bonded"]?.bool
            device.hasAudio =
                object.interfaces["org.bluez.MediaControl1"]?["Connected"]?.bool == true
            device.battery = object.interfaces["org.bluez.Battery1"]?["Percentage"]?.integer
            devices[object.path] = device
        }
        addServices(of: objects, to: &devices)
        let phones = devices.sorted(byText: \.key.text).map(\.value).filter(\.isPhone)
        return Array((phones.filter(\.isPaired) + phones.filter { !$0.isPaired }).prefix(limit))
    }

    private static func device(_ properties: [String: BusValue]) -> Facts.Device {
        let object = DeviceObject(properties)
        var device = Facts.Device(
            name: object.name ?? "", address: object.address,
            adapter: properties["Adapter"]?.objectPath.map { String($0.lastElement) } ?? "")
        device.isConnected = object.isConnected
        device.isPaired = object.isPaired
        device.isBonded = properties["Bonded"]?.bool
        device.isTrusted = object.isTrusted
        device.isBlocked = object.isBlocked
        device.hasResolvedServices = object.hasResolvedServices
        device.knowsANCS = object.services.contains(ancs)
        device.isApplePhone =
            object.hasAppleMedia || object.seemsApplePhone(icon: properties["Icon"]?.string)
        device.hasBasicRate = object.classOfDevice.map { $0 != 0 } ?? false
        device.hasLowEnergyServices = object.looksLikeAnAppleDevice
        return device
    }

    private static let ancs = BluetoothUUID(ANCSUUID.service)

    /// The objects of ANCS, which exist while the phone offers it.
    private static func addServices(
        of objects: BusObjects, to devices: inout [ObjectPath: Facts.Device]
    ) {
        var owners: [ObjectPath: ObjectPath] = [:]
        for object in objects {
            guard let service = object.interfaces[AttributeObject.service],
                AttributeObject(service).uuid == ancs, let device = service["Device"]?.objectPath
            else { continue }
            owners[object.path] = device
            devices[device]?.hasANCS = true
        }
        for object in objects {
            guard let properties = object.interfaces[AttributeObject.characteristic],
                let device = properties["Service"]?.objectPath.flatMap({ owners[$0] })
            else { continue }
            let characteristic = AttributeObject(properties)
            guard characteristic.uuid == BluetoothUUID(ANCSUUID.notificationSource) else {
                continue
            }
            devices[device]?.isNotifying = characteristic.isNotifying || characteristic.isAcquired
        }
    }
}
