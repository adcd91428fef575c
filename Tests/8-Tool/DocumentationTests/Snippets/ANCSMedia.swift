// swift-format-ignore-file
// The code of Sources/4-Receiver/ANCSMedia/ANCSMedia.docc/ANCSMedia.md.
import ANCSKit
import ANCSMedia

enum MediaSnippets {
    static func media() async throws {
        var configuration = ConsumerConfiguration(name: "Desk")
        configuration.media = MediaRemoteSession.Configuration()
        let consumer = try NotificationConsumer(configuration, at: .hci("serial:/dev/ttyACM0"))
        await consumer.start()
        for await media in consumer.media {
            print(media.state?.title?.string ?? "nothing")
            if media.state?.commands.contains(.pause) == true {
                try await consumer.send(.pause, to: media.provider)
            }
        }
    }
}
