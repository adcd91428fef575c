import ANCS
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The notifications of a consumer, for a program that wants nothing else.
@Suite struct NotificationStreamTests {
    private static let phone = ConsumerBench.phone

    private static func line(_ notification: ReceivedNotification) -> String {
        "\(notification.event) \(notification.uid.rawValue) of session \(notification.session.number)"
    }

    @Test(
        "reading starts the consumer, and returns notifications that are added or modified, and no others"
    )
    func stream() async throws {
        let bench = try ConsumerBench()
        let consumer = bench.consumer
        let reader = Task {
            var lines: [String] = []
            for try await notification in consumer.notifications {
                lines.append(Self.line(notification))
            }
            return lines
        }
        while !bench.port.calls().contains(.open) { await bench.port.settle() }
        await bench.beginSession()
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))),
            .service(Self.phone, .link(.notificationSource(announcement(.modified, 1)))),
            .service(Self.phone, .link(.notificationSource(announcement(.removed, 1)))),
            .service(Self.phone, .unavailable))
        await bench.port.report(
            .service(Self.phone, .available(hasControlPoint: true, hasDataSource: true)))
        for _ in 1...3 { await bench.port.settle() }
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))))
        await consumer.stop()
        #expect(
            try await reader.value == [
                "added 1 of session 1", "modified 1 of session 1", "added 1 of session 2",
            ])
        await bench.end()
    }

    @Test("cancelling a reader loses no notification")
    func cancelled() async throws {
        let bench = try ConsumerBench()
        let consumer = bench.consumer
        let reader = Task { for try await _ in consumer.notifications {} }
        while !bench.port.calls().contains(.open) { await bench.port.settle() }
        reader.cancel()
        try await reader.value
        await bench.beginSession()
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 7)))))
        let next = try await consumer.notifications.makeAsyncIterator().next()
        #expect(next.map(Self.line) == "added 7 of session 1")
        await bench.end()
    }

    @Test("the error that ends the consumer is thrown to the reader of its notifications")
    func failure() async throws {
        let bench = try ConsumerBench()
        let consumer = bench.consumer
        let reader = Task { for try await _ in consumer.notifications {} }
        while !bench.port.calls().contains(.open) { await bench.port.settle() }
        await bench.port.report(.failed(.controller(.noAnswer)))
        await #expect(throws: DeviceError.controller(.noAnswer)) { try await reader.value }
        await bench.end()
    }

    @Test("an action of a notification is performed in its own session only")
    func perform() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))))
        let notification = try #require(
            try await bench.consumer.notifications.makeAsyncIterator().next())
        try await bench.consumer.perform(.positive, on: notification)
        await bench.port.report(.service(Self.phone, .unavailable))
        await #expect(throws: RequestError(.sessionEnded)) {
            try await bench.consumer.perform(.positive, on: notification)
        }
        await bench.end()
    }
}

/// A notification, as a program sees it.
@Suite struct ReceivedNotificationTests {
    private static let session = SessionID(provider: ConsumerBench.phone, number: 3)

    private static func delivery(
        flags: EventFlags = [], _ attributes: AttributeValue...
    ) -> NotificationFeed.Delivery {
        var delivery = NotificationFeed.Delivery(
            source: NotificationSourceValue(
                eventID: .added, eventFlags: flags, categoryID: .incomingCall,
                notificationUID: NotificationUID(rawValue: 7)))
        delivery.attributes = attributes
        return delivery
    }

    @Test("every attribute that arrived is a property")
    func whole() {
        var delivery = Self.delivery(
            flags: [.important, .positiveAction, .negativeAction],
            AttributeValue(.appIdentifier, "com.apple.mobilephone"), AttributeValue(.title, "Ada"),
            AttributeValue(.subtitle, "mobile"), AttributeValue(.message, "Incoming Call"),
            AttributeValue(.date, "20261121T093000"),
            AttributeValue(.negativeActionLabel, "Decline"))
        delivery.displayName = AttributeValue(AppAttributeID.displayName, "Phone")
        let call = ReceivedNotification(delivery, session: Self.session)
        #expect(call.provider == ConsumerBench.phone && call.session.number == 3)
        #expect(call.event == .added && call.uid.rawValue == 7 && call.category == .incomingCall)
        #expect(call.isImportant && !call.isSilent && !call.isPreExisting)
        #expect(call.app == .init(identifier: "com.apple.mobilephone", displayName: "Phone"))
        #expect("\(call.app)" == "Phone")
        #expect([call.title, call.subtitle, call.message] == ["Ada", "mobile", "Incoming Call"])
        #expect(call.date?.description == "2026-11-21T09:30:00")
        #expect(call.actions == .init(positive: "", negative: "Decline"))
        #expect(call.failure == nil)
    }

    @Test("attributes that did not arrive are empty, and the error has the reason")
    func failed() {
        var delivery = Self.delivery(AttributeValue(.appIdentifier, "com.example.chat"))
        delivery.failure = .refused(.writeNotPermitted)
        let notification = ReceivedNotification(delivery, session: Self.session)
        #expect(notification.title.isEmpty && notification[.title] == nil)
        #expect("\(notification.app)" == "com.example.chat" && notification.date == nil)
        #expect(notification.actions == .init(positive: nil, negative: nil))
        #expect(notification.failure == RequestError(.refused(.writeNotPermitted)))
    }
}
