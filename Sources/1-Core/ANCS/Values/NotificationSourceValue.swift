public import Octets

/// A value of the Notification Source characteristic (R12): one event of one notification.
///
///     octet  0        1           2           3              4...7
///            EventID  EventFlags  CategoryID  CategoryCount  NotificationUID
@frozen public struct NotificationSourceValue: Hashable, Sendable {
    /// What happened.
    public var eventID: EventID
    /// The flags of the notification.
    public var eventFlags: EventFlags
    /// The category of the notification.
    public var categoryID: CategoryID
    /// How many notifications of the category are active, this one included (R17).
    public var categoryCount: UInt8
    /// The identifier of the notification, valid within the session.
    public var notificationUID: NotificationUID

    /// The length of every value in octets (R12, S17).
    public static let count = 8

    /// A value with these fields.
    @inlinable public init(
        eventID: EventID, eventFlags: EventFlags = [], categoryID: CategoryID = .other,
        categoryCount: UInt8 = 1, notificationUID: NotificationUID
    ) {
        self.eventID = eventID
        self.eventFlags = eventFlags
        self.categoryID = categoryID
        self.categoryCount = categoryCount
        self.notificationUID = notificationUID
    }

    /// Decodes a value of exactly eight octets; throws if there are fewer or more (S17).
    @inlinable @inline(__always)
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        guard value.count == 8 else { try Self.refuse(count: value.count) }
        // The test above covers all eight octets, so the compiler reads them without further checks.
        eventID = EventID(rawValue: value[0])
        eventFlags = EventFlags(rawValue: value[1])
        categoryID = CategoryID(rawValue: value[2])
        categoryCount = value[3]
        notificationUID = NotificationUID(
            rawValue: UInt32(value[4]) | UInt32(value[5]) << 8 | UInt32(value[6]) << 16
                | UInt32(value[7]) << 24)
    }

    /// Throws the error for a value of this length. A separate function, because one that only passes an
    /// error on needs no registers for it.
    @usableFromInline @inline(never)
    static func refuse(count: Int) throws(DecodingError) -> Never {
        throw count < Self.count
            ? .truncated(needed: Self.count, available: count) : .excess(count: count - Self.count)
    }
}

extension NotificationSourceValue: OctetEncodable {
    /// The length in octets: 8.
    @inlinable public var encodedCount: Int { Self.count }

    /// Appends the eight octets.
    @inlinable public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(eventID.rawValue)
        output.append(eventFlags.rawValue)
        output.append(categoryID.rawValue)
        output.append(categoryCount)
        output.append(littleEndian: notificationUID.rawValue)
    }
}
