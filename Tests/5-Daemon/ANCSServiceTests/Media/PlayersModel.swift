import Octets

@testable import ANCSService

/// Calls, players that come, go, hang and are used, and a daemon that pauses them, in a random order. The model knows what
/// each player does and why; of the machine under test it sees what it puts out.
struct PlayersModel: ~Copyable {
    /// How a player behaves.
    enum Kind: CaseIterable {
        case well
        /// It pauses a while after it was told.
        case slow
        /// It says nothing by itself.
        case silent
        /// It answers that it has paused, and plays on.
        case deaf
        /// It says that it is playing, and is not there when it is told to pause.
        case liar
        /// It is a phone's, which the daemon offers itself.
        case own
    }

    enum Message: Equatable {
        case ask(Int, isUrgent: Bool)
        case pause
        case play
        case answer(MPRIS.PlaybackStatus, Int)
        case told(Bool)
        case change(MPRIS.PlaybackStatus)
    }

    struct Player {
        let owner: String
        let kind: Kind
        var status = MPRIS.PlaybackStatus.playing
        var isHung = false
        /// Whether it will have paused soon.
        var isPausing = false
        /// Whether it is paused because it was told to, and nobody has used it since.
        var isOurs = false
        /// Whether it was playing when the calls began, and nothing is in the way of a pause.
        var isDue = false
        /// Whether it was told a moment ago, so that nobody can know yet that it does not pause.
        var isInDoubt = false
        /// What has been sent to it, and what it has sent: in order.
        var inbox: [Message] = []
        var outbox: [Message] = []
        /// The urgent question that it has not answered, until its time is up.
        var urgent: Int?
    }

