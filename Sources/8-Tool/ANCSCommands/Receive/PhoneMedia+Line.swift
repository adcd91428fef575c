internal import ANCSMedia
internal import Kinds

extension PhoneMedia {
    /// What `ancs receive` says of it. Texts are as received.
    var line: Line {
        guard let state else {
            return Line(
                "media", ["available": false], "♪ the phone no longer says what is playing",
                .heading)
        }
        return Line(
            "media", state.members(at: position), sentence(of: state), .heading,
            below: isOfTrack ? Line.Below.all({ .text($0) }, details(of: state)) : [])
    }

    /// Whether more has changed than what stands beside the track.
    private var isOfTrack: Bool {
        !changes.subtracting([.init(.volume)]).subtracting(.all(of: .queue)).isEmpty
    }

    /// What people read; a change of the commands alone is of no interest to them.
    private func sentence(of state: MediaState) -> String? {
        guard !isOfTrack else {
            let names = [state.title, state.artist, state.album].compactMap { $0?.string }
            // The player is known before its track.
            let rest =
                state.playback == nil
                ? "nothing is playing" : state.playerName?.string ?? "no title"
            return "♪ " + (names.isEmpty ? rest : names.joined(separator: " · "))
        }
        let parts = [
            changes.contains(.volume) ? volume(of: state) : nil,
            changes.isDisjoint(with: .all(of: .queue)) ? nil : queue(of: state),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : "♪ " + parts.joined(separator: " · ")
    }

    private func details(of state: MediaState) -> String {
        var parts: [String] = []
        if let playback = state.playback { parts.append(playback.state.text) }
        let length = state.duration.map(Self.clock)
        if let place = position.map(Self.clock) ?? length.map({ _ in "?" }) {
            parts.append(length.map { "\(place) of \($0)" } ?? place)
        }
        if let player = state.playerName?.string, state.title ?? state.artist ?? state.album != nil
        {
            parts.append(player)
        }
        parts += [volume(of: state), queue(of: state)].compactMap(\.self)
        if state.title?.isTruncated == true { parts.append("truncated by the phone") }
        return parts.joined(separator: " · ")
    }

    private func volume(of state: MediaState) -> String? {
        state.volume.map { "volume \(($0 + 5) / 10) %" }
    }

    private func queue(of state: MediaState) -> String? {
        guard let index = state.queueIndex, let count = state.queueCount, count > 0 else {
            return nil
        }
        return "track \(index + 1) of \(count)"
    }

    /// Minutes and seconds.
    private static func clock(_ time: Duration) -> String {
        let (minutes, seconds) = time.components.seconds.quotientAndRemainder(dividingBy: 60)
        return "\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
    }

    /// The kind of line.
    static let kinds = [
        LineKind(
            "media",
            "with `--media`: what is playing on the phone has changed. A member is absent where the phone has not said it",
            [
                "available": .boolean.described(
                    "whether the phone says what is playing; if not, there are no other members"),
                "player?": .text.described("its name"),
                "app?": .text.described("the identifier of the player"),
                "playback?": .text.described(
                    "what the player does: `paused`, `playing`, `rewinding`, `fastForwarding` or `reserved4`"
                ),
                "rate?": .number.described("how fast; 1 is the usual speed"),
                "position?": .amount.described("in seconds from the beginning of the track"),
                "duration?": .amount.described("of the track, in seconds"),
                "volume?": .amount.described("from 0 to 1"),
                "queueIndex?": .count.described("of the track, from 0"), "queueCount?": .count,
                "shuffle?": mode, "repeat?": mode, "artist?": .text, "album?": .text,
                "title?": .text, "truncated?": .texts.described("which texts are not whole"),
                "commands?": .texts.described("what the player can be told"),
            ]),
        LineKind(
            "command", "a command for the player has ended",
            [
                "command": .text, "result": .words(["accepted", "failed"]),
                "failure?": .text.described("why, for people"),
            ]),
    ]

    private static let mode = SchemaFragment.text.described(
        "which mode: `off`, `one`, `all` or `reserved3`")
}

extension MediaState {
    /// The members of a line, as far as the phone has said them.
    fileprivate func members(at position: Duration?) -> [JSONValue.Member] {
        let texts = [("artist", artist), ("album", album), ("title", title)]
        let truncated = texts.filter { $0.1?.isTruncated == true }.map { JSONValue.string($0.0) }
        let commands = commands.octets.map {
            JSONValue.string(RemoteCommandID(rawValue: $0).description)
        }
        let members: KeyValuePairs<String, JSONValue?> = [
            "available": true, "player": playerName.map { .string($0.string) },
            "app": bundleIdentifier.map { .string($0.string) },
            "playback": playback.map { .string($0.state.text) },
            "rate": playback?.rate.map { .number(Double($0) / 1000) },
            "position": position.map { .number($0.seconds) },
            "duration": duration.map { .number($0.seconds) },
            "volume": volume.map { .number(Double($0) / 1000) },
            "queueIndex": queueIndex.map { .integer($0) },
            "queueCount": queueCount.map { .integer($0) },
            "shuffle": shuffleMode.map { .string($0.text) },
            "repeat": repeatMode.map { .string($0.text) },
            "artist": artist.map { .string($0.string) }, "album": album.map { .string($0.string) },
            "title": title.map { .string($0.string) },
            "truncated": truncated.isEmpty ? nil : .array(truncated),
            "commands": commands.isEmpty ? nil : .array(commands),
        ]
        return .init(present: members)
    }
}

extension PlaybackState {
    fileprivate var text: String {
        word(rawValue, of: ["paused", "playing", "rewinding", "fastForwarding"])
    }
}

extension MediaMode { fileprivate var text: String { word(rawValue, of: ["off", "one", "all"]) } }

/// The word for a value; one without a word has its number.
private func word(_ value: UInt8, of words: [String]) -> String {
    Int(value) < words.count ? words[Int(value)] : "reserved\(value)"
}
