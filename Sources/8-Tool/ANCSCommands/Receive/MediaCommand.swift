internal import AMS

/// A typed command for the player of a phone.
struct MediaCommand: Equatable, Sendable {
    /// What a user types, in the order in which it is listed.
    static let words: [(word: String, command: RemoteCommandID)] = [
        ("play", .play), ("pause", .pause), ("next", .nextTrack), ("previous", .previousTrack),
        ("+", .volumeUp), ("-", .volumeDown),
    ]

    var command: RemoteCommandID
    /// The number of the session, if it was given.
    var session: UInt64?

    /// Parses `play [SESSION]` and the like.
    init?(_ words: [String]) {
        guard let known = Self.words.first(where: { $0.word == words.first }) else { return nil }
        command = known.command
        guard words.count > 1 else { return }
        guard words.count == 2, let number = UInt64(words[1]), number > 0 else { return nil }
        session = number
    }
}
