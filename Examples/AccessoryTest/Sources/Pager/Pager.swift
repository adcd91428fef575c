import ANCSKit

/// A pager on a belt: it shows what is important, and buzzes for it once.
public actor Pager {
    /// What it shows, the newest at the end.
    public private(set) var page: [String] = []
    /// How often it has buzzed.
    public private(set) var buzzes = 0

    private let consumer: NotificationConsumer
    private var uids: [NotificationUID: String] = [:]

    /// A pager that is off.
    public init(at bluetooth: Bluetooth) throws {
        consumer = try NotificationConsumer(name: "Pager", at: bluetooth)
    }

    /// Shows the notifications of one phone after another, until the consumer is stopped.
    public func run() async throws {
        await consumer.start()
        for try await event in consumer.events {
            switch event {
            case .notification(let notification): show(notification)
            case .session(_, .ended): (page, uids) = ([], [:])
            default: continue
            }
        }
    }

    private func show(_ notification: ReceivedNotification) {
        if let old = uids.removeValue(forKey: notification.uid) {
            page.removeAll { $0 == old }
        } else if notification.isImportant, !notification.isPreExisting {
            buzzes += 1
        }
        guard notification.event != .removed, notification.isImportant else { return }
        uids[notification.uid] = notification.title
        page.append(notification.title)
    }
}
