internal import BluetoothTypes
internal import BlueZ
internal import DBus
internal import LinuxIO
internal import Octets

// The objects of bluetoothd, as a Central needs them: doc/org.bluez.*.rst in its source.

/// A device as a peer: `org.bluez.Device1`. The properties of its advertising are those last received.
struct PeerObject: BlueZObject, Equatable {
    /// The identity address, once the device is paired; before, its address on air.
    var address = ""
    /// `public` or `random`.
    var addressType = ""
    var name: String?
    var isConnected = false
    var isPaired = false
    /// Whether its services were discovered, and their objects are complete.
    var hasResolvedServices = false
    /// The services that it advertises, and those that it was found to have.
    var services: [BluetoothUUID] = []
    /// The strength of its signal in dBm; absent while no discovery hears it.
    var rssi: Int8?
    var transmitPower: Int8?
    var appearance: UInt16?
    /// By the identifier of the company.
    var manufacturerData: [UInt16: [UInt8]] = [:]
    var serviceData: [BluetoothUUID: [UInt8]] = [:]
    /// Advertising data of other types, since 5.78: the services that it solicits are there.
    var otherData: [UInt8: [UInt8]] = [:]

    static let interface = "org.bluez.Device1"
    mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "Address": address = value?.string ?? ""
        case "AddressType": addressType = value?.string ?? ""
        case "Name": name = value?.string
        case "Connected": isConnected = value?.bool ?? false
        case "Paired": isPaired = value?.bool ?? false
        case "ServicesResolved": hasResolvedServices = value?.bool ?? false
        case "UUIDs":
            services = value?.strings.map { $0.compactMap { BluetoothUUID(text: $0) } } ?? []
        case "RSSI": rssi = value?.integer.flatMap { Int8(exactly: $0) }
        case "TxPower": transmitPower = value?.integer.flatMap { Int8(exactly: $0) }
        case "Appearance": appearance = value?.integer.flatMap { UInt16(exactly: $0) }
        case "ManufacturerData":
            manufacturerData =
                value?.octetsByKey { $0.integer.flatMap { UInt16(exactly: $0) } } ?? [:]
        case "ServiceData":
            serviceData =
                value?.octetsByKey { $0.string.flatMap { BluetoothUUID(text: $0) } } ?? [:]
        case "AdvertisingData":
            otherData = value?.octetsByKey { $0.integer.flatMap { UInt8(exactly: $0) } } ?? [:]
        case _: break
        }
    }

    /// The properties of which each change means that the device was heard.
    static let heard: Set<String> = [
        "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData", "UUIDs", "Name",
        "Appearance",
    ]

    /// The address with its kind; `nil` if bluetoothd gave none that can be read.
    var deviceAddress: DeviceAddress? {
        DeviceAddress(text: address, type: addressType)
    }

    /// What it advertises. bluetoothd does not keep advertising data and scan response apart, and does not say
    /// whether the device accepts connections.
    func discovery(at address: DeviceAddress) -> Discovery {
        var structures: [AdvertisingData.Structure] = []
        if !services.isEmpty { structures.append(.services(services)) }
        if !solicitedServices.isEmpty { structures.append(.solicitedServices(solicitedServices)) }
        if let name { structures.append(.name(name)) }
        if let transmitPower { structures.append(.transmitPower(transmitPower)) }
        if let appearance { structures.append(.appearance(appearance)) }
        for (uuid, octets) in serviceData.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            structures.append(.serviceData(uuid, .shortest(for: [uuid]), octets))
        }
        for (company, octets) in manufacturerData.sorted(byNumber: { $0.key }) {
            structures.append(.manufacturerData(company: company, octets))
        }
        return Discovery(
            address: address, identity: isPaired ? address : nil, rssi: rssi, isConnectable: nil,
            advertisement: AdvertisingData(structures), hasScanResponse: nil)
    }

    /// The services that it solicits. Core Specification Supplement, Part A, 1.10.
    var solicitedServices: [BluetoothUUID] {
        [(type: UInt8(0x14), size: 2), (0x1F, 4), (0x15, 16)].flatMap { type, size in
            let octets = otherData[type] ?? []
            return stride(from: 0, through: octets.count - size, by: size).compactMap { start in
                try? BluetoothUUID(decoding: octets.span.extracting(start..<start + size))
            }
        }
    }
}

/// A service of a device: `org.bluez.GattService1`.
struct RemoteServiceObject: BlueZObject, Equatable {
    var uuid: BluetoothUUID?
    var isPrimary = true
    /// The objects of the services that it includes.
    var includes: [ObjectPath] = []

    static let interface = "org.bluez.GattService1"
    mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case "Primary": isPrimary = value?.bool ?? true
        case "Includes": includes = value?.array.map { $0.compactMap(\.objectPath) } ?? []
        case _: break
        }
    }
}

/// A characteristic of a device: `org.bluez.GattCharacteristic1`. Its value is not kept.
struct RemoteCharacteristicObject: BlueZObject, Equatable {
    var uuid: BluetoothUUID?
    var flags: [String] = []
    /// Whether any program has called `StartNotify`.
    var isNotifying = false
    /// Whether any program has a socket of `AcquireNotify`.
    var isAcquired = false

    static let interface = "org.bluez.GattCharacteristic1"
    mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case "Flags": flags = value?.strings ?? []
        case "Notifying": isNotifying = value?.bool ?? false
        case "NotifyAcquired": isAcquired = value?.bool ?? false
        case _: break
        }
    }

    /// The properties in the declaration.
    var characteristicProperties: CharacteristicProperties {
        var properties: CharacteristicProperties = []
        for flag in flags { properties.formUnion(Self.names[flag] ?? []) }
        return properties
    }

    private static let names: [String: CharacteristicProperties] = [
        "broadcast": .broadcast, "read": .read, "write-without-response": .writeWithoutResponse,
        "write": .write, "notify": .notify, "indicate": .indicate,
        "authenticated-signed-writes": .authenticatedSignedWrites,
        "extended-properties": .extendedProperties,
    ]
}

/// A descriptor of a characteristic of a device: `org.bluez.GattDescriptor1`.
struct RemoteDescriptorObject: BlueZObject, Equatable {
    var uuid: BluetoothUUID?

    static let interface = "org.bluez.GattDescriptor1"
    mutating func set(_ property: String, to value: BusValue?) {
        switch property {
        case "UUID": uuid = value?.string.flatMap { BluetoothUUID(text: $0) }
        case _: break
        }
    }
}

extension BusValue {
    /// The octets in a dictionary, by keys that can be read.
    fileprivate func octetsByKey<Key: Hashable>(_ read: (BusValue) -> Key?) -> [Key: [UInt8]]? {
        dictionary.map { entries in
            var octets: [Key: [UInt8]] = [:]
            for (key, value) in entries { if let key = read(key) { octets[key] = value.octets } }
            return octets
        }
    }
}
