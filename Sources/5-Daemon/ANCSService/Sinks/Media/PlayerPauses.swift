internal import LinuxIO

/// Which players of this machine pause during a call, and play again afterwards. No I/O.
///
///     a call ─▶ search ─▶ ask ─▶ pause ─▶ the last call is over ─▶ ask ─▶ play
///
/// A player is known by its unique name on the bus, which no other program ever gets. Only one that is playing is
/// paused, and only one that was paused here, is still paused, and was not used meanwhile plays again. Every player is
/// asked on its own, so that one that hangs holds up no other. If it has a call in its queue to pause, it will: such a
/// one is asked again after the call, however long it takes to answer, so that it does not stay paused.
struct PlayerPauses: ~Copyable, Sendable {
    enum Output: Equatable, Sendable {
        /// Find the players of the bus. The number says later for which search they are.
        case search(Int)
        /// Ask a player what it does; within a second, if it is for a call that has begun.
        case ask(owner: String, Int, isUrgent: Bool)
        case pause(owner: String)
        case play(owner: String)
        /// Write down the names of the players that are paused, for a daemon that starts after this one was killed.
        case remember([String])
        /// No player is of interest any more.
        case finish
    }

    private struct Player {
        enum State: Equatable {
            /// Whether it is playing is not known yet.
            case asked
            /// It was told to pause. When it has taken that, it has this long to do it, and is asked if it does not say so:
            /// what somebody pauses later was not paused here.
            case held(until: MonotonicInstant?)
            /// The call is over, and it was asked whether it is paused. If it was still playing, it may be slow, and has
            /// this long to pause.
            case returning(until: MonotonicInstant?)
        }

        let name: String
        var state = State.asked
        /// Whether it has said that it is paused, since it was told to.
        var isPaused = false
    }

    /// How many players are paused: a desktop has a few.
    private static let limit = 64
    /// How long a player that was told to pause may go on playing.
    private static let slowness = Duration.seconds(1)

    private var setting: ServiceConfiguration.DesktopSection.PauseMedia
    /// The calls that are not over, and whether they are active.
    private var calls: [RecordID: Bool] = [:]
    private var isOn = false
    private var hasStopped = false
    /// The number of the current search or question: answers to earlier ones are void.
    private var number = 0
    private var players: [String: Player] = [:]
    private var remembered: [String] = []
    private var outputs = Queue<Output>()

    init(_ setting: ServiceConfiguration.DesktopSection.PauseMedia) { self.setting = setting }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    var nextDeadline: MonotonicInstant? {
        players.values.compactMap { player in
            switch player.state {
            case .held(let end), .returning(let end): end
            case .asked: nil
            }
        }.min()
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: - Calls

extension PlayerPauses {
    /// Something happened to a call. Of one that a rule mutes, nothing is to be noticed.
    mutating func receive(_ event: CallEvent, of call: RecordID, isMuted: Bool) {
        switch event {
        case .incoming, .answered: if !isMuted { calls[call] = event == .answered }
        case .ended: calls[call] = nil
        }
        update()
    }

    mutating func reconfigure(_ setting: ServiceConfiguration.DesktopSection.PauseMedia) {
        self.setting = setting
        update()
    }

    /// The daemon ends. During a call, players stay paused, and are remembered.
    mutating func stop() {
        hasStopped = true
        players = [:]
    }

    private mutating func update() {
        guard !hasStopped else { return }
        let isWanted = setting != .never && calls.values.contains { $0 || setting == .ringing }
        guard isWanted != isOn else { return }
        isOn = isWanted
        number += 1
        if isWanted { begin() } else { end() }
    }

    private mutating func begin() {
        for (owner, player) in players.sorted(byText: \.key) {
            players[owner]?.state = .held(until: nil)
            // By what it has said last, it is playing.
            if !player.isPaused { outputs.append(.pause(owner: owner)) }
        }
        outputs.append(.search(number))
    }

    private mutating func end() {
        for (owner, player) in players.sorted(byText: \.key) {
            guard player.state != .asked else {
                players[owner] = nil
                continue
            }
            players[owner]?.state = .returning(until: nil)
            outputs.append(.ask(owner: owner, number, isUrgent: false))
        }
        conclude()
    }
}

// MARK: - Players

extension PlayerPauses {
    /// A search has found a player; `isOwn` if it is a phone's, which this program offers itself.
    mutating func found(_ owner: String, name: String, isOwn: Bool, number: Int) {
        guard isOn, number == self.number, !isOwn, players[owner] == nil, players.count < Self.limit
        else { return }
        players[owner] = Player(name: name)
        outputs.append(.ask(owner: owner, number, isUrgent: true))
    }

    /// A player was asked what it does; `nil` if it did not answer, or with something else.
    mutating func answered(
        _ owner: String, _ status: MPRIS.PlaybackStatus?, number: Int, at now: MonotonicInstant
    ) {
        guard number == self.number, let player = players[owner] else { return }
        switch (player.state, status) {
        case (.asked, .playing?):
            players[owner]?.state = .held(until: nil)
            remember()
            outputs.append(.pause(owner: owner))
        case (.returning, .paused?): play(owner)
        case (.returning, .playing?) where !player.isPaused:
            players[owner]?.state = .returning(until: now + Self.slowness)
        case (.held, .paused?): players[owner]?.isPaused = true
        case (.asked, _), (.held, _), (.returning, _): drop(owner)
        }
    }

    /// A player has taken the call to pause, or not: it refused, or is not there.
    mutating func told(_ owner: String, isTaken: Bool, at now: MonotonicInstant) {
        guard let player = players[owner], !player.isPaused else { return }
        if !isTaken {
            drop(owner)
        } else if case .held = player.state {
            players[owner]?.state = .held(until: now + Self.slowness)
        }
    }

    /// A player says by itself what it does.
    mutating func changed(_ owner: String, to status: MPRIS.PlaybackStatus) {
        guard let player = players[owner], player.state != .asked else { return }
        switch (status, player.isPaused) {
        case (.paused, false):
            players[owner]?.isPaused = true
            if case .returning(_?) = player.state { play(owner) }
            if case .held = player.state { players[owner]?.state = .held(until: nil) }
        // It had not been told yet when it said this, or says the same again.
        case (.playing, false), (.paused, true): break
        // It is used by somebody else.
        case (.playing, true), (.stopped, _): drop(owner)
        }
    }

    /// The bus is gone. What is paused stays so, and is remembered.
    mutating func busEnded() {
        players = [:]
        conclude()
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    mutating func handleTimeout(at now: MonotonicInstant) {
        for (owner, player) in players {
            switch player.state {
            case .held(let end?) where end <= now:
                players[owner]?.state = .held(until: nil)
                outputs.append(.ask(owner: owner, number, isUrgent: false))
            case .returning(let end?) where end <= now: drop(owner)
            case .asked, .held, .returning: break
            }
        }
    }

    private mutating func play(_ owner: String) {
        outputs.append(.play(owner: owner))
        drop(owner)
    }

    private mutating func drop(_ owner: String) {
        players[owner] = nil
        remember()
        conclude()
    }

    private mutating func remember() {
        let names = players.values.filter { $0.state != .asked }.map(\.name).sorted(byText: \.self)
        guard exchange(&remembered, with: names) != names else { return }
        outputs.append(.remember(names))
    }

    private mutating func conclude() { if !isOn, players.isEmpty { outputs.append(.finish) } }
}
