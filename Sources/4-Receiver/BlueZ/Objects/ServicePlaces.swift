package import ANCS
package import DBus

/// The object paths of the characteristics of ANCS on a device.
package struct ServicePlaces: Equatable, Sendable {
    var notificationSource: ObjectPath
    var controlPoint: ObjectPath?
    var dataSource: ObjectPath?

    /// Whether it has all characteristics.
    var isComplete: Bool { controlPoint != nil && dataSource != nil }

    /// The object path of a characteristic with notifications.
    package subscript(characteristic: ConsumerSession.Characteristic) -> ObjectPath? {
        switch characteristic {
        case .notificationSource: notificationSource
        case .dataSource: dataSource
        }
    }
}
