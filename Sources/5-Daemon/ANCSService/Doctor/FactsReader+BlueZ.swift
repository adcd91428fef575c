internal import ANCSReceiver
internal import BlueZ
internal import DBus
internal import LinuxIO

/// The objects of bluetoothd: doc/org.bluez.*.rst in its source.
extension FactsReader {
    /// The maximum number of devices: a desktop that scans in a crowded place knows hundreds. Paired phones
    /// are never left out.
    private static let limit = 64

    func readBluetoothd(_ look: BusLook) async -> Facts.Bluetoothd {
        var bluetoothd = Facts.Bluetoothd()
        switch await look.objects(of: BlueZAccessory.service, at: .root) {
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
        do throws(DaemonMemory.Unreadable) {
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
        guard let adapter = interfaces[AdapterObject.interface] else { return nil }
        let advertising = interfaces[AdvertisingManagerObject.interface]
        var facts = Facts.Adapter(
            name: String(path.lastElement), address: adapter["Address"]?.string ?? "",
            isPowered: adapter["Powered"]?.bool ?? false, canAdvertise: advertising != nil,
            roles: adapter["Roles"]?.strings ?? [],
            activeAdvertisements: advertising?["ActiveInstances"]?.integer ?? 0,
            freeAdvertisements: advertising?["SupportedInstances"]?.integer ?? 0,
            version: adapter["Modalias"]?.string.flatMap { BlueZVersion(modalias: $0) })
        facts.isDiscoverable =
            adapter["Discoverable"]?.bool == true
            && BasicRateAdvice.isOn(
                classOfDevice: adapter["Class"]?.integer ?? 0,
                services: adapter["UUIDs"]?.strings ?? [])
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
            devices[object.path] = device
        }
        addServices(of: objects, to: &devices)
        let phones = devices.sorted(byText: \.key.text).map(\.value).filter(\.isPhone)
        return Array((phones.filter(\.isPaired) + phones.filter { !$0.isPaired }).prefix(limit))
    }

    private static func device(_ properties: [String: BusValue]) -> Facts.Device {
        var device = Facts.Device(
            name: properties["Name"]?.string ?? "", address: properties["Address"]?.string ?? "",
            adapter: properties["Adapter"]?.objectPath.map { String($0.lastElement) } ?? "")
        func isSo(_ name: String) -> Bool { properties[name]?.bool == true }
        device.isConnected = isSo("Connected")
        device.isPaired = isSo("Paired")
        device.isBonded = properties["Bonded"]?.bool
        device.isTrusted = isSo("Trusted")
        device.isBlocked = isSo("Blocked")
        device.hasResolvedServices = isSo("ServicesResolved")
        device.knowsANCS = (properties["UUIDs"]?.strings ?? []).contains {
            isUUID($0, ANCSUUID.service)
        }
        device.isApplePhone = isApplePhone(properties)
        device.hasBasicRate = (properties["Class"]?.integer ?? 0) != 0
        device.hasLowEnergyServices = hasLowEnergyServices(properties)
        return device
    }

    /// Whether a device claims to be an iPhone, even without ANCS.
    private static func isApplePhone(_ properties: [String: BusValue]) -> Bool {
        guard !(properties["UUIDs"]?.strings ?? []).contains(where: { isUUID($0, mediaService) })
        else { return true }
        // Assigned Numbers 2.8.1: the major device class 2 is Phone; 2.6.2: so is the category 1 of appearances.
        let isPhone =
            properties["Icon"]?.string == "phone"
            || ((properties["Class"]?.integer ?? 0) >> 8) & 0x1F == 2
            || (properties["Appearance"]?.integer ?? 0) >> 6 == 1
        // Assigned Numbers 7.1: 0x004C is Apple; 0x05AC is its number at the USB Implementers Forum.
        let modalias = properties["Modalias"]?.string ?? ""
        return isPhone
            && (modalias.hasPrefix("bluetooth:v004C") || modalias.hasPrefix("usb:v05AC"))
    }

    /// Whether it has, or had, services that iPhones have over Low Energy only.
    private static func hasLowEnergyServices(_ properties: [String: BusValue]) -> Bool {
        (properties["UUIDs"]?.strings ?? []).contains { text in
            lowEnergyServices.contains { isUUID(text, $0) }
        }
    }

    /// Apple Media Service.
    private static let mediaService: UInt128 = 0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC

    private static let lowEnergyServices: [UInt128] = [
        ANCSUUID.service, mediaService,
        // Continuity.
        0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366,
    ]

    /// The objects of ANCS, which exist while the phone offers it.
    private static func addServices(
        of objects: BusObjects, to devices: inout [ObjectPath: Facts.Device]
    ) {
        var owners: [ObjectPath: ObjectPath] = [:]
        for object in objects {
            guard let service = object.interfaces[ServiceObject.interface],
                isUUID(service["UUID"]?.string, ANCSUUID.service),
                let device = service["Device"]?.objectPath
            else { continue }
            owners[object.path] = device
            devices[device]?.hasANCS = true
        }
        for object in objects {
            guard let characteristic = object.interfaces[CharacteristicObject.interface],
                isUUID(characteristic["UUID"]?.string, ANCSUUID.notificationSource),
                let device = characteristic["Service"]?.objectPath.flatMap({ owners[$0] })
            else { continue }
            let isNotifying =
                characteristic["Notifying"]?.bool == true
                || characteristic["NotifyAcquired"]?.bool == true
            devices[device]?.isNotifying = isNotifying
        }
    }

    private static func isUUID(_ text: String?, _ number: UInt128) -> Bool {
        text.flatMap { BluetoothUUID(text: $0) } == BluetoothUUID(number)
    }
}
