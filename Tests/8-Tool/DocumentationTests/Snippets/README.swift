// swift-format-ignore-file
import ANCSKit

// The code of README.md.
enum READMESnippets {
    static func firstProgram() async {
        do throws(DeviceError) {
            let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
            for try await notification in consumer.notifications { print(notification.title) }
        } catch { print(error.message) }                        // no bus, no adapter, no permission, …
    }

    static func act(on consumer: NotificationConsumer) async throws {
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
