// swift-format-ignore-file
// The code of Sources/4-Receiver/ANCSReceiver/ANCSReceiver.docc/Receiving-notifications.md.
import ANCSKit

enum ReceivingSnippets {
    static func first() async throws {
        let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
        for try await notification in consumer.notifications { print(notification.title) }
    }

    static func sessions(_ consumer: NotificationConsumer) async throws {
        try await consumer.run { session in                     // once for each ANCS session with a phone
            for await event in session.events {
                guard case .notification(let call) = event, call.event == .added,
                    call.category == .incomingCall
                else { continue }
                print("\(call.app): \(call.title)", call.actions.negative ?? "cannot be declined")
                do throws(RequestError) {
                    try await session.perform(.negative, on: call.uid)
                } catch { print(error.message) }                // refused, gone, the session ended, …
            }
        }
    }
}
