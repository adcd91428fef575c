import AMS
import DBus
import Octets
import Testing

@testable import ANCSService

@Suite("The player of a phone, as MPRIS has it")
struct PlayerViewTests {
    private static let start = MonotonicInstant.zero

    static func text(_ text: String, isTruncated: Bool = false) -> MediaState.Text {
        MediaState.Text(Array(text.utf8), isTruncated: isTruncated)
    }

    /// A player that plays, of which everything is known.
    static func playing(
        _ title: String = "Clair de lune", at elapsed: Duration = .seconds(10),
        _ now: MonotonicInstant = start
    ) -> MediaState {
        var state = MediaState()
        (state.playerName, state.title) = (text("Music"), text(title))
        (state.artist, state.album) = (text("Debussy"), text("Suite"))
        state.playback = PlaybackInfo(.playing, rate: 1000, elapsed: elapsed)
        state.playbackInstant = now
        state.duration = .seconds(300)
        (state.volume, state.shuffleMode, state.repeatMode) = (500, .off, .off)
        state.commands = RemoteCommandSet(
            (0...10).map { RemoteCommandID(rawValue: $0) })
        return state
    }

    @Test("the states of a player are those of MPRIS")
    func states() {
        let rows: [(UInt8?, MPRIS.PlaybackStatus)] = [
            (0, .paused), (1, .playing), (2, .playing), (3, .playing), (4, .paused),
            (nil, .stopped),
        ]
        for (number, status) in rows {
            var state = Self.playing()
            state.playback = number.map {
                PlaybackInfo(PlaybackState(rawValue: $0), rate: 1000, elapsed: .zero)
            }
            #expect(PlayerView("Phone", state).playbackStatus == status)
        }
    }

