internal import ANCS
internal import BluetoothLE

/// The services of a phone, where an iPhone has them: the Generic Access and Generic Attribute services
/// of the host come first, and ANCS occupies ten handles from 0x0023 on (S24).
///
///     0x0014  Battery             0x0023  Notification Source: declaration 24, value 25, CCCD 26
///     0x0018  Current Time        0x0027  Control Point: declaration, value 28, extended properties 29
///     0x001E  Device Information  0x002A  Data Source: declaration, value 2B, CCCD 2C
enum PhoneServices {
    /// Where iPhones have the services of Apple between the host's and these, which are left out.
    static let batteryHandle = AttributeHandle(0x0014)
    static let currentTimeHandle = AttributeHandle(0x0018)
    static let deviceInformationHandle = AttributeHandle(0x001E)
    static let ancsHandle = AttributeHandle(0x0023)

    /// Battery Service 1.0, 3: the level in percent, for who is paired.
    static let battery = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0x180F)),
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0x2A19)), properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted), storage: .stored([100]),
                subscription: .encrypted)
        ])

    /// Current Time Service 1.1, 3: the time, and where on earth it is that, for who is paired.
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
        (battery, batteryHandle), (currentTime, currentTimeHandle),
        (deviceInformation, deviceInformationHandle),
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

    /// The value of an attribute that changes with time; `nil` where it is none.
    static func dynamicValue(
        of attribute: AttributeHandle, at date: NotificationDate
    ) -> [UInt8]? {
        switch attribute.rawValue {
        case currentTimeHandle.rawValue + 2: currentTimeValue(at: date)
        // Local Time Information: neither the zone nor daylight saving time is known.
        case currentTimeHandle.rawValue + 5: [0x80, 0xFF]
        default: nil
        }
    }

    /// *Current Time*: year, month, day, hours, minutes, seconds, day of the week from Monday as 1,
    /// 1/256 seconds, and the reason of the last adjustment.
    static func currentTimeValue(at date: NotificationDate) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: date.year), UInt8(truncatingIfNeeded: date.year >> 8),
            UInt8(clamping: date.month), UInt8(clamping: date.day), UInt8(clamping: date.hour),
            UInt8(clamping: date.minute), UInt8(clamping: date.second), dayOfWeek(date), 0, 0,
        ]
    }

    /// 1 for Monday to 7 for Sunday, by Sakamoto's method; 0, which is unknown, for no date.
    private static func dayOfWeek(_ date: NotificationDate) -> UInt8 {
        guard (1...12).contains(date.month), (1...9999).contains(date.year) else { return 0 }
        let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        let year = date.month < 3 ? date.year - 1 : date.year
        let fromSunday =
            (year + year / 4 - year / 100 + year / 400 + offsets[date.month - 1] + date.day) % 7
        return UInt8(fromSunday == 0 ? 7 : fromSunday)
    }
}
