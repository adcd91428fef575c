internal import ANCS
package import BluetoothTypes
package import DBus

// The objects of bluetoothd: doc/org.bluez.*.rst in its source.

/// A controller: `org.bluez.Adapter1`.
package struct AdapterObject: BlueZObject, Equatable {
    package var address = ""
    /// Has the version of bluetoothd: `usb:v1D6Bp0246d0542` for 5.66.
    package var modalias = ""
    package var isPowered = false
    /// Whether other devices may pair with it.
    package var isPairable = true
    /// Whether it is discoverable over BR/EDR, or over Low Energy if it has nothing else.
    var isDiscoverable = false
    /// Its Class of Device.
    var classOfDevice = 0
    /// The UUIDs of its services.
    package var services: [String] = []

    package static let interface = "org.bluez.Adapter1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "Address": address = value?.string ?? ""
        case "Modalias": modalias = value?.string ?? ""
        case "Powered": isPowered = value?.bool ?? false
        case "Pairable": isPairable = value?.bool ?? true
        case "Discoverable": isDiscoverable = value?.bool ?? false
        case "Class": classOfDevice = value?.integer ?? 0
        case "UUIDs": services = value?.strings ?? []
        case _: break
        }
    }

    package init() {}
}

/// The advertising manager of a controller: `org.bluez.LEAdvertisingManager1`.
struct AdvertisingManagerObject: BlueZObject, Equatable {
    /// The number of active advertisements, of all programs.
    var activeInstances = 0

    package static let interface = "org.bluez.LEAdvertisingManager1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "ActiveInstances": activeInstances = value?.integer ?? 0
        case _: break
        }
    }

    package init() {}
}

/// Another device: `org.bluez.Device1`.
package struct DeviceObject: BlueZObject, Equatable {
    package var adapter: ObjectPath?
    /// The identity address, once the device is paired; before, its address on air.
    package var address = ""
    /// `public` or `random`.
    package var addressType = ""
    /// The Class of Device, which only BR/EDR has.
    var classOfDevice: Int?
    package var name: String?
    /// The maker and the product, from Device ID or Device Information: `bluetooth:v004Cp7A10d1100`.
    package var modalias = ""
    package var isConnected = false
    package var isPaired = false
    package var isTrusted = false
    var isBlocked = false
    /// Whether its services were discovered.
    package var hasResolvedServices = false
    package var services: Set<BluetoothUUID> = []

    package static let interface = "org.bluez.Device1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "Adapter": adapter = value?.objectPath
        case "Address": address = value?.string ?? ""
        case "AddressType": addressType = value?.string ?? ""
        case "Class": classOfDevice = value?.integer
        case "Name": name = value?.string
        case "Modalias": modalias = value?.string ?? ""
        case "Connected": isConnected = value?.bool ?? false
        case "Paired": isPaired = value?.bool ?? false
        case "Trusted": isTrusted = value?.bool ?? false
        case "Blocked": isBlocked = value?.bool ?? false
        case "ServicesResolved": hasResolvedServices = value?.bool ?? false
        case "UUIDs":
            services = value?.strings.map { Set($0.compactMap { BluetoothUUID(text: $0) }) } ?? []
        case _: break
        }
    }

    /// Whether its address is an identity address, or one that never becomes one: a private address does, once the
    /// device is paired. Core Vol 6, Part B, 1.3.
    var hasIdentity: Bool {
        DeviceAddress(text: address, type: addressType).map(\.canBeIdentity) ?? true
    }

    /// Whether it has, or had, services that only Apple's devices have.
    var looksLikeAnAppleDevice: Bool { !services.isDisjoint(with: Self.appleServices) }

    private static let appleServices: Set<BluetoothUUID> = [
        .ancs,
        // Apple Media Service.
        BluetoothUUID(0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC as UInt128),
        // Continuity.
        BluetoothUUID(0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366 as UInt128),
    ]

    package init() {}
}

extension DeviceAddress {
    /// The address in the properties `Address` and `AddressType`; `nil` if it cannot be read.
    package init?(text: String, type: String) {
        self.init(text: text, kind: type == "random" ? .random : .public)
    }
}

/// A service of a device: `org.bluez.GattService1`.
struct ServiceObject: BlueZObject, Equatable {
    package var uuid: BluetoothUUID?
    package var device: ObjectPath?

    package static let interface = "org.bluez.GattService1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case "Device": device = value?.objectPath
        case _: break
        }
    }

    package init() {}
}

/// A characteristic of a service: `org.bluez.GattCharacteristic1`. Its value is not stored.
struct CharacteristicObject: BlueZObject, Equatable {
    package var uuid: BluetoothUUID?
    package var service: ObjectPath?

    package static let interface = "org.bluez.GattCharacteristic1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case "Service": service = value?.objectPath
        case _: break
        }
    }

    package init() {}
}

/// A descriptor of a characteristic: `org.bluez.GattDescriptor1`.
struct DescriptorObject: BlueZObject, Equatable {
    package var uuid: BluetoothUUID?
    package var characteristic: ObjectPath?

    package static let interface = "org.bluez.GattDescriptor1"
    package mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case "Characteristic": characteristic = value?.objectPath
        case _: break
        }
    }

    package init() {}
}

extension BluetoothUUID {
    /// The service UUID (R4).
    static let ancs = BluetoothUUID(ANCSUUID.service)
    /// The UUIDs of its characteristics (R6).
    static let notificationSource = BluetoothUUID(ANCSUUID.notificationSource)
    static let controlPoint = BluetoothUUID(ANCSUUID.controlPoint)
    static let dataSource = BluetoothUUID(ANCSUUID.dataSource)
}
