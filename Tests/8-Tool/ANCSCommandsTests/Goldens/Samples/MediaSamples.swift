import AMS
import ANCSEvents

@testable import ANCSMedia

/// What may be playing on a phone.
enum MediaSamples {
    private static func media(
        _ changes: MediaAttributeSet, at position: Duration? = nil,
        _ change: (inout MediaState) -> Void
    ) -> PhoneMedia {
        var state = MediaState()
        change(&state)
        return PhoneMedia(
            provider: PhoneID(rawValue: 1), state: state, changes: changes, position: position)
    }

    private static func everything(_ state: inout MediaState) {
        state.playerName = .init(Array("Music".utf8))
        state.bundleIdentifier = .init(Array("com.apple.Music".utf8))
        state.playback = .init(.playing, rate: 1000, elapsed: .milliseconds(75_250))
        state.volume = 500
        (state.queueIndex, state.queueCount) = (3, 12)
        (state.shuffleMode, state.repeatMode) = (.all, .off)
        state.artist = .init(Array("Ada".utf8))
        state.album = .init(Array("Engines".utf8))
        state.title = .init(Array("Note G".utf8))
        state.duration = .seconds(200)
        state.commands = RemoteCommandSet([.pause, .nextTrack, RemoteCommandID(rawValue: 200)])
    }

    static let all: [(title: String, media: PhoneMedia)] = [
        ("playing", media(.all, at: .milliseconds(75_250), everything)),
        ("nothing playing", media(.all) { _ in }),
        ("volume", media(.init(.volume), everything)),
        ("queue", media(.all(of: .queue), everything)),
        ("commands", media([], everything)),
        (
            "hostile and cut",
            media([.init(.title), .init(.playerName)]) {
                $0.title = .init(Array(Samples.hostile.utf8), isTruncated: true)
                $0.playerName = .init(Array(Samples.hostile.utf8))
                $0.playback = .init(.init(rawValue: 7), rate: nil, elapsed: nil)
                $0.shuffleMode = .init(rawValue: 9)
                $0.duration = .seconds(3661)
            }
        ),
        (
            "gone",
            PhoneMedia(
                provider: PhoneID(rawValue: 1), state: nil, changes: .all, position: nil)
        ),
    ]
}
