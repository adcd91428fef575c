internal import ANCSKit
internal import Kinds

extension PhoneVerbs {
    static let mediaVerbs: [any PhoneVerb.Type] = [
        Player.self, Queue.self, Track.self, Play.self, Volume.self, Media.self,
    ]

    struct Player: MediaDeed {
        package var name: String?
        package var app: String?
        package var commands: [RemoteCommandID]?

        package static let name = "player"
        package static let shape = Shape<Self>.object(
            "a player",
            [
                Field("name", .numberedName("a name"), into: \.name, "A new player of this name."),
                Field("app", .text, into: \.app, "The identifier of its app."),
                Field(
                    "commands", .list("a list of commands", of: .mediaCommand), into: \.commands,
                    "The commands that it supports (default: the first eleven)."),
            ], from: Self())
        package static let operands = ["name", "app"]

        package var title: String {
            if let name { return "the player is \"\(name)\"" }
            return app == nil && commands == nil ? "the player ends" : "the player changes"
        }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            await phone.provider.offerMedia()
            let set = commands.map { RemoteCommandSet($0) }
            if let name {
                var player = MediaPlayer(name: name, bundleIdentifier: app ?? "")
                if let set { player.commands = set }
                await phone.provider.setPlayer(player)
            } else if app == nil, set == nil {
                await phone.provider.setPlayer(nil)
            } else {
                try await phone.changePlayer { [app] player, _ in
                    player.bundleIdentifier = app ?? player.bundleIdentifier
                    player.commands = set ?? player.commands
                }
            }
        }
    }

    struct Queue: MediaDeed {
        package var tracks: [MediaPlayer.Track]?
        package var index: Int?
        package var shuffle: MediaMode?
        package var again: MediaMode?

        package static let name = "queue"
        package static let shape = Shape<Self>.object(
            "a queue",
            [
                Field("tracks", .list("a list of tracks", of: .track), into: \.tracks),
                Field(
                    "index", .integer(in: 0...9_999), into: \.index, "The track that plays, from 0."
                ), Field("shuffle", .mediaMode, into: \.shuffle),
                Field("repeat", .mediaMode, into: \.again),
            ], from: Self())

        package var title: String {
            let words = [
                tracks.map { "has \(counted($0.count, "track"))" },
                index.map { "is at track \($0)" }, shuffle.map { "has shuffle mode \($0.word)" },
                again.map { "has repeat mode \($0.word)" },
            ]
            return "the queue " + words.compactMap(\.self).joined(separator: ", ")
        }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.changePlayer { [self] player, now in
                player.queue = tracks ?? player.queue
                player.shuffleMode = shuffle ?? player.shuffleMode
                player.repeatMode = again ?? player.repeatMode
                if tracks != nil || index != nil { player.start(index ?? 0, at: now) }
            }
        }
    }

    struct Track: MediaDeed {
        package var track: MediaPlayer.Track

        package static let name = "track"
        package static let shape = Shape<MediaPlayer.Track>.track.map(Self.init)
        package static let operands = ["title", "artist", "album", "duration"]

        package var title: String { "the track is \"\(track.title)\"" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.changePlayer { [track] player, now in
                if player.queue.isEmpty {
                    player.queue = [track]
                } else {
                    player.queue[player.index] = track
                }
                player.start(player.index, at: now)
            }
        }
    }

    struct Play: MediaDeed {
        package var state = PlaybackState.playing
        package var position: Duration?
        /// In percent.
        package var speed = 100

        package static let name = "play"
        package static let shape = Shape<Self>.trueOrObject(
            [
                Field("at", .seconds, into: \.position, "The position (default: where it is)."),
                Field("speed", .integer(in: 1...10_000), replacing: \.speed, default: 100),
                Field(
                    "state",
                    .word(
                        of: [
                            ("playing", .playing), ("rewinding", .rewinding),
                            ("fastForwarding", .fastForwarding),
                        ], "a state"), replacing: \.state, default: "playing"),
            ], from: Self())
        package static let operands = ["at"]

        package var title: String { "play" + (position.map { " from \($0.text)" } ?? "") }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            let rate = state == .rewinding ? -10 * speed : 10 * speed
            try await phone.changePlayer { [state, position] player, now in
                player.play(state, from: position, rate: rate, at: now)
            }
        }
    }

    /// `pause` without a number.
    struct PausePlayer: MediaDeed {
        package static let name = Pause.name
        package static let summary = Pause.summary
        package static let manual: [String] = []
        package static let shape = Shape<Self>.plain(Self())

        package var title: String { "the player pauses" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.changePlayer { player, now in player.pause(at: now) }
        }
    }

    struct Volume: MediaDeed {
        package var level: Int

        package static let name = "volume"
        package static let shape = Shape<Int>.integer(in: 0...MediaPlayer.volumeSteps).map(
            Self.init)
        package static let placeholder = "SIXTEENTHS"

        package var title: String { "the volume is \(level) of \(MediaPlayer.volumeSteps)" }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            try await phone.changePlayer { [level] player, _ in player.volume = level }
        }
    }

    struct Media: MediaDeed {
        package var isOn = true
        package var isAnnounced = true
        package var service = MediaService()

        package static let name = "media"
        package static let shape: Shape<Self> = {
            let object = Shape<Self>.object("true, false or an object", fields, from: Self()) {
                media, _ in
                media.service = MediaService(
                    absent: Set(media.absent), withoutConfiguration: Set(media.unconfigurable))
            }
            return Shape(.oneOf([.boolean, object.schema])) {
                cursor, reader throws(DocumentError) in
                if case .boolean(let isOn) = cursor.value { return Self(isOn: isOn) }
                return try object.read(cursor, &reader)
            }
        }()
        package static let operands = ["on"]

        private static var fields: [Field<Self>] {
            [
                Field("on", .boolean, replacing: \.isOn, required: "true or false"),
                Field("serviceChanged", .boolean, replacing: \.isAnnounced, default: true),
                Field("without", parts, replacing: \.absent, "Characteristics that are missing."),
                Field(
                    "withoutConfiguration", parts, replacing: \.unconfigurable,
                    "Those whose Client Characteristic Configuration is missing."),
            ]
        }

        private static let parts = Shape<[MediaService.Part]>.list(
            "a list of characteristics", of: .word("a characteristic"))
        private var absent: [MediaService.Part] = []
        private var unconfigurable: [MediaService.Part] = []

        init(isOn: Bool = true) { self.isOn = isOn }

        package var title: String {
            let missing =
                absent.map(\.rawValue) + unconfigurable.map { "subscriptions to \($0.rawValue)" }
            return (isOn ? "offer" : "withdraw") + " the Apple Media Service"
                + (missing.isEmpty ? "" : " without \(missing.joined(separator: ", "))")
                + (isAnnounced ? ", with Service Changed" : ", without Service Changed")
        }
        var effects: [ScenarioEffect] { [.media(isOn ? service : nil, isAnnounced: isAnnounced)] }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            await phone.provider.setMediaService(isOn ? service : nil, announcing: isAnnounced)
        }
    }
}