    @Test("the track is described, and without one there is none")
    func metadata() {
        let view = PlayerView("Ada's iPhone", Self.playing())
        #expect(view.identity == "Ada's iPhone: Music")
        #expect(
            view.metadata.properties == [
                "mpris:trackid": .objectPath("/org/swift_ancs/ANCS1/track/1"),
                "xesam:title": .string("Clair de lune"), "xesam:artist": .strings(["Debussy"]),
                "xesam:album": .string("Suite"), "mpris:length": .int64(300_000_000),
            ])
        let empty = PlayerView("Phone", MediaState())
        #expect(empty.identity == "Phone")
        #expect(empty.metadata.properties?.count == 1)
    }

    @Test("each track has an identifier, which it keeps while more of it becomes known")
    func tracks() {
        var view = PlayerView("Phone", Self.playing())
        var cut = Self.playing()
        cut.title = Self.text("A long ti", isTruncated: true)
        cut.album = nil
        _ = view.update("Phone", cut, at: Self.start)
        #expect(view.track == 2)
        var whole = cut
        (whole.title, whole.album) = (Self.text("A long title"), Self.text("Suite"))
        _ = view.update("Phone", whole, at: Self.start)
        #expect(view.track == 2)
        var other = whole
        other.album = Self.text("Another")
        _ = view.update("Phone", other, at: Self.start)
        #expect(view.track == 3)
        other.volume = 10
        _ = view.update("Phone", other, at: Self.start)
        #expect(view.track == 3)
    }

    @Test("a position that does not follow from the last report is a seek, by more than a second")
    func seeks() {
        for (elapsed, isSeek) in [(15.0, false), (16.0, false), (16.1, true), (13.9, true)] {
            var view = PlayerView("Phone", Self.playing())
            let now = Self.start + .seconds(5)
            let place = view.update(
                "Phone", Self.playing(at: .milliseconds(Int(elapsed * 1000)), now), at: now)
            #expect((place != nil) == isSeek, "\(elapsed)")
        }
        // Without another report there is none, however much time has passed.
        var view = PlayerView("Phone", Self.playing())
        #expect(view.update("Phone", Self.playing(), at: Self.start + .seconds(99)) == nil)
        #expect(view.position(at: Self.start + .seconds(5)) == 15_000_000)
    }

    @Test("LoopStatus is reached in at most two steps, each after the report of the last")
    func loop() {
        var view = PlayerView("Phone", Self.playing())
        #expect(view.aim(.loop, at: 2, Self.start) == .advanceRepeatMode)
        var state = Self.playing()
        state.volume = 510
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.steps(at: Self.start) == [])
        state.repeatMode = .one
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.steps(at: Self.start) == [.advanceRepeatMode])
        state.repeatMode = .off
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.steps(at: Self.start) == [])
        state.repeatMode = .one
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.steps(at: Self.start) == [])
    }

    @Test("a report that comes too late is of somebody who has changed it there")
    func late() {
        var view = PlayerView("Phone", Self.playing())
        #expect(view.aim(.shuffle, at: 1, Self.start) == .advanceShuffleMode)
        let late = Self.start + .milliseconds(5001)
        var state = Self.playing()
        state.repeatMode = .one
        state.shuffleMode = .one
        _ = view.update("Phone", state, at: late)
        #expect(view.steps(at: late) == [])
        #expect(view.aim(.shuffle, at: 0, late) == .advanceShuffleMode)
    }

    @Test("the volume is reached in steps of a sixteenth, and nothing is stepped back")
    func volume() {
        var view = PlayerView("Phone", Self.playing())
        var state = Self.playing()
        #expect(view.aim(.volume, at: 531, Self.start) == nil)
        #expect(view.aim(.volume, at: 650, Self.start) == .volumeUp)
        // A slider is drawn on: the step whose report is awaited still is.
        #expect(view.aim(.volume, at: 700, Self.start) == nil)
        var steps = 1
        for level in [562, 625, 687] {
            state.volume = level
            _ = view.update("Phone", state, at: Self.start)
            steps += view.steps(at: Self.start).count
        }
        #expect(steps == 3)
        // A phone with larger steps goes too far, and stays there.
        #expect(view.aim(.volume, at: 740, Self.start) == .volumeUp)
        state.volume = 800
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.steps(at: Self.start) == [])
        // Unknown, it cannot be reached.
        state.volume = nil
        _ = view.update("Phone", state, at: Self.start)
        #expect(view.aim(.volume, at: 100, Self.start) == nil)
    }

    @Test("at most sixteen steps of the volume are taken")
    func limit() {
        var view = PlayerView("Phone", Self.playing())
        var state = Self.playing()
        var steps = view.aim(.volume, at: 1000, Self.start) == nil ? 0 : 1
        for level in 501...600 {
            state.volume = level
            _ = view.update("Phone", state, at: Self.start)
            steps += view.steps(at: Self.start).count
        }
        #expect(steps == 16)
    }

    @Test("commands are those that the player supports")
    func commands() {
        var state = Self.playing()
        state.commands = RemoteCommandSet([.togglePlayPause])
        var view = PlayerView("Phone", state)
        #expect(view.play == nil && view.pause == .togglePlayPause)
        state.playback?.state = .paused
        view = PlayerView("Phone", state)
        #expect(view.play == .togglePlayPause && view.pause == nil)
        #expect(view.playPause == .togglePlayPause)
        state.commands = RemoteCommandSet([.play, .pause])
        view = PlayerView("Phone", state)
        #expect(view.playPause == .play)
        #expect(view.supported(.nextTrack) == nil)
        #expect(view.aim(.loop, at: 1, Self.start) == nil)
    }

    @Test("what a phone says of its time fits, however much it is")
    func hostile() {
        var state = Self.playing()
        state.duration = .milliseconds(Int64.max)
        state.playback?.elapsed = .seconds(10_000_000)
        state.title = MediaState.Text([0, 0xFF, 0x41])
        let view = PlayerView("Phone\u{0}", state)
        #expect(view.metadata.properties?["mpris:length"] == .int64(1_000_000_000_000_000))
        #expect(view.metadata.properties?["xesam:title"] == .string("\\u{0}\u{FFFD}A"))
        #expect(view.identity == "Phone\\u{0}: Music")
        #expect(view.position(at: Self.start) == 10_000_000_000_000)
    }
}