    private var generator: SeededGenerator
    private var machine: PlayerPauses
    private let setting: ServiceConfiguration.DesktopSection.PauseMedia
    private var now = MonotonicInstant.zero
    private var players: [Player] = []
    private var count = 0
    /// The calls, and whether they are active.
    private var calls: [UInt64: Bool] = [:]
    private var lastCall: UInt64 = 0
    private var searches: [Int] = []
    private var isBusDead = false
    private var hasFinished = false
    private var remembered: [String] = []
    private(set) var faults: [String] = []
    private(set) var happened: [String: Int] = [:]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        setting = generator.next() % 3 == 0 ? .call : .ringing
        machine = PlayerPauses(setting)
        for _ in 0..<3 { appear() }
    }

    private var isInCall: Bool {
        setting == .ringing ? !calls.isEmpty : calls.values.contains(true)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        settle()
        if isInCall { checkInCall() }
        for call in calls.keys.sorted() { happen(.ended, call) }
        settle()
        checkAfterwards()
    }

    private mutating func step() {
        switch generator.next() % 16 {
        case 0, 1: begin()
        case 2, 3: endOne()
        case 4: appear()
        case 5: vanish()
        case 6, 7, 10, 11: use()
        case 8: hang()
        case 9: waitLong()
        case 12 where generator.next() % 4 == 0: loseBus()
        case _: deliver()
        }
    }

    private mutating func note(_ word: String) { happened[word, default: 0] += 1 }

    private mutating func pick() -> Int? {
        players.isEmpty ? nil : Int(generator.next() % UInt64(players.count))
    }

    // MARK: What people and phones do

    private mutating func begin() {
        if let call = calls.keys.sorted().first, generator.next() % 2 == 0 {
            if calls[call] == false { happen(.answered, call) }
            return
        }
        lastCall += 1
        if generator.next() % 6 == 0 {
            note("muted")
            return input { pauses, _ in
                pauses.receive(.incoming, of: RecordID(rawValue: 999), isMuted: true)
            }
        }
        happen(generator.next() % 4 == 0 ? .answered : .incoming, lastCall)
    }

    private mutating func endOne() {
        if let call = calls.keys.sorted().first { happen(.ended, call) }
    }

    private mutating func happen(_ event: CallEvent, _ call: UInt64) {
        let before = isInCall
        calls[call] = event == .ended ? nil : event == .answered
        if !before, isInCall {
            note("call")
            hasFinished = false
            isBusDead = false
            for index in players.indices {
                let player = players[index]
                players[index].isDue  // Of one that was used this very moment, it is not known yet.
                =
                    player.kind != .own && !player.isHung && player.urgent == nil
                    && player.outbox.isEmpty
                    && (player.status == .playing || player.isOurs)
            }
        }
        input { pauses, _ in pauses.receive(event, of: RecordID(rawValue: call), isMuted: false) }
    }

    private mutating func appear() {
        count += 1
        var player = Player(
            owner: ":1.\(count)",
            kind: Kind.allCases[Int(generator.next() % UInt64(Kind.allCases.count))])
        if generator.next() % 3 == 0 { player.status = .paused }
        players.append(player)
    }

    private mutating func vanish() {
        guard let index = pick() else { return }
        note("vanish")
        let player = players.remove(at: index)
        for message in player.outbox { receive(message, from: player.owner) }
        // The bus answers what it did not.
        for message in player.inbox {
            switch message {
            case .ask(let number, _):
                input { $0.answered(player.owner, nil, number: number, at: $1) }
            case .pause: input { $0.told(player.owner, isTaken: false, at: $1) }
            case .play, .answer, .told, .change: break
            }
        }
    }

    /// Somebody uses a player: people are slower than messages, and a player that hangs cannot be used.
    private mutating func use() {
        let ours = generator.next() % 2 == 0 ? players.firstIndex(where: \.isOurs) : nil
        guard let index = ours ?? pick() else { return }
        let player = players[index]
        guard !player.isHung, !player.isPausing, !player.isInDoubt, player.inbox.isEmpty,
            player.outbox.isEmpty,
            // A silent player tells nobody of its use, so that it cannot be respected.
            player.kind != .silent || !player.isOurs
        else { return }
        let statuses: [MPRIS.PlaybackStatus] = [.playing, .paused, .stopped]
        let status = statuses[Int(generator.next() % 3)]
        guard status != player.status else { return }
        note(player.isOurs ? "touch" : "use")
        players[index].isOurs = false
        players[index].isDue = false
        set(index, status)
    }

    private mutating func set(_ index: Int, _ status: MPRIS.PlaybackStatus) {
        players[index].status = status
        if players[index].kind != .silent { players[index].outbox.append(.change(status)) }
    }

    private mutating func hang() {
        guard let index = pick(), !players[index].isPausing else { return }
        note("hang")
        players[index].isHung.toggle()
        if players[index].isHung { players[index].isDue = false }
    }

    private mutating func loseBus() {
        note("bus")
        isBusDead = true
        searches = []
        for index in players.indices {
            (players[index].inbox, players[index].outbox, players[index].urgent) = ([], [], nil)
            (players[index].isOurs, players[index].isDue) = (false, false)
            if players[index].isPausing { finishPausing(index) }
            players[index].outbox = []
            players[index].isOurs = false
        }
        input { pauses, _ in pauses.busEnded() }
    }

    // MARK: Time and messages

    /// One message arrives, or a search does.
    private mutating func deliver() {
        if !searches.isEmpty, generator.next() % 2 == 0 { return find(searches.removeFirst()) }
        guard let index = pick() else { return }
        if !players[index].outbox.isEmpty {
            let message = players[index].outbox.removeFirst()
            receive(message, from: players[index].owner)
        } else if players[index].isPausing, generator.next() % 2 == 0 {
            finishPausing(index)
        } else {
            work(index)
        }
    }

    private mutating func find(_ number: Int) {
        for player in players.shuffled(using: &generator) {
            // The same player may have two names.
            for name in ["org.mpris.MediaPlayer2.\(player.kind)", "org.mpris.MediaPlayer2.b"] {
                input { pauses, _ in
                    pauses.found(
                        player.owner, name: name, isOwn: player.kind == .own, number: number)
                }
            }
        }
    }

    private mutating func receive(_ message: Message, from owner: String) {
        switch message {
        case .answer(let status, let number):
            guard let index = players.firstIndex(where: { $0.owner == owner }) else {
                return input { $0.answered(owner, status, number: number, at: $1) }
            }
            // The answer to a question whose time was up is not passed on.
            if players[index].urgent == number { players[index].urgent = nil }
            input { $0.answered(owner, status, number: number, at: $1) }
        case .told(let isTaken): input { $0.told(owner, isTaken: isTaken, at: $1) }
        case .change(let status): input { pauses, _ in pauses.changed(owner, to: status) }
        case .ask, .pause, .play: faults.append("\(owner) was sent \(message)")
        }
    }

    /// A player handles the next message.
    private mutating func work(_ index: Int) {
        guard !players[index].isHung, !players[index].inbox.isEmpty else { return }
        switch players[index].inbox.removeFirst() {
        case .ask(let number, let isUrgent):
            guard !isUrgent || players[index].urgent == number else { return }
            players[index].outbox.append(.answer(players[index].status, number))
        case .pause: pause(index)
        case .play:
            note("play")
            players[index].isOurs = false
            set(index, .playing)
        case .answer, .told, .change: break
        }
    }

    private mutating func pause(_ index: Int) {
        // Some say that they are paused before they answer, and some after it.
        let isEarly = generator.next() % 2 == 0
        if isEarly { players[index].outbox.append(.told(players[index].kind != .liar)) }
        defer { if !isEarly { players[index].outbox.append(.told(players[index].kind != .liar)) } }
        switch players[index].kind {
        case .well, .silent:
            guard players[index].status == .playing else { return }
            note("pause")
            players[index].isOurs = true
            set(index, .paused)
        case .slow: if players[index].status == .playing { players[index].isPausing = true }
        case .deaf, .liar: (players[index].isDue, players[index].isInDoubt) = (false, true)
        case .own: faults.append("a phone's player was paused")
        }
    }

    private mutating func finishPausing(_ index: Int) {
        note("slow")
        players[index].isPausing = false
        players[index].isOurs = true
        set(index, .paused)
    }

    /// Two seconds pass: everything but what hangs is done, and questions that were urgent have no answer.
    private mutating func waitLong() {
        var isDone = false
        while !isDone {
            isDone = true
            while !searches.isEmpty { find(searches.removeFirst()) }
            for index in players.indices {
                while !players[index].outbox.isEmpty {
                    receive(players[index].outbox.removeFirst(), from: players[index].owner)
                    isDone = false
                }
                if !players[index].isHung, !players[index].inbox.isEmpty {
                    work(index)
                    isDone = false
                } else if players[index].isPausing {
                    finishPausing(index)
                    isDone = false
                }
            }
        }
        now = now + .seconds(2)
        for index in players.indices { players[index].isInDoubt = false }
        for index in players.indices {
            guard let number = players[index].urgent else { continue }
            note("late")
            players[index].urgent = nil
            players[index].inbox.removeAll { $0 == .ask(number, isUrgent: true) }
            let owner = players[index].owner
            input { $0.answered(owner, nil, number: number, at: $1) }
        }
        input { $0.handleTimeout(at: $1) }
    }

    /// Nothing hangs any more, and everything is done.
    private mutating func settle() {
        for index in players.indices { players[index].isHung = false }
        for _ in 0..<3 { waitLong() }
    }

    // MARK: The machine

    private mutating func input(_ body: (inout PlayerPauses, MonotonicInstant) -> Void) {
        body(&machine, now)
        while let output = machine.pollOutput() { carryOut(output) }
    }

    private mutating func carryOut(_ output: PlayerPauses.Output) {
        switch output {
        case .search(let number): searches.append(number)
        case .ask(let owner, let number, let isUrgent):
            guard let index = send(.ask(number, isUrgent: isUrgent), to: owner) else { return }
            if isUrgent { players[index].urgent = number }
        case .pause(let owner):
            if !isInCall { faults.append("\(owner) is paused without a call") }
            _ = send(.pause, to: owner)
        case .play(let owner):
            guard let index = send(.play, to: owner) else { return }
            if isInCall { faults.append("\(owner) plays during a call") }
            if !players[index].isOurs || players[index].status != .paused {
                faults.append("\(owner) plays, which was not paused here, or was used")
            }
        case .remember(let names): remembered = names
        case .finish: hasFinished = true
        }
    }

    private mutating func send(_ message: Message, to owner: String) -> Int? {
        guard let index = players.firstIndex(where: { $0.owner == owner }) else {
            // The bus answers that there is no such program: not now, but then there is nothing else to do.
            if case .ask(let number, _) = message {
                lost.append((owner, number))
            }
            return nil
        }
        if players[index].kind == .own { faults.append("a phone's player was sent \(message)") }
        players[index].inbox.append(message)
        return index
    }

    /// Questions to players that have gone.
    private var lost: [(owner: String, number: Int)] = []

    // MARK: What must hold

    private mutating func checkInCall() {
        for player in players where player.isDue && player.status == .playing && !isBusDead {
            faults.append("\(player.owner), \(player.kind), plays during a call")
        }
    }

    private mutating func checkAfterwards() {
        for (owner, number) in lost {
            input { $0.answered(owner, nil, number: number, at: $1) }
        }
        for player in players where player.isOurs {
            faults.append("\(player.owner), \(player.kind), stays paused")
        }
        if !hasFinished, happened["call"] != nil { faults.append("the machine has not finished") }
        if !remembered.isEmpty, happened["bus"] == nil {
            faults.append("\(remembered) is remembered")
        }
    }
}
