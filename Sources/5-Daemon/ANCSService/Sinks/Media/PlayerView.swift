internal import AMS
internal import DBus

/// What is shown of the player of a phone: the values of its properties, and what a change of them means. No I/O.
struct PlayerView: Sendable {
    /// The most by which a position may be off before it counts as another one.
    private static let drift = Duration.seconds(1)

    private(set) var phone: String
    private(set) var state: MediaState
    /// The number of the track: each has an identifier of its own.
    private(set) var track = 1
    private var goals: [PlayerGoal.Kind: PlayerGoal] = [:]

    init(_ phone: String, _ state: MediaState) { (self.phone, self.state) = (phone, state) }

    /// The phone reports something else. Returns the position if it is not the one that follows from what was
    /// reported before (M12).
    mutating func update(
        _ phone: String, _ state: MediaState, at now: MonotonicInstant
    ) -> Duration? {
        let earlier = self.state
        (self.phone, self.state) = (phone, state)
        if !state.hasTrack(of: earlier) { track += 1 }
        guard state.playbackInstant != earlier.playbackInstant,
            let expected = earlier.position(at: now), let position = state.position(at: now),
            max(position, expected) - min(position, expected) > Self.drift
        else { return nil }
        return position
    }

    // MARK: Commands

    /// A value is written to a property: returns the first step to it.
    mutating func aim(
        _ kind: PlayerGoal.Kind, at target: Int, _ now: MonotonicInstant
    ) -> RemoteCommandID? {
        goals[kind] = PlayerGoal(kind, target, after: goals[kind], at: now)
        return step(kind, now)
    }

    /// The steps that are due after a report.
    mutating func steps(at now: MonotonicInstant) -> [RemoteCommandID] {
        PlayerGoal.Kind.allCases.compactMap { step($0, now) }
    }

    private mutating func step(
        _ kind: PlayerGoal.Kind, _ now: MonotonicInstant
    ) -> RemoteCommandID? {
        guard let (step, isDone) = goals[kind]?.next(state, at: now) else { return nil }
        if isDone { goals[kind] = nil }
        return step
    }

    /// The first of some commands that the player supports.
    func supported(_ commands: RemoteCommandID...) -> RemoteCommandID? {
        commands.first(where: state.commands.contains)
    }

    /// What plays: its own command, or the one that also pauses.
    var play: RemoteCommandID? {
        supported(.play) ?? (state.isPlaying ? nil : supported(.togglePlayPause))
    }
    var pause: RemoteCommandID? {
        supported(.pause) ?? (state.isPlaying ? supported(.togglePlayPause) : nil)
    }
    var playPause: RemoteCommandID? {
        supported(.togglePlayPause) ?? (state.isPlaying ? pause : play)
    }

    // MARK: Values

    var identity: String {
        Self.shown([phone, state.playerName?.string].compactMap(\.self).joined(separator: ": "))
    }

    /// A text of the phone on one line, without what could steer a terminal: programs print it as it is.
    private static func shown(_ text: String) -> String {
        PopupText.shown(text, as: .line, limit: 1024)
    }

    var playbackStatus: MPRIS.PlaybackStatus {
        state.playback == nil ? .stopped : state.isPlaying ? .playing : .paused
    }

    /// The values of `LoopStatus`, by the numbers of ``MediaMode``.
    static let loopStatuses = ["None", "Track", "Playlist"]

    var loopStatus: String {
        let mode = Int(state.repeatMode?.rawValue ?? 0)
        return Self.loopStatuses[Self.loopStatuses.indices.contains(mode) ? mode : 0]
    }

    /// A rate of 0 means *paused* to AMS, and is not allowed here.
    var rate: Double {
        guard state.isPlaying, let rate = state.playback?.rate, rate > 0 else { return 1 }
        return Double(rate) / 1000
    }

    func position(at now: MonotonicInstant) -> Int64 {
        (state.position(at: now) ?? .zero).microseconds
    }

    var metadata: BusValue {
        guard state.title != nil || state.artist != nil || state.album != nil else {
            return .options([
                "mpris:trackid": .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")
            ])
        }
        let path = ObjectPath("\(BusNames.root)/track/\(track)") ?? BusNames.root
        var values: [String: BusValue] = ["mpris:trackid": .objectPath(path)]
        values["xesam:title"] = state.title.map { .string(Self.shown($0.string)) }
        values["xesam:artist"] = state.artist.map { .strings([Self.shown($0.string)]) }
        values["xesam:album"] = state.album.map { .string(Self.shown($0.string)) }
        values["mpris:length"] = state.duration.map { .int64($0.microseconds) }
        return .options(values)
    }
}

extension MediaState {
    /// Whether its track may be the one of an earlier report, of which less was known.
    fileprivate func hasTrack(of earlier: MediaState) -> Bool {
        Self.isSame(title, earlier.title, mayAppear: false)
            && Self.isSame(artist, earlier.artist, mayAppear: true)
            && Self.isSame(album, earlier.album, mayAppear: true)
    }

    private static func isSame(_ text: Text?, _ earlier: Text?, mayAppear: Bool) -> Bool {
        guard let text, let earlier else {
            return text == nil && earlier == nil || mayAppear && earlier == nil
        }
        return text.octets == earlier.octets
            || earlier.isTruncated && text.octets.starts(with: earlier.octets)
    }
}

extension Duration {
    /// At most 31 years, whatever a phone says.
    fileprivate var microseconds: Int64 { Int64(min(self / .microseconds(1), 1e15)) }
}
