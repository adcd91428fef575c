public import AMS

/// A player of a phone: what it plays, and where in it it is.
///
/// The position runs with the phone's clock, and at the end of a track the next one follows. Remote commands act on it
/// as on an iPhone's own player, as far as accessories can tell.
public struct MediaPlayer: Hashable, Sendable {
    /// A track of the queue.
    public struct Track: Hashable, Sendable {
        /// Its title, its artist and its album; empty for none.
        public var title, artist, album: String
        /// Its length; `nil` for one without an end, such as a radio program.
        public var duration: Duration?

        /// A track; by default of three minutes.
        public init(
            title: String, artist: String = "", album: String = "",
            duration: Duration? = .seconds(180)
        ) {
            (self.title, self.artist, self.album) = (title, artist, album)
            self.duration = duration
        }
    }

    /// How far one command moves the position.
    public static let skip = Duration.seconds(15)
    private static let shortestTrack = Duration.milliseconds(100)
    /// How many steps the volume has.
    public static let volumeSteps = 16

    /// The name, such as *Music*.
    public var name: String
    /// The identifier of its app; empty for none.
    public var bundleIdentifier: String
    /// The tracks, at most 10,000; further ones are dropped.
    public var queue: [Track] = [] {
        didSet {
            if queue.count > 10_000 { queue.removeLast(queue.count - 10_000) }
            index = min(index, max(0, queue.count - 1))
        }
    }
    /// The place in the queue of the track that plays.
    public private(set) var index = 0
    /// The volume, in sixteenths: 0 to 16.
    public var volume = 8 { didSet { volume = min(max(volume, 0), Self.volumeSteps) } }
    /// In which order the queue is played: only reported.
    public var shuffleMode = MediaMode.off
    /// What is played again.
    public var repeatMode = MediaMode.off
    /// What accessories may ask for (M2).
    public var commands = RemoteCommandSet((0...10).map { RemoteCommandID(rawValue: $0) })
    private var state = PlaybackState.paused
    /// In thousandths.
    private var rate = 0
    private var elapsed = Duration.zero
    /// When it was at ``elapsed``; `nil` if it has never played or stopped.
    private var instant: MonotonicInstant?

    /// A player without tracks, which is paused.
    public init(name: String, bundleIdentifier: String = "") {
        (self.name, self.bundleIdentifier) = (name, bundleIdentifier)
    }

    /// The track that plays; `nil` if the queue is empty.
    public var track: Track? { queue.indices.contains(index) ? queue[index] : nil }

    /// Where in the track it is.
    public func position(at now: MonotonicInstant) -> Duration {
        media.position(at: now) ?? elapsed
    }

    /// What accessories are told of it.
    var media: MediaState {
        var media = MediaState()
        func text(_ text: String) -> MediaState.Text? {
            text.isEmpty ? nil : MediaState.Text(Array(text.utf8))
        }
        (media.playerName, media.bundleIdentifier) = (text(name), text(bundleIdentifier))
        media.playback = PlaybackInfo(state, rate: rate, elapsed: elapsed)
        media.playbackInstant = instant ?? .zero
        // In thousandths, rounded: a sixteenth is 62.5 of them.
        media.volume = (volume * 1000 + Self.volumeSteps / 2) / Self.volumeSteps
        (media.queueIndex, media.queueCount) = (index, queue.count)
        (media.shuffleMode, media.repeatMode) = (shuffleMode, repeatMode)
        if let track {
            (media.artist, media.album) = (text(track.artist), text(track.album))
            (media.title, media.duration) = (text(track.title), track.duration)
        }
        media.commands = commands
        return media
    }

    // MARK: What its user does

    /// Plays on, or from a position; in thousandths of the usual speed.
    public mutating func play(
        _ state: PlaybackState = .playing, from position: Duration? = nil, rate: Int = 1000,
        at now: MonotonicInstant
    ) {
        move(to: position ?? self.position(at: now), at: now)
        (self.state, self.rate) = (state, rate)
    }

    /// Pauses.
    public mutating func pause(at now: MonotonicInstant) { play(.paused, rate: 0, at: now) }

    /// Plays the track at a place of the queue from its beginning, or stays paused at it.
    public mutating func start(_ index: Int, at now: MonotonicInstant) {
        self.index = min(max(index, 0), max(0, queue.count - 1))
        move(to: .zero, at: now)
    }

    /// Moves the position, at most to either end of the track.
    public mutating func move(by distance: Duration, at now: MonotonicInstant) {
        move(to: position(at: now) + distance, at: now)
    }

    private mutating func move(to position: Duration, at now: MonotonicInstant) {
        elapsed = max(.zero, min(position, track?.duration ?? position))
        instant = now
    }

    private mutating func next(at now: MonotonicInstant) {
        guard index + 1 < queue.count else {
            // Behind the last one, it begins again, or stops there.
            if repeatMode != .all { pause(at: now) }
            return start(0, at: now)
        }
        start(index + 1, at: now)
    }

    // MARK: Time

    /// When the track ends; `nil` for never. Tracks that follow each other faster than can be told take a while.
    var nextDeadline: MonotonicInstant? {
        guard state != .paused, rate > 0, let end = track?.duration, end > .zero, let instant else {
            return nil
        }
        return instant + max((end - elapsed) * 1000 / rate, Self.shortestTrack)
    }

    /// The next track follows one that has ended.
    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        if repeatMode == .one { start(index, at: now) } else { next(at: now) }
    }

    // MARK: Remote commands

    /// Does what an accessory asks for (M7). What it does not know has no effect.
    mutating func obey(_ command: RemoteCommandID, at now: MonotonicInstant) {
        switch command {
        case .play: play(at: now)
        case .pause: pause(at: now)
        case .togglePlayPause: if state == .paused { play(at: now) } else { pause(at: now) }
        case .nextTrack: next(at: now)
        // Soon after its beginning, a track is not what the user wants to hear again.
        case .previousTrack:
            start(position(at: now) > .seconds(3) ? index : max(0, index - 1), at: now)
        case .volumeUp: volume += 1
        case .volumeDown: volume -= 1
        case .advanceRepeatMode: repeatMode.advance()
        case .advanceShuffleMode: shuffleMode.advance()
        case .skipForward: move(by: Self.skip, at: now)
        case .skipBackward: move(by: .zero - Self.skip, at: now)
        // RemoteCommandID is open; likes and bookmarks change nothing that accessories see.
        default: break
        }
    }
}

extension MediaMode {
    /// Off, one, all, and off again.
    fileprivate mutating func advance() { self = MediaMode(rawValue: (rawValue + 1) % 3) }
}
