internal import ANCSMedia
internal import Kinds

extension PhoneMedia {
    /// What `ancs receive` says of it. Texts are as received.
    var line: Line {
        Line(
            "media", Self.form.members(of: self),
            state.map(sentence) ?? "♪ the phone no longer says what is playing", .heading,
            below: isOfTrack ? Line.Below.all({ .text($0) }, state.map(details)) : [])
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
            form),
        LineKind(
            "command", "a command for the player has ended",
            [
                "command": .text, "result": .words(["accepted", "failed"]),
                "failure?": .text.described("why, for people"),
            ]),
    ]

    /// The members of a line, as far as the phone has said them.
    private static let form = ObjectForm<PhoneMedia>(
        .init(
            "available",
            .boolean.described(
                "whether the phone says what is playing; if not, there are no other members")
        ) { .boolean($0.state != nil) },
        .text("player?", .text.described("its name"), \.state?.playerName?.string),
        .text(
            "app?", .text.described("the identifier of the player"),
            \.state?.bundleIdentifier?.string),
        .text(
            "playback?",
            .text.described(
                "what the player does: `paused`, `playing`, `rewinding`, `fastForwarding` or `reserved4`"
            ), \.state?.playback?.state.text),
        .init("rate?", .number.described("how fast; 1 is the usual speed")) {
            $0.state?.playback?.rate.map { .number(Double($0) / 1000) }
        },
        .init("position?", .amount.described("in seconds from the beginning of the track")) {
            $0.position.map { .number($0.seconds) }
        },
        .init("duration?", .amount.described("of the track, in seconds")) {
            $0.state?.duration.map { .number($0.seconds) }
        },
        .init("volume?", .amount.described("from 0 to 1")) {
            $0.state?.volume.map { .number(Double($0) / 1000) }
        },
        .number("queueIndex?", .count.described("of the track, from 0"), \.state?.queueIndex),
        .number("queueCount?", .count, \.state?.queueCount),
        .text("shuffle?", mode, \.state?.shuffleMode?.text),
        .text("repeat?", mode, \.state?.repeatMode?.text),
        .text("artist?", \.state?.artist?.string), .text("album?", \.state?.album?.string),
        .text("title?", \.state?.title?.string),
        .texts("truncated?", .texts.described("which texts are not whole"), \.truncated),
        .texts("commands?", .texts.described("what the player can be told")) { media in
            let octets = media.state?.commands.octets ?? []
            return octets.isEmpty ? nil : octets.map { RemoteCommandID(rawValue: $0).description }
        })

    private var truncated: [String]? {
        let texts = [("artist", state?.artist), ("album", state?.album), ("title", state?.title)]
        let names = texts.filter { $0.1?.isTruncated == true }.map(\.0)
        return names.isEmpty ? nil : names
    }

    private static let mode = SchemaFragment.text.described(
        "which mode: `off`, `one`, `all` or `reserved3`")
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