/// A verb for what the phone plays.
protocol MediaDeed: PlainDeed {}

extension MediaDeed { package var usesMedia: Bool { true } }

extension OperatedPhone {
    /// Changes the player, which the phone offers accessories from now on, if it has not before.
    fileprivate func changePlayer(
        _ change: @Sendable (inout MediaPlayer, MonotonicInstant) -> Void
    ) async throws(PhoneObstacle) {
        await provider.offerMedia()
        guard await provider.changePlayer(change) else {
            throw PhoneObstacle(reason: "there is no player; 'player' starts one")
        }
    }
}

extension Shape where Value == MediaPlayer.Track {
    static let track = Self.object(
        "a track",
        [
            Field("title", .numberedText("a title"), replacing: \.title, required: "a title"),
            Field("artist", .numberedText(), replacing: \.artist),
            Field("album", .numberedText(), replacing: \.album),
            Field("duration", .seconds, into: \.duration, default: 180),
        ], from: MediaPlayer.Track(title: "")
    ).named("track", "What is played.")
}

extension Shape where Value == MediaMode {
    static let mediaMode = Self.word(of: MediaMode.words, "a mode").named("mode")
}

extension MediaMode {
    fileprivate static let words: [(String, MediaMode)] = [
        ("off", .off), ("one", .one), ("all", .all),
    ]
    fileprivate var word: String { Self.words.first { $0.1 == self }?.0 ?? "\(rawValue)" }
}
