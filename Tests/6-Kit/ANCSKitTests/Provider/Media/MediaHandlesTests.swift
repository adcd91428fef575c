import ANCSMedia
import ANCSTestKit
import Testing

@testable import ANCSKit

/// ANCS and the Apple Media Service at one phone, which want the same handles.
@Suite("Handles of the media of a phone") struct MediaHandlesTests {
    @Test(
        "whichever comes first, both are there, and the media go on",
        arguments: [UInt16(0x24), 0x2D, 0x30, 0x38, 0x40])
    func both(_ handle: UInt16) async throws {
        try await TestBench.run { bench in
            let phone = bench.phone
            var player = MediaPlayer(name: "Music")
            player.queue = [MediaPlayer.Track(title: "Note A")]
            await phone.setPlayer(player)
            await phone.setMediaService(MediaService())
            var desk = ConsumerConfiguration(name: "Desk")
            desk.media = .init()
            let consumer = try NotificationConsumer(desk, at: bench.bluetooth())
            await consumer.start()
            let titles = consumer.media.makeAsyncIterator()
            func wait(for title: String) async {
                while let media = await titles.next(), media.state?.title?.string != title {}
            }
            await wait(for: "Note A")
            for number in 1...2 {
                await phone.setANCSPublished(false)
                await phone.setANCSPublished(true, at: number == 1 ? handle : 0x23)
                await phone.changePlayer { player, _ in
                    player.queue = [MediaPlayer.Track(title: "Note \(number)")]
                }
                await wait(for: "Note \(number)")
                try await bench.wait("a session at \(handle)") {
                    bench.events.count {
                        if case .session(_, .started)? = $0.event as? ConsumerEvent {
                            true
                        } else {
                            false
                        }
                    } == number + 1
                }
            }
            // The media come where ANCS is.
            await phone.setMediaService(nil)
            await phone.setANCSPublished(false)
            await phone.setANCSPublished(true, at: handle)
            await phone.setMediaService(MediaService())
            await phone.changePlayer { player, _ in
                player.queue = [MediaPlayer.Track(title: "Note Z")]
            }
            await wait(for: "Note Z")
        }
    }
}
