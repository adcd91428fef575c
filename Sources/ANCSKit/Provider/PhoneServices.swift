internal import ANCS
internal import BluetoothLE

/// The services of a phone, where an iPhone has them: the Generic Access and Generic Attribute services
/// of the host come first, and ANCS occupies ten handles from 0x0023 on (S24).
///
///     0x000E  Device Information  0x0023  Notification Source: declaration 24, value 25, CCCD 26
///     0x0014  Battery             0x0027  Control Point: declaration, value 28, extended properties 29
///     0x0018  Current Time        0x002A  Data Source: declaration, value 2B, CCCD 2C
///
/// Device Information is where iPhones have services of Apple's, which are left out: behind Current Time there is
/// no room for it, since theirs has no Reference Time Information.
enum PhoneServices {
    static let deviceInformationHandle = AttributeHandle(0x000E)
    static let batteryHandle = AttributeHandle(0x0014)
    static let currentTimeHandle = AttributeHandle(0x0018)
    static let ancsHandle = AttributeHandle(0x0023)

    /// Battery Service 1.0, 3: the level in percent, for who is paired.
    static let battery = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0x180F)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0x2A19)), properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic,
                subscription: .encrypted)
        ])

    /// Current Time Service 1.1, 3: the time, where on earth it is that, and by what the clock was set, for who
    /// is paired.
    static let currentTime = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0x1805)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0x2A2B)), properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic,
                subscription: .encrypted),
            .init(
                uuid: BluetoothUUID(UInt16(0x2A0F)), properties: .read,
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic),
            .init(
                uuid: BluetoothUUID(UInt16(0x2A14)), properties: .read,
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic),
        ])

    /// Device Information Service 1.2, 3.
    static let deviceInformation = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0x180A)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0x2A29)), properties: .read,
                storage: .stored(Array("swift-ancs".utf8))),
            .init(
                uuid: BluetoothUUID(UInt16(0x2A24)), properties: .read,
                storage: .stored(Array("iPhone".utf8))),
        ])

    /// ANCS (R4, R6): everything that can be done with its characteristics needs a paired link (R7).
    static let ancs = ServiceDefinition(
        uuid: .ancs,
        characteristics: [
            .init(
                uuid: .notificationSource, properties: .notify,
                permissions: AttributePermissions(), subscription: .encrypted),
            .init(
                uuid: .controlPoint, properties: [.write, .extendedProperties],
                // Write Commands have no property, and are let in only to be told of.
                permissions: AttributePermissions(write: .encrypted, writeCommand: .encrypted),
                storage: .dynamic, allowsReliableWrites: true),
            .init(
                uuid: .dataSource, properties: .notify, permissions: AttributePermissions(),
                subscription: .encrypted),
        ])

    /// All but ANCS, with their declarations' handles.
    static let fixed: [(ServiceDefinition, AttributeHandle)] = [
        (deviceInformation, deviceInformationHandle), (battery, batteryHandle),
        (currentTime, currentTimeHandle),
    ]

    /// The attributes of ANCS that are used.
    struct ANCSHandles: Hashable, Sendable {
        var declaration: AttributeHandle
        var notificationSource: AttributeHandle
        var controlPoint: AttributeHandle
        var dataSource: AttributeHandle

        init?(_ handles: ServiceHandles) {
            guard handles.characteristics.count == 3 else { return nil }
            declaration = handles.range.first
            notificationSource = handles.characteristics[0].value
            controlPoint = handles.characteristics[1].value
            dataSource = handles.characteristics[2].value
        }

        func value(of characteristic: ProviderSession.Characteristic) -> AttributeHandle {
            switch characteristic {
            case .notificationSource: notificationSource
            case .dataSource: dataSource
            }
        }

        func characteristic(of value: AttributeHandle) -> ProviderSession.Characteristic? {
            switch value {
            case notificationSource: .notificationSource
            case dataSource: .dataSource
            default: nil
            }
        }
    }

    /// The handle of a value.
    static func handle(of attribute: PhoneAttribute) -> AttributeHandle {
        switch attribute {
        case .batteryLevel: AttributeHandle(batteryHandle.rawValue + 2)
        case .currentTime: AttributeHandle(currentTimeHandle.rawValue + 2)
        case .localTimeInformation: AttributeHandle(currentTimeHandle.rawValue + 5)
        case .referenceTimeInformation: AttributeHandle(currentTimeHandle.rawValue + 7)
        }
    }

    /// Which value has a handle; `nil` where it is none of these.
    static func attribute(at handle: AttributeHandle) -> PhoneAttribute? {
        PhoneAttribute.allCases.first { Self.handle(of: $0) == handle }
    }
}
