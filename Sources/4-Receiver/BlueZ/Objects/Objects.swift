internal import ANCS
package import BluetoothTypes
package import DBus

// The objects of bluetoothd, each of its interfaces once: doc/org.bluez.*.rst in its source.

/// A controller: `org.bluez.Adapter1`.
@usableFromInline package struct AdapterObject: BlueZObject {
    package var address = ""
    /// Has the version of bluetoothd: `usb:v1D6Bp0246d0542` for 5.66.
    package var modalias = ""
    package var isPowered = false
    /// Whether other devices may pair with it.
    package var isPairable = true
    /// Whether it is discoverable over BR/EDR, or over Low Energy if it has nothing else.
    package var isDiscoverable = false
    /// Its Class of Device.
    var classOfDevice = 0
    /// The UUIDs of its services.
    package var services: [BluetoothUUID] = []

    package static let interface = "org.bluez.Adapter1"
    package static let properties: [String: BlueZProperty<Self>] = [
        "Address": .init(\.address, \.string), "Modalias": .init(\.modalias, \.string),
        "Powered": .init(\.isPowered, \.bool), "Pairable": .init(\.isPairable, \.bool),
        "Discoverable": .init(\.isDiscoverable, \.bool), "Class": .init(\.classOfDevice, \.integer),
        "UUIDs": .init(\.services, \.uuids),
    ]

    package init() {}
}

/// The advertising manager of a controller: `org.bluez.LEAdvertisingManager1`.
package struct AdvertisingManagerObject: BlueZObject {
    /// The number of active advertisements, of all programs.
    package var activeInstances = 0

    package static let interface = "org.bluez.LEAdvertisingManager1"
    package static let properties: [String: BlueZProperty<Self>] = [
        "ActiveInstances": .init(\.activeInstances, \.integer)
    ]

    package init() {}
}

/// Another device: `org.bluez.Device1`.
package struct DeviceObject: BlueZObject {
    /// The identity address, once the device is paired; before, its address on air.
    package var address = ""
    /// `public` or `random`.
    package var addressType = ""
    /// The Class of Device, which only BR/EDR has.
    package var classOfDevice: Int?
    package var name: String?
    /// The maker and the product, from Device ID or Device Information: `bluetooth:v004Cp7A10d1100`.
    package var modalias = ""
    package var isConnected = false
    package var isPaired = false
    package var isTrusted = false
    package var isBlocked = false
    /// Whether its services were discovered, and their objects are complete.
    package var hasResolvedServices = false
    /// The services that it advertises, and those that it was found to have.
    package var services: [BluetoothUUID] = []
    package var advertising = Advertising()

    /// What else it advertises, as last received.
    package struct Advertising: Equatable, Sendable {
        /// The strength of its signal in dBm; absent while no discovery hears it.
        package var rssi: Int8?
        package var transmitPower: Int8?
        package var appearance: UInt16?
        /// By the identifier of the company.
        package var manufacturerData: [UInt16: [UInt8]] = [:]
        package var serviceData: [BluetoothUUID: [UInt8]] = [:]
        /// Advertising data of other types, since 5.78: the services that it solicits are there.
        package var otherData: [UInt8: [UInt8]] = [:]
    }

    package static let interface = "org.bluez.Device1"
    package static let properties: [String: BlueZProperty<Self>] = [
        "Address": .init(\.address, \.string), "AddressType": .init(\.addressType, \.string),
        "Class": .init(\.classOfDevice, \.integer), "Name": .init(\.name, \.string),
        "Modalias": .init(\.modalias, \.string), "Connected": .init(\.isConnected, \.bool),
        "Paired": .init(\.isPaired, \.bool), "Trusted": .init(\.isTrusted, \.bool),
        "Blocked": .init(\.isBlocked, \.bool),
        "ServicesResolved": .init(\.hasResolvedServices, \.bool),
        "UUIDs": .init(\.services, \.uuids),
        "RSSI": .init(\.advertising.rssi, \.int8),
        "TxPower": .init(\.advertising.transmitPower, \.int8),
        "Appearance": .init(\.advertising.appearance, \.uint16),
        "ManufacturerData": .init(\.advertising.manufacturerData) { $0.octetsByKey(\.uint16) },
        "ServiceData": .init(\.advertising.serviceData) { $0.octetsByKey(\.uuid) },
        "AdvertisingData": .init(\.advertising.otherData) { $0.octetsByKey(\.uint8) },
    ]

    package init() {}

    /// The properties of which each change means that the device was heard.
    package static let heard: Set<String> = [
        "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData", "UUIDs", "Name",
        "Appearance",
    ]

    /// Whether it differs from another state of the device in more than what was heard of it.
    func differs(from other: Self) -> Bool {
        var other = other
        other.advertising = advertising
        return self != other
    }

    /// The address with its kind; `nil` if bluetoothd gave none that can be read.
    package var deviceAddress: DeviceAddress? {
        DeviceAddress(text: address, kind: addressType == "random" ? .random : .public)
    }

    /// Whether its address is an identity address, or one that never becomes one: a private address does, once the
    /// device is paired. Core Vol 6, Part B, 1.3.
    var hasIdentity: Bool { deviceAddress.map(\.canBeIdentity) ?? true }

    /// Whether it has, or had, services that only Apple's devices have.
    package var looksLikeAnAppleDevice: Bool {
        services.contains(where: Self.appleServices.contains)
    }

    /// Whether it says that it is a phone of Apple's.
    package func seemsApplePhone(icon: String? = nil) -> Bool {
        // Assigned Numbers 2.8.1: the major device class 2 is Phone; 2.6.2: so is the category 1 of appearances.
        let isPhone =
            icon == "phone" || ((classOfDevice ?? 0) >> 8) & 0x1F == 2
            || (advertising.appearance ?? 0) >> 6 == 1
        // Assigned Numbers 7.1: 0x004C is Apple; 0x05AC is its number at the USB Implementers Forum.
        return isPhone && (modalias.hasPrefix("bluetooth:v004C") || modalias.hasPrefix("usb:v05AC"))
    }

    /// Whether it has, or had, the Apple Media Service.
    package var hasAppleMedia: Bool { services.contains(.appleMedia) }

    private static let appleServices: Set<BluetoothUUID> = [
        .ancs, .appleMedia,
        // Continuity.
        BluetoothUUID(0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366 as UInt128),
    ]
}

