import AMS
import Octets
import Testing

@testable import ANCSKit

/// A player whose clock the test has.
@Suite struct MediaPlayerTests {
    private static func seconds(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private static func player() -> MediaPlayer {
        var player = MediaPlayer(name: "Music", bundleIdentifier: "com.apple.Music")
        player.queue = ["A", "B", "C"].map { MediaPlayer.Track(title: $0, duration: .seconds(60)) }
        player.play(at: .zero)
        return player
    }

    @Test(
        "the position runs with the clock, stands still in a pause, and is never outside the track")
    func position() {
        var player = Self.player()
        #expect(player.position(at: Self.seconds(10)) == .seconds(10))
        #expect(player.position(at: Self.seconds(600)) == .seconds(60))
        player.pause(at: Self.seconds(20))
        #expect(player.position(at: Self.seconds(30)) == .seconds(20))
        #expect(player.nextDeadline == nil)
        player.play(at: Self.seconds(40))
        player.obey(.skipForward, at: Self.seconds(41))
        #expect(player.position(at: Self.seconds(41)) == .seconds(36))
        player.obey(.skipBackward, at: Self.seconds(41))
        player.obey(.skipBackward, at: Self.seconds(41))
        player.obey(.skipBackward, at: Self.seconds(41))
        #expect(player.position(at: Self.seconds(41)) == .zero)
        player.play(.rewinding, from: .seconds(5), rate: -2000, at: Self.seconds(50))
        #expect(player.position(at: Self.seconds(52)) == .seconds(1))
        #expect(player.position(at: Self.seconds(99)) == .zero && player.nextDeadline == nil)
    }

    @Test("a track that ends is followed by the next, as the modes say")
    func ends() {
        var player = Self.player()
        player.handleTimeout(at: Self.seconds(59))
        #expect(player.track?.title == "A" && player.nextDeadline == Self.seconds(60))
        player.handleTimeout(at: Self.seconds(60))
        #expect(player.track?.title == "B" && player.nextDeadline == Self.seconds(120))
        player.obey(.advanceRepeatMode, at: Self.seconds(60))
        player.handleTimeout(at: Self.seconds(120))
        #expect(player.repeatMode == .one && player.track?.title == "B")
        player.obey(.advanceRepeatMode, at: Self.seconds(120))
        player.handleTimeout(at: Self.seconds(180))
        player.handleTimeout(at: Self.seconds(240))
        #expect(player.repeatMode == .all && player.track?.title == "A")
        player.obey(.advanceRepeatMode, at: Self.seconds(240))
        for second in [300, 360, 420] as [Int64] { player.handleTimeout(at: Self.seconds(second)) }
        #expect(player.repeatMode == .off && player.track?.title == "A")
        #expect(player.media.playback?.state == .paused && player.nextDeadline == nil)
        player.play(rate: 2000, at: Self.seconds(500))
        #expect(player.nextDeadline == Self.seconds(530))
    }

    @Test("tracks of no length, or next to none, do not keep the phone busy")
    func shortTracks() throws {
        var player = Self.player()
        player.queue = [MediaPlayer.Track(title: "A", duration: .zero)]
        player.repeatMode = .all
        #expect(player.nextDeadline == nil)
        player.queue = [MediaPlayer.Track(title: "A", duration: .nanoseconds(1))]
        player.start(0, at: .zero)
        let deadline = try #require(player.nextDeadline)
        #expect(deadline - .zero >= .milliseconds(100))
        player.handleTimeout(at: deadline)
        #expect(try #require(player.nextDeadline) > deadline)
    }

    @Test("previous goes back to the beginning first, and then to the track before")
    func previous() {
        var player = Self.player()
        player.obey(.nextTrack, at: Self.seconds(1))
        player.obey(.previousTrack, at: Self.seconds(11))
        #expect(player.track?.title == "B" && player.position(at: Self.seconds(11)) == .zero)
        player.obey(.previousTrack, at: Self.seconds(12))
        player.obey(.previousTrack, at: Self.seconds(13))
        #expect(player.track?.title == "A")
    }

    @Test("the volume has sixteen steps, and stays within them")
    func volume() {
        var player = Self.player()
        #expect(player.media.volume == 500)
        for _ in 0..<20 { player.obey(.volumeUp, at: .zero) }
        #expect(player.volume == 16 && player.media.volume == 1000)
        player.obey(.volumeDown, at: .zero)
        #expect(player.media.volume == 938)
        for _ in 0..<20 { player.obey(.volumeDown, at: .zero) }
        #expect(player.media.volume == 0)
    }

    @Test(
        "any commands at any time leave a player that makes sense",
        arguments: 0..<20 as Range<UInt64>)
    func anything(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var player = seed % 2 == 0 ? Self.player() : MediaPlayer(name: "Radio")
        var now = MonotonicInstant.zero
        for _ in 0..<500 {
            now = now + .milliseconds(Int64.random(in: 0...100_000, using: &generator))
            player.obey(RemoteCommandID(rawValue: .random(in: 0...255, using: &generator)), at: now)
            player.handleTimeout(at: now)
            if generator.next() % 50 == 0 { player.queue = [] }
            #expect(player.queue.isEmpty || player.track != nil)
            #expect(player.position(at: now) >= .zero && (0...16).contains(player.volume))
        }
    }
}
