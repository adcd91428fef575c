extension NotificationConsumer {
    /// The notifications of all phones, as they are added and as they are modified, and nothing else.
    ///
    ///     let consumer = try NotificationConsumer(name: "Desk", at: .hci("serial:/dev/ttyACM0"))
    ///     for try await notification in consumer.notifications { print(notification.title) }
    ///
    /// The consumer starts when they are read. They are the same stream as ``events``: what else happens is
    /// passed over, and gone; so a program reads one of the two, or uses ``run(_:other:)``. One that has to
    /// know of removals, of sessions, of pairing or of what it missed reads the events.
    public nonisolated var notifications: EventSequence<ReceivedNotification, DeviceError> {
        EventSequence(of: events, beginning: { await self.start() }) { event in
            guard case .notification(let notification) = event, notification.event != .removed
            else { return nil }
            return notification
        }
    }
}