/// An attribute of a device: `org.bluez.GattService1`, `GattCharacteristic1` or `GattDescriptor1`, each with some of these
/// properties. The value of a characteristic is not kept.
package struct AttributeObject: BlueZObject {
    package var uuid: BluetoothUUID?
    package var isPrimary = true
    /// The objects of the services that a service includes.
    package var includes: [ObjectPath] = []
    package var flags: [String] = []
    /// Whether any program has called `StartNotify`.
    package var isNotifying = false
    /// Whether any program has a socket of `AcquireNotify`.
    package var isAcquired = false

    package static let service = "org.bluez.GattService1"
    package static let characteristic = "org.bluez.GattCharacteristic1"
    package static let descriptor = "org.bluez.GattDescriptor1"
    package static let properties: [String: BlueZProperty<Self>] = [
        "UUID": .init(\.uuid, \.uuid), "Primary": .init(\.isPrimary, \.bool),
        "Includes": .init(\.includes) { $0.array.map { $0.compactMap(\.objectPath) } },
        "Flags": .init(\.flags, \.strings), "Notifying": .init(\.isNotifying, \.bool),
        "NotifyAcquired": .init(\.isAcquired, \.bool),
    ]

    package init() {}
}

extension BusValue {
    fileprivate var uuid: BluetoothUUID? { string.flatMap { BluetoothUUID(text: $0) } }
    fileprivate var uuids: [BluetoothUUID]? { strings?.compactMap { BluetoothUUID(text: $0) } }

    fileprivate var int8: Int8? { integer.flatMap { Int8(exactly: $0) } }
    fileprivate var uint8: UInt8? { integer.flatMap { UInt8(exactly: $0) } }
    fileprivate var uint16: UInt16? { integer.flatMap { UInt16(exactly: $0) } }

    /// The octets in a dictionary, by keys that can be read.
    fileprivate func octetsByKey<Key: Hashable>(_ read: (BusValue) -> Key?) -> [Key: [UInt8]]? {
        dictionary.map { entries in
            var octets: [Key: [UInt8]] = [:]
            for (key, value) in entries { if let key = read(key) { octets[key] = value.octets } }
            return octets
        }
    }
}

extension BluetoothUUID {
    /// The service UUID (R4).
    static let ancs = BluetoothUUID(ANCSUUID.service)
    /// The UUIDs of its characteristics (R6).
    static let notificationSource = BluetoothUUID(ANCSUUID.notificationSource)
    static let controlPoint = BluetoothUUID(ANCSUUID.controlPoint)
    static let dataSource = BluetoothUUID(ANCSUUID.dataSource)
    /// The Apple Media Service and its characteristics: M1, M2, M3 and M5 of Documentation/Development/Media.md.
    static let appleMedia = BluetoothUUID(0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC as UInt128)
    static let remoteCommand = BluetoothUUID(0x9B3C_81D8_57B1_4A8A_B8DF_0E56_F7CA_51C2 as UInt128)
    static let entityUpdate = BluetoothUUID(0x2F7C_ABCE_808D_411F_9A0C_BB92_BA96_C102 as UInt128)
    static let entityAttribute = BluetoothUUID(0xC6B2_F38C_23AB_46D8_A6AB_A3A8_70BB_D5D7 as UInt128)
}
