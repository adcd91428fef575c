/// What is asked of a service that a phone has beside ANCS, such as AMS. Its characteristics go by their UUIDs: it has
/// one of each.
package enum CompanionRequest: Hashable, Sendable {
    /// Look for the service with this UUID, and follow its changes from now on.
    case find(BluetoothUUID)
    /// Subscribe to the notifications of a characteristic.
    case subscribe(BluetoothUUID)
    /// Write a value with a response.
    case write(BluetoothUUID, [UInt8])
    /// Read the whole value.
    case read(BluetoothUUID)
}

/// What came of a ``CompanionRequest``, or happened to the service. Requests that are out when it goes have no result.
@usableFromInline package enum CompanionEvent: Hashable, Sendable {
    /// The phone has the service, with these characteristics.
    case available([BluetoothUUID])
    /// The service is gone, or has moved; ``available(_:)`` follows where it is found again.
    case unavailable
    /// A subscription ended, with an error or none. A characteristic that cannot be subscribed to has the error
    /// *Attribute Not Found*.
    case subscribed(BluetoothUUID, ATTErrorCode?)
    /// A write ended, with an error or none.
    case written(BluetoothUUID, ATTErrorCode?)
    /// A value was read; `nil` if the phone refused it.
    case read(BluetoothUUID, [UInt8]?)
    /// The phone sent a value.
    case value(BluetoothUUID, [UInt8])
}
