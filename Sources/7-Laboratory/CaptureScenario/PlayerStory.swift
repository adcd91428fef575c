internal import AMS
internal import JSONText
internal import LinuxIO

/// What the player of the phone did, as far as the accessory asked for it. What is reported first was there before.
struct PlayerStory {
    private var values: [MediaAttribute: String] = [:]
    private var commands: RemoteCommandSet?
    private var lastTrack: (time: CaptureTime, step: Int)?
    /// Until when changes may be the effect of a command of the accessory.
    private var obeysUntil: CaptureTime?
    private var playback: PlaybackInfo?

    /// The accessory told the player something, which the phone of the scenario does by itself.
    mutating func obey(at time: CaptureTime) { obeysUntil = time + .seconds(2) }

    mutating func support(_ set: RemoteCommandSet) {
        if commands == nil, !set.isEmpty { commands = set }
    }

    /// Takes an update, and adds what the phone did to the steps.
    mutating func receive(
        _ update: EntityUpdate, at time: CaptureTime, _ steps: inout [ScenarioStep]
    ) {
        let text = UTF8Text.repaired(update.value)
        guard let known = values.updateValue(text, forKey: update.attribute) else {
            if update.attribute == .playbackInfo { playback = PlaybackInfo(decoding: update.value) }
            initial[update.attribute] = text
            return
        }
        guard known != text, obeysUntil.map({ time > $0 }) ?? true else { return }
        switch update.attribute {
        case .artist, .album, .title, .duration: changeTrack(at: time, &steps)
        case .playbackInfo:
            if let info = PlaybackInfo(decoding: update.value) {
                steps.append(.init(time, .other([Self.play(info)])))
            }
        case .volume: if let level = Self.level(text) { steps.append(.init(time, "volume", level)) }
        case .playerName: steps.append(.init(time, "player", player(name: text)))
        case .shuffleMode, .repeatMode:
            if let mode = mode(update.attribute) { steps.append(.init(time, "queue", mode)) }
        // The index and the count say nothing without the tracks.
        default: break
        }
    }

    /// The accessory read the whole of a value that an update had cut (M4, M5).
    mutating func complete(
        _ attribute: MediaAttribute, _ octets: [UInt8], _ steps: inout [ScenarioStep]
    ) {
        let (text, cut) = (UTF8Text.repaired(octets), values[attribute])
        values[attribute] = text
        if initial[attribute] == cut { initial[attribute] = text }
        if let lastTrack {
            steps[lastTrack.step].deed = .other([.init("track", .object(Self.track(values)))])
        }
    }

    private var initial: [MediaAttribute: String] = [:]

    /// The steps that make the player what it was at first; none without one.
    var beginning: [JSONValue] {
        guard commands != nil || initial[.playerName].map({ !$0.isEmpty }) ?? false else {
            return []
        }
        var steps: [JSONValue] = [
            .object([.init("player", player(name: initial[.playerName] ?? "Player"))])
        ]
        let track = Self.track(initial)
        if track.count > 1 { steps.append(.object([.init("track", .object(track))])) }
        if let level = initial[.volume].flatMap(Self.level) {
            steps.append(.object([.init("volume", level)]))
        }
        if let playback { steps.append(.object([Self.play(playback)])) }
        return steps
    }

    // MARK: Members

    private func player(name: String) -> JSONValue {
        var members = [JSONValue.Member("name", .string(name.isEmpty ? "Player" : name))]
        if let app = values[.bundleIdentifier], !app.isEmpty {
            members.append(.init("app", .string(app)))
        }
        if let commands {
            let words = commands.octets.map(RemoteCommandID.init(rawValue:)).filter {
                $0.rawValue <= 13
            }
            members.append(.init("commands", .array(words.map { .string("\($0)") })))
        }
        return .object(members)
    }

    /// What changed together is one track.
    private mutating func changeTrack(at time: CaptureTime, _ steps: inout [ScenarioStep]) {
        let step = ScenarioStep(time, "track", .object(Self.track(values)))
        if let last = lastTrack, time < last.time + .milliseconds(500), last.step == steps.count - 1
        {
            steps[last.step].deed = step.deed
        } else {
            steps.append(step)
        }
        lastTrack = (time, steps.count - 1)
    }

    private static func track(_ values: [MediaAttribute: String]) -> [JSONValue.Member] {
        let texts: [(String, MediaAttribute)] = [("artist", .artist), ("album", .album)]
        var members = [JSONValue.Member("title", .string(values[.title] ?? ""))]
        for (name, attribute) in texts {
            if let text = values[attribute], !text.isEmpty {
                members.append(.init(name, .string(text)))
            }
        }
        if let seconds = values[.duration].flatMap(Double.init), seconds >= 0 {
            members.append(.init("duration", .number(seconds)))
        }
        return members
    }

    private static func play(_ info: PlaybackInfo) -> JSONValue.Member {
        guard info.state != .paused else { return .init("pause", true) }
        var members: [JSONValue.Member] = []
        if let elapsed = info.elapsed {
            members.append(.init("at", .number(elapsed / .seconds(1))))
        }
        if let rate = info.rate, rate != 0, rate.magnitude != 1000 {
            members.append(.init("speed", .integer(max(1, abs(rate) / 10))))
        }
        if info.state == .rewinding { members.append(.init("state", "rewinding")) }
        if info.state == .fastForwarding { members.append(.init("state", "fastForwarding")) }
        return .init("play", members.isEmpty ? true : .object(members))
    }

    private static func level(_ text: String) -> JSONValue? {
        guard let volume = Double(text), (0...1).contains(volume) else { return nil }
        return .integer(Int((volume * 16).rounded()))
    }

    private func mode(_ attribute: MediaAttribute) -> JSONValue? {
        let words = ["0": "off", "1": "one", "2": "all"]
        guard let word = values[attribute].flatMap({ words[$0] }) else { return nil }
        return .object([.init(attribute == .shuffleMode ? "shuffle" : "repeat", .string(word))])
    }
}
