extension NotificationConsumer {
    /// The notifications of all phones, when added and when modified, and nothing else.
    ///
    ///     let consumer = try NotificationConsumer(name: "Desk", at: .hci("serial:/dev/ttyACM0"))
    ///     for try await notification in consumer.notifications { print(notification.title) }
    ///
    /// Reading starts the consumer. This is the same stream as ``events``: other events are consumed and
    /// dropped, so a program reads only one of the two, or uses ``run(_:other:)``. A program that needs
    /// removals, sessions, pairing or the number of missed events reads the events.
    public nonisolated var notifications: EventSequence<ReceivedNotification, DeviceError> {
        EventSequence(of: events, beginning: { await self.start() }) { event in
            guard case .notification(let notification) = event, notification.event != .removed
            else { return nil }
            return notification
        }
    }
}
