internal import AMS
internal import ANCSProvider
internal import BluetoothLE

/// The services of a phone, at the handles of an iPhone: the host's Generic Access and Generic Attribute
/// services come first, and ANCS occupies ten handles from 0x0023 on (S24).
///
///     0x000E  Device Information  0x0023  Notification Source: declaration 24, value 25, CCCD 26
///     0x0014  Battery             0x0027  Control Point: declaration, value 28, extended properties 29
///     0x0018  Current Time        0x002A  Data Source: declaration, value 2B, CCCD 2C
///                                 0x002D  the Apple Media Service, if it is offered
///
/// Device Information has the handles of services of Apple's, which are omitted. There is no room for it
/// behind Current Time, which has no Reference Time Information on an iPhone.
enum PhoneServices {
    static let deviceInformationHandle = AttributeHandle(0x000E)
    static let batteryHandle = AttributeHandle(0x0014)
    static let currentTimeHandle = AttributeHandle(0x0018)
    static let ancsHandle = AttributeHandle(0x0023)
    static let amsHandle = AttributeHandle(0x002D)

    /// Battery Service 1.0, 3: the level in percent, for paired accessories.
    static let battery = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0x180F)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0x2A19)), properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic,
                subscription: .encrypted)
        ])

    /// Current Time Service 1.1, 3: the time, its zone and the source of the clock, for paired accessories.
    static let currentTime = ServiceDefinition(
        uuid: .currentTimeService,
        characteristics: [
            .init(
                uuid: .currentTime, properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic,
                subscription: .encrypted),
            .init(
                uuid: .localTimeInformation, properties: .read,
                permissions: AttributePermissions(read: .encrypted), storage: .dynamic),
            .init(
                uuid: .referenceTimeInformation, properties: .read,
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

    /// ANCS (R4, R6): any access to its characteristics needs a paired link (R7).
    static let ancs = ServiceDefinition(
        uuid: .ancs,
        characteristics: [
            .init(
                uuid: .notificationSource, properties: .notify,
                permissions: AttributePermissions(), subscription: .encrypted),
            .init(
                uuid: .controlPoint, properties: [.write, .extendedProperties],
                // The property for Write Commands is absent; they are accepted only to be reported.
                permissions: AttributePermissions(write: .encrypted, writeCommand: .encrypted),
                storage: .dynamic, allowsReliableWrites: true),
            .init(
                uuid: .dataSource, properties: .notify, permissions: AttributePermissions(),
                subscription: .encrypted),
        ])

    /// The Apple Media Service, or parts of it: any access needs an encrypted link (M1 to M6).
    static func ams(_ service: MediaService) -> ServiceDefinition {
        ServiceDefinition(
            uuid: BluetoothUUID(AMSUUID.service),
            characteristics: service.parts.map { part in
                let notifies = part != .entityAttribute
                var characteristic = ServiceDefinition.Characteristic(
                    uuid: part.uuid, properties: notifies ? [.write, .notify] : [.read, .write],
                    permissions: AttributePermissions(
                        read: notifies ? nil : .encrypted, write: .encrypted),
                    storage: .dynamic, subscription: .encrypted)
                characteristic.lacksConfiguration = service.withoutConfiguration.contains(part)
                return characteristic
            })
    }

    /// The attributes of the Apple Media Service in use.
    struct AMSHandles: Equatable, Sendable {
        var declaration: AttributeHandle
        /// The values of the characteristics that it has.
        var values: [MediaService.Part: AttributeHandle]

        init(_ handles: ServiceHandles, of service: MediaService) {
            declaration = handles.range.first
            values = Dictionary(
                zip(service.parts, handles.characteristics.map(\.value))
            ) { first, _ in first }
        }

        func part(of value: AttributeHandle) -> MediaService.Part? {
            values.first { $0.value == value }?.key
        }
    }

    /// All services except ANCS, with the handles of their declarations.
    static let fixed: [(ServiceDefinition, AttributeHandle)] = [
        (deviceInformation, deviceInformationHandle), (battery, batteryHandle),
        (currentTime, currentTimeHandle),
    ]

    /// The attributes of ANCS in use.
    struct ANCSHandles: Equatable, Sendable {
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

    /// The value handle of an attribute.
    static func handle(of attribute: PhoneAttribute) -> AttributeHandle {
        switch attribute {
        case .batteryLevel: AttributeHandle(batteryHandle.rawValue + 2)
        case .currentTime: AttributeHandle(currentTimeHandle.rawValue + 2)
        case .localTimeInformation: AttributeHandle(currentTimeHandle.rawValue + 5)
        case .referenceTimeInformation: AttributeHandle(currentTimeHandle.rawValue + 7)
        }
    }

    /// The attribute with a value handle; `nil` if there is none.
    static func attribute(at handle: AttributeHandle) -> PhoneAttribute? {
        PhoneAttribute.allCases.first { Self.handle(of: $0) == handle }
    }
}

extension MediaService.Part {
    fileprivate var uuid: BluetoothUUID {
        switch self {
        case .remoteCommand: BluetoothUUID(AMSUUID.remoteCommand)
        case .entityUpdate: BluetoothUUID(AMSUUID.entityUpdate)
        case .entityAttribute: BluetoothUUID(AMSUUID.entityAttribute)
        }
    }

    /// The characteristic, if it sends notifications.
    var notifying: MediaCharacteristic? {
        switch self {
        case .remoteCommand: .remoteCommand
        case .entityUpdate: .entityUpdate
        case .entityAttribute: nil
        }
    }

    init(_ characteristic: MediaCharacteristic) {
        switch characteristic {
        case .remoteCommand: self = .remoteCommand
        case .entityUpdate: self = .entityUpdate
        }
    }
}
