package import AMS

extension MediaState {
    /// Whether the phone has a player: it may offer the service without one (M14).
    var hasPlayer: Bool { playback != nil || playerName != nil || title != nil }

    /// Whether it plays, at whatever speed and in whichever direction.
    var isPlaying: Bool { playback.map { (1...3).contains($0.state.rawValue) } ?? false }

    /// What the player does, in a word.
    package var word: String { playback == nil ? "stopped" : isPlaying ? "playing" : "paused" }

    /// The name of its app, or its identifier.
    package var app: String? { (playerName ?? bundleIdentifier)?.string }
}
